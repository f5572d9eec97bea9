/**
 * How well the security scan tells harmful skills from others: `npm run bench:scan`.
 * COLIBRI_SCAN_DATA: a folder with skillfortifybench/claude/{malicious,benign}; COLIBRI_SKILLS_DATA: a folder of real skills by owner.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { type ScanVerdict, scanSkill } from '../src/domains/integrity/scan/scan-skill.ts';

interface Specimen {
  readonly name: string;
  readonly owner: string;
  readonly verdict: ScanVerdict;
  readonly rules: readonly string[];
}

/** Published or measured elsewhere, static mode, on the same kind of specimens and on real skills. */
const OTHERS: readonly (readonly string[])[] = [
  ['kkdub/skill-scan, BLOCK or FLAG', '.63', '0', '.61 .81 .70'],
  ['SkillsGuard, medium and above', '1.00', '1.00', '.64 .21 .32'],
  ['SkillSpector, regex modules, CAUTION', '.34', '.02', '.65 .73 .69'],
  ['Cisco skill-scanner, default, HIGH', '.04', '0', '.37 .07 .12'],
  ['Cisco skill-scanner, strict + ATR', '', '', '.55 .96 .70'],
];

function skillFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => path.basename(file) === 'SKILL.md')
    .sort()
    .map((file) => path.join(folder, file));
}

function specimens(folder: string): readonly Specimen[] {
  return skillFiles(folder).map((file) => {
    const { verdict, findings } = scanSkill([{ path: 'SKILL.md', bytes: readFileSync(file) }]);
    const [owner = ''] = path.relative(folder, file).split(path.sep);
    const name = path.relative(folder, path.dirname(file));
    return {
      name,
      owner,
      verdict,
      rules: [...new Set(findings.map(({ rule, severity }) => `${rule} (${severity})`))],
    };
  });
}

const ratio = (part: number, whole: number) => (whole === 0 ? '-' : (part / whole).toFixed(3));

function quality(malicious: readonly Specimen[], benign: readonly Specimen[]): void {
  for (const [tier, verdicts] of [
    ['block', ['block']],
    ['block or review', ['block', 'review']],
  ] as const) {
    const flagged = (all: readonly Specimen[]) =>
      all.filter(({ verdict }) => verdicts.some((each) => each === verdict)).length;
    const hits = flagged(malicious);
    const falls = flagged(benign);
    const precision = hits / (hits + falls);
    const recall = hits / malicious.length;
    const f1 = (2 * precision * recall) / (precision + recall);
    print(
      `  ${tier.padEnd(16)} precision ${precision.toFixed(3)}  recall ${recall.toFixed(3)}  F1 ${f1.toFixed(3)}`,
    );
  }
  for (const { name, rules } of benign.filter(({ verdict }) => verdict !== 'clean'))
    print(`  false: ${name}  ${rules.join(', ')}`);
  for (const { name, rules } of malicious.filter(({ verdict }) => verdict === 'clean'))
    print(`  missed: ${name}  ${rules.join(', ')}`);
}

function falsePositives(all: readonly Specimen[]): void {
  const owners = [...new Set(all.map(({ owner }) => owner))];
  const blocked = all.filter(({ verdict }) => verdict === 'block');
  for (const owner of owners) {
    const own = all.filter((each) => each.owner === owner);
    const count = (verdict: ScanVerdict) => own.filter((each) => each.verdict === verdict).length;
    print(
      `  ${owner.padEnd(42)} block ${ratio(count('block'), own.length)}  review ${ratio(count('review'), own.length)}  of ${own.length}`,
    );
  }
  print(`  all: block ${ratio(blocked.length, all.length)} of ${all.length}`);
  for (const { name, rules } of blocked) print(`  blocked: ${name}  ${rules.join(', ')}`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

const labelled = process.env['COLIBRI_SCAN_DATA'];
const real = process.env['COLIBRI_SKILLS_DATA'];
if (labelled === undefined && real === undefined) {
  print(
    'set COLIBRI_SCAN_DATA to labelled specimens, or COLIBRI_SKILLS_DATA to a folder of real skills; docs/scan.md tells more',
  );
  process.exitCode = 2;
}
if (labelled !== undefined) {
  const base = path.join(labelled, 'skillfortifybench', 'claude');
  if (!existsSync(base)) throw new Error(`no specimens in ${base}`);
  print('labelled, synthetic specimens');
  quality(specimens(path.join(base, 'malicious')), specimens(path.join(base, 'benign')));
  print(
    'others, static mode: recall and false positives on the same kind; precision, recall, F1 on 100 + 100 real skills',
  );
  for (const [name = '', recall, falls, onReal] of OTHERS)
    print(`  ${name.padEnd(42)} ${recall} / ${falls}   ${onReal}`);
}
if (real !== undefined) {
  print('real skills, taken as harmless');
  falsePositives(specimens(real));
}
