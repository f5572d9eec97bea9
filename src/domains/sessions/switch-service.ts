/** Switching skills on and off without touching them: kept in a file of the workspace, read again whenever it has changed. */
import path from 'node:path';

import { replaceFile } from '../../lib/durable-file.ts';
import { ColibriError, messageOf, systemCodeOf } from '../../lib/errors.ts';
import { fileMark } from '../../lib/file-mark.ts';
import { readRegularFile } from '../../lib/regular-file.ts';
import {
  checkPattern,
  checkProfileName,
  formatSwitchFile,
  NO_SWITCHES,
  parseSwitchFile,
  requireProfile,
  type SkillProfile,
  SWITCH_FILE,
  type Switches,
  type SwitchFile,
  switchesOf,
  whyOff,
} from './switches.ts';

export interface DisabledSkill {
  readonly name: string;
  readonly why: string;
}

export interface SwitchService {
  file(): SwitchFile;
  /** What counts for whoever names a profile, or none. */
  current(profile?: string): Switches;
  /** Indexed skills that are off, and why. */
  off(profile?: string): readonly DisabledSkill[];
  /** Names or globs; a name must be that of an indexed skill. */
  disable(patterns: readonly string[]): readonly DisabledSkill[];
  enable(patterns: readonly string[]): readonly DisabledSkill[];
  putProfile(name: string, profile: SkillProfile): void;
  removeProfile(name: string): void;
  /** Null: none. */
  useProfile(name: string | null): void;
}

/** The skills that there are. */
export interface SwitchedSkills {
  names(): readonly string[];
  /** Throws when there is none of that name. */
  require(name: string): unknown;
}

const SWITCH_BYTES_MAX = 256 * 1024;

export function createSwitchService({
  workspace,
  skills,
}: {
  readonly workspace: string;
  readonly skills: SwitchedSkills;
}): SwitchService {
  const place = path.join(workspace, SWITCH_FILE);
  let known: { readonly mark: string; readonly file: SwitchFile } | null = null;
  const file = (): SwitchFile => {
    const mark = fileMark(place);
    if (known?.mark !== mark) known = { mark, file: readFile(place) };
    return known.file;
  };
  const current = (profile?: string) => switchesOf(file(), profile);
  const off = (profile?: string) => {
    const switches = current(profile);
    // The usual case, told without the names.
    return switches.disabled.length === 0 && switches.profile === null
      ? []
      : offNames(skills.names(), switches);
  };
  const change = (next: SwitchFile) => writeFile(place, next);
  return {
    file,
    current,
    off,
    disable(patterns) {
      for (const pattern of patterns.map(checkPattern)) if (!pattern.includes('*')) skills.require(pattern);
      change({ ...file(), disabled: [...new Set([...file().disabled, ...patterns])].sort() });
      return off();
    },
    enable(patterns) {
      const { disabled } = file();
      change({ ...file(), disabled: disabled.filter((each) => !patterns.includes(each)) });
      refuseStillOff(patterns.map(checkPattern), current());
      return off();
    },
    putProfile(name, { enable, disable }) {
      for (const pattern of [...enable, ...disable]) checkPattern(pattern);
      change({ ...file(), profiles: { ...file().profiles, [checkProfileName(name)]: { enable, disable } } });
    },
    removeProfile(name) {
      requireProfile(file(), name);
      const { [name]: _, ...profiles } = file().profiles;
      change({ ...file(), profiles, profile: file().profile === name ? null : file().profile });
    },
    useProfile(name) {
      if (name !== null) requireProfile(file(), name);
      change({ ...file(), profile: name });
    },
  };
}

function offNames(names: readonly string[], switches: Switches): readonly DisabledSkill[] {
  return names.flatMap((name) => {
    const why = whyOff(name, switches);
    return why === null ? [] : [{ name, why }];
  });
}

/** Taking a name off the list does not help while a pattern or the profile keeps it off; that must not go unsaid. */
function refuseStillOff(patterns: readonly string[], switches: Switches): void {
  for (const name of patterns.filter((pattern) => !pattern.includes('*'))) {
    const why = whyOff(name, switches);
    if (why !== null)
      throw new ColibriError('USAGE', `${name} stays off: it is ${why}; change that first`, { name });
  }
}

function readFile(place: string): SwitchFile {
  try {
    const read = readRegularFile(place, SWITCH_BYTES_MAX);
    if (read.ok) return parseSwitchFile(read.bytes.toString('utf8'));
    throw new ColibriError('CONFIG_INVALID', `${SWITCH_FILE} cannot be read: it is ${read.reason}`);
  } catch (error) {
    if (error instanceof ColibriError) throw error;
    if (systemCodeOf(error) === 'ENOENT') return NO_SWITCHES;
    throw new ColibriError('CONFIG_INVALID', `${SWITCH_FILE} cannot be read: ${messageOf(error)}`);
  }
}

function writeFile(place: string, file: SwitchFile): void {
  try {
    replaceFile(place, formatSwitchFile(file));
  } catch (error) {
    throw new ColibriError('WRITE_FAILED', `${SWITCH_FILE} could not be written: ${messageOf(error)}`);
  }
}
