/** The types of the API for the page. A folder for the description is handed in and left to the caller. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { generateApi } from 'swagger-typescript-api';

import { openApiDocument } from '../src/surfaces/http/openapi.ts';
import { ROUTES } from '../src/surfaces/http/routes/table.ts';

const HEADER =
  '// Written by `npm run web:contract` from the OpenAPI document; a test holds the two together.\n';

export async function webContract(folder: string): Promise<string> {
  const input = path.join(folder, 'openapi.json');
  writeFileSync(input, JSON.stringify(openApiDocument(ROUTES, '0')));
  const { files } = await generateApi({ input, output: false, generateClient: false, silent: true });
  const text = files.map(({ fileContent }) => fileContent).join('\n');
  return `${HEADER}${text.slice(text.indexOf('export '))}`;
}
