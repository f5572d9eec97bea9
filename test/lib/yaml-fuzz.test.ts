import { expect, it } from 'vitest';
import { parse } from 'yaml';

import { parseYaml } from '../../src/lib/yaml.ts';
import { createRandom, generateYaml } from './yaml-generator.ts';

// A longer or another run is asked for by hand.
const { COLIBRI_FUZZ_SEED = '20261115', COLIBRI_FUZZ_RUNS = '24000' } = process.env;

it(`gives the same JSON as the yaml package for whatever it accepts (seed ${COLIBRI_FUZZ_SEED}, ${COLIBRI_FUZZ_RUNS} texts)`, () => {
  const random = createRandom(Number(COLIBRI_FUZZ_SEED));
  const runs = Number(COLIBRI_FUZZ_RUNS);
  let accepted = 0;
  for (let run = 0; run < runs; run++) {
    const source = generateYaml(random);
    const result = parseYaml(source);
    if (!result.ok) continue;
    accepted++;
    const ours = JSON.stringify(result.value);
    if (ours !== readWithYaml(source)) {
      expect.fail(`text ${run}: ${JSON.stringify(source)}\nours: ${ours}\nyaml: ${readWithYaml(source)}`);
    }
  }
  // Agreement means something only while a good part of the texts is accepted.
  expect(accepted).toBeGreaterThan(runs / 5);
}, 300_000);

function readWithYaml(source: string): string {
  try {
    return JSON.stringify(parse(source, { logLevel: 'error' }) ?? null);
  } catch (error) {
    return `refused: ${String(error)}`;
  }
}
