// Writes the JSON Schemas of the configuration, the policy and the lock file, for editors. Another folder than schema/ can be named, for tests.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { z } from 'zod';

import { configFileSchema } from '../src/config-file.ts';
import { profileSchema } from '../src/domains/agents/schema.ts';
import { lockJsonSchema } from '../src/domains/integrity/install/lock.ts';
import { policyJsonSchema } from '../src/domains/policy/schema.ts';

const repository = path.resolve(import.meta.dirname, '..');
const [folder = path.join(repository, 'schema')] = process.argv.slice(2);
// Draft 7 is the newest that the common editors understand completely.
const schemas = {
  'colibri.config.schema.json': {
    title: 'colibri.config',
    ...z.toJSONSchema(configFileSchema, { target: 'draft-7', io: 'input' }),
  },
  'colibri.policy.schema.json': policyJsonSchema(),
  'colibri.agent.schema.json': {
    title: 'colibri agent profile',
    ...z.toJSONSchema(profileSchema, { target: 'draft-7', io: 'input' }),
  },
  'colibri.lock.schema.json': lockJsonSchema(),
};
const biome = path.join(repository, 'node_modules/.bin/biome');
for (const [name, schema] of Object.entries(schemas)) {
  const formatted = execFileSync(biome, ['format', `--stdin-file-path=schema/${name}`], {
    cwd: repository,
    input: JSON.stringify(schema),
  });
  writeFileSync(path.join(folder, name), formatted);
}
