import { describe, expect, test } from 'vitest';

import { testIndex } from './harness.ts';

const LIBRARY = {
  'pdf-forms': {
    description: 'Fill in PDF forms, extract field values and merge PDF documents.',
    body: 'Read the fields of the PDF form with pdftk. Fill every field of the form. Flatten the filled PDF form at the end.',
  },
  'release-notes': {
    description: 'Write release notes from the commits since the last tag.',
    triggers: ['draft the changelog', 'changelog'],
    body: 'Collect the commits since the last tag, group them by kind and write one line each.',
  },
  'k8s-ops': {
    description: 'Operate Kubernetes clusters: roll out deployments, read logs, scale pods.',
    body: 'Use kubectl. Check the rollout of the deployment, then the logs of its pods.',
  },
};

describe('a task', () => {
  test('that a skill is made for names it, with a score from 0 to 1 and the reason', async () => {
    const { match } = await testIndex(LIBRARY);
    const task =
      'Please fill in the attached PDF form: read the field values from the customer file, fill every field of the form and flatten the PDF.';
    const { hits } = match(task);
    expect(hits[0]).toMatchObject({ name: 'pdf-forms', why: expect.stringContaining('name: form, pdf') });
    expect(hits[0]?.score).toBeGreaterThanOrEqual(0.7);
    expect(hits.every(({ score }, at) => score <= 1 && score <= (hits[at - 1]?.score ?? 1))).toBe(true);
  });

  test.each([
    'hello there',
    'thanks, that was great',
    'what is the weather like in Lisbon tomorrow?',
    'my grandmother grows tomatoes behind the house',
    '',
    '???',
  ])('that nothing clearly fits gets none: %j', async (task) => {
    const { match } = await testIndex(LIBRARY);
    expect(match(task)).toEqual({ hits: [], total: 0 });
  });

  test('that holds a trigger, word after word, calls for its skill', async () => {
    const { match } = await testIndex(LIBRARY);
    expect(match('Could you draft the changelogs, please?').hits).toEqual([
      { name: 'release-notes', score: 0.95, why: 'trigger: draft the changelog' },
    ]);
    expect(match('the draft of my novel').hits).toEqual([]);
  });

  test('triggers of skills that are gone trigger nothing', async () => {
    const { match, remove, index } = await testIndex(LIBRARY);
    remove('release-notes');
    await index.indexAll();
    expect(match('changelog').hits).toEqual([]);
  });
});
