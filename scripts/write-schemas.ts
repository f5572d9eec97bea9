// Writes the JSON Schema of the configuration file, for editors. Another folder than schema/ can be named, for tests.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { z } from 'zod';

import { configFileSchema } from '../src/config-file.ts';

const repository = path.resolve(import.meta.dirname, '..');
const [folder = path.join(repository, 'schema')] = process.argv.slice(2);
const name = 'colibri.config.schema.json';

// Draft 7 is the newest that the common editors understand completely.
const schema = {
  title: 'colibri.config',
  ...z.toJSONSchema(configFileSchema, { target: 'draft-7', io: 'input' }),
};
const biome = path.join(repository, 'node_modules/.bin/biome');
const formatted = execFileSync(biome, ['format', `--stdin-file-path=schema/${name}`], {
  cwd: repository,
  input: JSON.stringify(schema),
});
writeFileSync(path.join(folder, name), formatted);
