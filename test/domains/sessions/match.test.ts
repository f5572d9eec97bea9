/** `skill_match`, what a session does with a task, and answers that stay small. */
import { rmSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import type { SessionRequest } from '../../../src/domains/sessions/schema.ts';
import { callTool } from '../../support/kernel.ts';
import { writeSkill } from '../../support/skill-files.ts';
import { dataOf, payloadOf, type TestSessionsOptions, testSessions, textOf } from './harness.ts';

const TASK =
  'Please fill in the attached PDF form: read the field values from the customer file, fill every field of the form and flatten the PDF.';
const FORMS = {
  description: 'Fill in PDF forms, extract field values and merge PDF documents.',
  body: 'Read the fields of the PDF form. Fill every field of the form. Flatten the filled PDF form.',
};

/** Skills in the home folder are trusted, those of a workspace are not. */
async function library(options: TestSessionsOptions & { readonly trusted?: boolean } = {}) {
  const { trusted = true, ...rest } = options;
  return testSessions({
    ...rest,
    before: (root, home) => {
      writeSkill(trusted ? path.join(home, '.agents', 'skills') : root, 'pdf-forms', FORMS);
      writeSkill(root, 'release-notes', { description: 'Write release notes from commits.' });
    },
  });
}

async function matched(request: SessionRequest, options: Parameters<typeof library>[0] = {}) {
  const { open, runtime } = await library(options);
  const session = await open(request);
  const answer = await session.call('skill_match', { task: TASK });
  const types = (await session.events()).map(({ type }) => type);
  return { answer, types, session, runtime };
}

describe('skill_match', () => {
  test('names the skills that a task calls for, with score and reason', async () => {
    const { answer, types } = await matched({});
    expect(textOf(answer)).toMatch(
      /^Skills that fit this task \(1\), best first:\n- pdf-forms \[global\] [\d.]+ \(name: .*\) — Fill in PDF forms/,
    );
    expect(dataOf(answer)).toMatchObject({
      result_count: 1,
      total_count: 1,
      auto_loaded: null,
      results: [{ name: 'pdf-forms', source: 'global', score: expect.any(Number), why: expect.any(String) }],
    });
    expect(types).toEqual(['session.opened', 'tool.started', 'tool.finished']);
  });

  test('says so when nothing clearly fits', async () => {
    const { open } = await library();
    const answer = await (await open({ auto_load: true })).call('skill_match', { task: 'good morning' });
    expect(textOf(answer)).toBe('No skill clearly fits this task.');
    expect(dataOf(answer)).toMatchObject({ result_count: 0, results: [], auto_loaded: null });
  });

  test('works without a session, too, and refuses an empty task', async () => {
    const { runtime } = await library();
    const answer = await callTool(runtime.ctx, 'skill_match', { task: TASK });
    expect(dataOf(answer)['result_names']).toEqual(['pdf-forms']);
    expect(await callTool(runtime.ctx, 'skill_match', { task: '' })).toMatchObject({ ok: false });
  });
});

describe('auto_load', () => {
  test('gives the text of the winner with the answer, and records why', async () => {
    const { answer, types, session } = await matched({ auto_load: true });
    expect(textOf(answer)).toContain('# Skill: pdf-forms (source: global)');
    expect(dataOf(answer)['auto_loaded']).toMatchObject({ skill_id: 'pdf-forms', trusted: true });
    expect(types).toEqual([
      'session.opened',
      'tool.started',
      'skill.loaded',
      'skill.invoked',
      'tool.finished',
    ]);
    const [loaded] = await session.events('skill.loaded');
    const [invoked] = await session.events('skill.invoked');
    expect(loaded && payloadOf(loaded)).toMatchObject({ name: 'pdf-forms', load_reason: 'auto_suggested' });
    expect(invoked && payloadOf(invoked)).toMatchObject({ name: 'pdf-forms', args: '', mode: 'auto' });
  });

  test('uses the budget and does nothing when that is spent', async () => {
    const spent = await matched({ auto_load: true, budget: { max_loads: 0 } });
    expect(dataOf(spent.answer)).toMatchObject({ result_names: ['pdf-forms'], auto_loaded: null });
    expect(spent.types).not.toContain('skill.loaded');
    const { session } = await matched({ auto_load: true, budget: { max_loads: 1 } });
    expect(textOf(await session.load('release-notes'))).toMatch(/^BUDGET_EXHAUSTED/);
  });

  test('never takes a skill that is not trusted', async () => {
    const { answer, types } = await matched({ auto_load: true }, { trusted: false });
    expect(dataOf(answer)).toMatchObject({ result_names: ['pdf-forms'], auto_loaded: null });
    expect(types).not.toContain('skill.loaded');
  });

  test('does not give the same text twice', async () => {
    const { session } = await matched({ auto_load: true });
    const again = await session.call('skill_match', { task: TASK });
    expect(dataOf(again)['auto_loaded']).toBeNull();
    expect(await session.events('skill.loaded')).toHaveLength(1);
  });

  test('with a task at the opening the text comes with the catalog', async () => {
    const { open } = await library();
    const session = await open({ task: TASK, auto_load: true });
    const catalog = await session.catalog();
    expect(catalog).toContain('- pdf-forms [preloaded]: ');
    expect(catalog).toContain(FORMS.body);
    expect((await session.events()).map(({ type }) => type)).toEqual([
      'session.opened',
      'skill.loaded',
      'skill.invoked',
    ]);
    expect(await session.catalog()).toBe(catalog);
  });
});

describe('a session that is opened for a task', () => {
  test('keeps the skills that fit when not all do', async () => {
    const { open, skill, reload } = await library();
    for (let at = 0; at < 60; at++)
      skill(`a-${at}`, { description: `Number ${at} of something else. `.repeat(4) });
    await reload();
    const budget = { catalog_tokens: 300 };
    expect(await (await open({ budget })).catalog()).not.toContain('pdf-forms');
    const session = await open({ budget, task: TASK });
    expect(await session.catalog()).toContain('- pdf-forms: ');
    expect(await session.catalog()).toMatch(/more skills are reachable with `skill_search`/);
  });

  test('keeps names, not the text of the task', async () => {
    const { open } = await library();
    const [opened] = await (await open({ task: TASK })).events();
    expect(opened?.payload).not.toContain('customer');
    expect(opened && payloadOf(opened)).toMatchObject({
      options: { task: { ranked: ['pdf-forms'], winner: 'pdf-forms' } },
    });
  });
});

describe('replay', () => {
  test('finds what was found then, after the skills were edited and removed', async () => {
    const { open, runtime, root, skill, reload, home } = await library();
    const session = await open({ task: TASK, auto_load: true });
    await session.call('skill_search', { query: 'notes' });
    await session.call('skill_match', { task: TASK });
    rmSync(path.join(root, 'release-notes'), { recursive: true });
    writeSkill(path.join(home, '.agents', 'skills'), 'pdf-forms', {
      description: 'Something else entirely.',
    });
    skill('notes-2', { description: 'Notes notes notes.' });
    await reload();
    // The session goes on with what it was opened with, also what is no more.
    const again = await session.call('skill_search', { query: 'write release notes' });
    expect(dataOf(again)['result_names']).toEqual(['release-notes']);
    expect(dataOf(await session.call('skill_match', { task: TASK }))['result_names']).toEqual(['pdf-forms']);
    expect(await runtime.replay(session.id, { live: false })).toMatchObject({ equal: true, taken: [] });
    expect(await runtime.replay(session.id, { live: true })).toMatchObject({ equal: false });
  });

  test('repeats an auto-load inside a call', async () => {
    const { session, runtime } = await matched({ auto_load: true });
    expect(await runtime.replay(session.id, { live: false })).toMatchObject({ equal: true, taken: [] });
  });
});

describe('search.usage', () => {
  const twins = async (env: Readonly<Record<string, string>>) => {
    const { open } = await testSessions({
      env,
      before: (root) => {
        for (const name of ['a-twin', 'b-twin', 'c-twin'])
          writeSkill(root, name, { description: 'Same words.' });
      },
    });
    const session = await open();
    await session.load('b-twin');
    return dataOf(await session.call('skill_search', { query: 'same words' }))['result_names'];
  };

  test('what was used comes first among equals, if that is wanted', async () => {
    expect(await twins({ COLIBRI_SEARCH_USAGE: 'true' })).toEqual(['b-twin', 'a-twin', 'c-twin']);
    expect(await twins({})).toEqual(['a-twin', 'b-twin', 'c-twin']);
  });
});

describe('answers that fit a context', () => {
  const ANSWER_BYTES_MAX = 2_048;

  test('ten results take 2 KB, and the answer says what was left out and why', async () => {
    const { open, skill, reload } = await testSessions();
    for (let at = 0; at < 40; at++)
      skill(`deploy-${'long-name-'.repeat(5)}${at}`, {
        description: `Deploy number ${at}. ${'Much more of it. '.repeat(50)}`,
      });
    await reload();
    const session = await open();
    const answer = await session.call('skill_search', { query: 'deploy' });
    const text = textOf(answer);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(ANSWER_BYTES_MAX);
    expect(text.split('\n')[0]).toBe("Skills matching 'deploy' (10 of 40):");
    expect(text.split('\n').filter((line) => line.startsWith('- '))).toHaveLength(10);
    expect(text).toContain('30 more have some of the words; narrow the query or raise limit.');
    expect(text).toContain('Descriptions are cut to keep this short');
    const { results, descriptions_cut_to: cut } = dataOf(answer) as {
      results: { description: string }[];
      descriptions_cut_to: number;
    };
    expect(results.every(({ description }) => description.length <= cut)).toBe(true);
    expect(
      Buffer.byteLength(textOf(await session.call('skill_search', { query: 'deploy', limit: 40 }))),
    ).toBeLessThan(40 * 205);
  });

  test('also in a script of three bytes a character', async () => {
    const { open, skill, reload } = await testSessions();
    for (let at = 0; at < 12; at++)
      skill(`skill-${at}`, { description: '处理表格文件并写报告。'.repeat(40) });
    await reload();
    const answer = await (await open()).call('skill_search', { query: '表格' });
    expect(dataOf(answer)['result_count']).toBe(10);
    expect(Buffer.byteLength(textOf(answer))).toBeLessThanOrEqual(ANSWER_BYTES_MAX);
  });
});
