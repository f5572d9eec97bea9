/** Other tools for the same job, from npm, on the same skills. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';

import { messageOf } from '../../src/lib/errors.ts';
import { best, COLIBRI, cleanEnvironment, timeProcess } from './measure.ts';
import { shown } from './row.ts';
import type { World } from './world.ts';

interface Peer {
  /** With the version: the last that runs on Node 20. */
  readonly name: string;
  readonly program: string;
  readonly words: readonly string[];
  /** Where it looks for skills, below the project. */
  readonly folder: string;
}

const PEERS: readonly Peer[] = [
  {
    name: 'skills@1.5.18',
    program: 'skills/bin/cli.mjs',
    words: ['list', '--json'],
    folder: '.agents/skills',
  },
  { name: 'openskills@1.5.0', program: 'openskills/dist/cli.js', words: ['list'], folder: '.claude/skills' },
  { name: 'skillfish@1.0.39', program: 'skillfish/dist/index.js', words: ['list'], folder: '.claude/skills' },
];

const SKILLS = 1_000;
const RUNS = 3;
const INSTALL_MS_MAX = 120_000;

export interface PeerResult {
  readonly name: string;
  /** Null: it could not be installed or started; `note` says why. */
  readonly cpuMs: number | null;
  readonly wallMs: number | null;
  readonly note: string;
}

/** `list` of the same skills by each of them, ours first. */
export async function comparePeers(world: World): Promise<readonly PeerResult[]> {
  const { workspace, home, database } = world.place(SKILLS);
  const ours = [COLIBRI, 'list', '--db', database];
  timeProcess([process.execPath, ...ours], { cwd: workspace, home });
  const results = [await measured('colibri', ours, { cwd: workspace, home })];
  for (const peer of PEERS) results.push(await runPeer(world, peer));
  return results;
}

async function runPeer(world: World, peer: Peer): Promise<PeerResult> {
  const project = path.join(world.folder, 'peers', peer.name);
  const skills = path.join(project, peer.folder);
  mkdirSync(path.dirname(skills), { recursive: true });
  cpSync(path.join(world.place(SKILLS).workspace, '.agents/skills'), skills, { recursive: true });
  try {
    const npm = ['install', '--prefix', project, '--no-audit', '--no-fund', '--loglevel=error', peer.name];
    execFileSync('npm', npm, { cwd: project, stdio: 'ignore', timeout: INSTALL_MS_MAX });
  } catch (error) {
    return absent(peer, `could not be installed: ${messageOf(error).split('\n')[0]}`);
  }
  const program = path.join(project, 'node_modules', peer.program);
  if (!existsSync(program)) return absent(peer, `has no ${peer.program}`);
  return measured(peer.name, [program, ...peer.words], { cwd: project, home: world.place(SKILLS).home });
}

function absent({ name }: Peer, note: string): PeerResult {
  return { name, cpuMs: null, wallMs: null, note };
}

async function measured(
  name: string,
  command: readonly string[],
  place: { readonly cwd: string; readonly home: string },
): Promise<PeerResult> {
  const output = execFileSync(process.execPath, command, {
    cwd: place.cwd,
    env: cleanEnvironment(place.home),
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 256 * 1024 * 1024,
  });
  const { cpuMs = 0, wallMs = 0 } = await best(RUNS, async () =>
    timeProcess([process.execPath, ...command], place),
  );
  return { name, cpuMs, wallMs, note: `${shown(output.length / 1024, 'KB')} printed` };
}
