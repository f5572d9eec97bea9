/** The description of the API: valid, complete, and good enough to generate a client from. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { Validator } from '@seriousme/openapi-schema-validator';
import { generateApi } from 'swagger-typescript-api';
import { describe, expect, test } from 'vitest';

import { webContract } from '../../../scripts/web-contract.ts';
import { openApiDocument } from '../../../src/surfaces/http/openapi.ts';
import { ROUTES } from '../../../src/surfaces/http/routes/table.ts';
import { differences } from '../../architecture/documentation.ts';
import { writeSkill } from '../../support/skill-files.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { openApi, skillsRoot, startUp } from './harness.ts';

const document = openApiDocument(ROUTES, '1.2.3');
const PAGE = 'docs/http.md';

describe('the OpenAPI document', () => {
  test('is valid OpenAPI 3.1', async () => {
    const result = await new Validator().validate(structuredClone(document));
    expect(result).toMatchObject({ valid: true });
    expect(document['openapi']).toBe('3.1.0');
  });

  test('names every operation once, and refers to nothing that is missing', () => {
    const ids = ROUTES.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)]);
    const { schemas } = document['components'] as { schemas: Record<string, unknown> };
    const text = JSON.stringify(document);
    const referred = Array.from(text.matchAll(/"#\/components\/schemas\/(\w+)"/g), ([, name = '']) => name);
    expect(referred.filter((name) => !(name in schemas))).toEqual([]);
    expect(text).not.toContain('#/$defs/');
  });

  test('is served', async () => {
    const { get } = await openApi(temporaryDirectory());
    expect((await get('/v1/openapi.json')).body).toEqual(document);
  });
});

test('a generated client lists and searches skills', async () => {
  const folder = temporaryDirectory();
  const input = path.join(folder, 'openapi.json');
  writeFileSync(input, JSON.stringify(document));
  await generateApi({ input, output: folder, fileName: 'client.ts', httpClientType: 'fetch', silent: true });
  // The file exists only now.
  const { Api } = await import(/* @vite-ignore */ pathToFileURL(path.join(folder, 'client.ts')).href);
  const workspace = temporaryDirectory();
  writeSkill(skillsRoot(workspace), 'fill-forms', { description: 'Fills PDF forms.' });
  writeSkill(skillsRoot(workspace), 'other');
  const { origin } = await startUp(workspace);
  const client = new Api({ baseUrl: origin });
  const listed = await client.v1.listSkills({ limit: 10 });
  expect(listed.data.items.map(({ name }: { name: string }) => name)).toEqual(['fill-forms', 'other']);
  const found = await client.v1.searchSkills({ q: 'forms' });
  expect(found.data.items[0]).toMatchObject({ name: 'fill-forms' });
});

test('the types that the page uses are those of the document', async () => {
  const file = path.resolve(import.meta.dirname, '../../../web/src/api/contract.ts');
  const hint = 'run `npm run web:contract`';
  expect(readFileSync(file, 'utf8'), hint).toBe(await webContract(temporaryDirectory()));
});

test('docs/http.md lists every route and no other', () => {
  const text = readFileSync(path.resolve(import.meta.dirname, '../../..', PAGE), 'utf8');
  const documented = Array.from(text.matchAll(/^\|\s*`((?:GET|POST) \/[^`]*)`/gm), ([, name = '']) => name);
  const real = [
    ...ROUTES.map(({ method, path: target }) => `${method.toUpperCase()} ${target}`),
    'GET /v1/events/stream',
    'GET /v1/openapi.json',
    'GET /healthz',
    'GET /metrics',
  ];
  expect(differences({ what: 'route', page: PAGE, real, documented })).toEqual([]);
});
