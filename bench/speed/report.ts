/** The results as text for a terminal and as a page. */
import os from 'node:os';

import type { PeerResult } from './peers.ts';
import { type Row, shown } from './row.ts';

export interface Results {
  readonly rows: readonly Row[];
  readonly peers: readonly PeerResult[];
  readonly command: string;
  /** ISO-8601, of the end. */
  readonly at: string;
}

export function tableText(rows: readonly Row[]): string {
  const cells = rows.map((row) => [
    row.suite,
    row.what,
    row.ours,
    row.floor,
    ratioText(row),
    row.must,
    verdict(row),
  ]);
  const lines = [['suite', 'what', 'ours', 'floor', 'ratio', 'must', ''], ...cells];
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.max(...lines.map((line) => (line[column] ?? '').length)),
  );
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

export function pageText({ rows, peers, command, at }: Results): string {
  return [
    '# Benchmarks',
    '',
    `Written by \`${command}\`. Nothing here is typed by hand.`,
    '',
    `Measured ${at.slice(0, 10)} on ${os.cpus().length} × ${os.cpus()[0]?.model.trim() ?? 'unknown'}, ${Math.round(os.totalmem() / 2 ** 30)} GB, ${os.type()} ${os.release()}, Node ${process.version}; load average at the end ${os
      .loadavg()
      .map((load) => load.toFixed(1))
      .join(', ')}.`,
    '',
    'Every row is a ratio to a floor that is measured in the same run, on the same files: what Node itself needs for the same reading,',
    'or the bare MCP SDK. Times are processor time, but for starts, where they are what a person waits; the smallest of several runs.',
    'Calls are counted in fresh processes, 5,000 over stdio with 64 under way after 500 that do not count, 1,000 with 16 over HTTP; the middle',
    'of five. A page of the list is kept in memory while the index stays as it is, a skill is not. Absolute numbers are those of this machine; the',
    'ratios are what to compare. Skills are generated: about 4 KB each, always the same for the same number.',
    '',
    '![How far each result is from its floor, against the limit that is set for it](benchmarks.svg)',
    '',
    '| what | ours | floor | ratio | must | |',
    '|---|---|---|---|---|---|',
    ...rows.map(
      (row) =>
        `| ${row.what} | ${row.ours} | ${row.floor} | ${ratioText(row)} | ${row.must} | ${verdict(row)} |`,
    ),
    '',
    ...missedSection(rows),
    ...peerSection(peers),
    '## Run it',
    '',
    '```sh',
    'npm run bench                      # everything, up to 100,000 skills',
    'npm run bench -- --quick           # up to 10,000 skills',
    'npm run bench -- --only scan,start',
    'npm run bench -- --write           # and write this page',
    '```',
    '',
  ].join('\n');
}

function missedSection(rows: readonly Row[]): readonly string[] {
  const told = rows.filter(({ pass, why }) => !pass && why !== undefined);
  if (told.length === 0) return [];
  return ['## Missed, and why', '', ...told.map(({ what, why }) => `- ${what}: ${why}`), ''];
}

function peerSection(peers: readonly PeerResult[]): readonly string[] {
  if (peers.length === 0) return [];
  return [
    '## Others on the same skills',
    '',
    'Each lists the same 1,000 skills, as a whole process. Packages come from npm, in the last version that runs on this Node.',
    '',
    '| tool | CPU | wall | |',
    '|---|---|---|---|',
    ...peers.map(({ name, cpuMs, wallMs, note }) =>
      cpuMs === null || wallMs === null
        ? `| ${name} | – | – | absent: ${note} |`
        : `| ${name} | ${shown(cpuMs, 'ms')} | ${shown(wallMs, 'ms')} | ${note} |`,
    ),
    '',
  ];
}

function ratioText({ ratio }: Row): string {
  return ratio === null ? '–' : `${ratio.toFixed(2)}×`;
}

function verdict({ pass, must }: Row): string {
  if (must === '–') return '';
  return pass ? 'pass' : 'miss';
}
