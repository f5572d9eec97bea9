/** Which skills are switched on: for the workspace, and in a profile that an agent may choose. Pure. */
import { ColibriError } from '../../lib/errors.ts';
import { matchesGlob } from '../policy/glob.ts';

/** A named choice of skills, by name or by glob. */
export interface SkillProfile {
  /** Only these; all when it is empty. */
  readonly enable: readonly string[];
  /** But not these. */
  readonly disable: readonly string[];
}

/** What counts for one viewer. Part of a session's record, so that a replay sees the same skills. */
export interface Switches {
  readonly disabled: readonly string[];
  readonly profile: ({ readonly name: string } & SkillProfile) | null;
}

/** `colibri.skills.json`. */
export interface SwitchFile {
  readonly disabled: readonly string[];
  /** The profile of whoever chooses none. */
  readonly profile: string | null;
  readonly profiles: Readonly<Record<string, SkillProfile>>;
}

export const SWITCH_FILE = 'colibri.skills.json';
export const NO_SWITCHES: SwitchFile = { disabled: [], profile: null, profiles: {} };

/** More patterns than anybody can follow. */
const PATTERNS_MAX = 1000;
const PROFILES_MAX = 50;
const PATTERN = /^[a-z0-9*][a-z0-9*-]{0,63}$/;
const PROFILE_NAME = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;

export function isOn(name: string, switches: Switches): boolean {
  return whyOff(name, switches) === null;
}

/** What switches a skill off, in words; null when it is on. */
export function whyOff(name: string, { disabled, profile }: Switches): string | null {
  const pattern = disabled.find((each) => matchesGlob(each, name));
  if (pattern !== undefined) return `disabled here by \`${pattern}\``;
  if (profile === null) return null;
  if (profile.disable.some((each) => matchesGlob(each, name))) return `off in the profile ${profile.name}`;
  const among = profile.enable.length === 0 || profile.enable.some((each) => matchesGlob(each, name));
  return among ? null : `not in the profile ${profile.name}`;
}

/** What counts under a profile: the one named, else the one in use. */
export function switchesOf(file: SwitchFile, named?: string): Switches {
  const name = named ?? file.profile;
  if (name === null) return { disabled: file.disabled, profile: null };
  return { disabled: file.disabled, profile: { name, ...requireProfile(file, name) } };
}

export function requireProfile({ profiles }: SwitchFile, name: string): SkillProfile {
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (profile !== undefined) return profile;
  const known = Object.keys(profiles);
  const hint = known.length === 0 ? '`colibri profile create` makes one' : `there are ${known.join(', ')}`;
  throw new ColibriError(
    'SKILL_PROFILE_NOT_FOUND',
    `no profile of skills is called ${JSON.stringify(name)}; ${hint}`,
    { name },
  );
}

export function checkPattern(pattern: string): string {
  if (PATTERN.test(pattern)) return pattern;
  throw new ColibriError(
    'USAGE',
    `${JSON.stringify(pattern)} is no name of a skill and no pattern such as \`pdf-*\``,
  );
}

export function checkProfileName(name: string): string {
  if (PROFILE_NAME.test(name) && name.length <= 64) return name;
  throw new ColibriError(
    'USAGE',
    `${JSON.stringify(name)} is no name for a profile; use lower case, digits and hyphens`,
  );
}

export function parseSwitchFile(text: string): SwitchFile {
  const value = parseJson(text);
  if (!isRecord(value)) return refuse('it must be a JSON object');
  const unknown = Object.keys(value).find((key) => !['disabled', 'profile', 'profiles'].includes(key));
  if (unknown !== undefined) return refuse(`there is no field ${unknown}`);
  const { disabled = [], profile = null, profiles = {} } = value;
  if (profile !== null && typeof profile !== 'string') return refuse('profile must be the name of one');
  if (!isRecord(profiles) || Object.keys(profiles).length > PROFILES_MAX)
    return refuse(`profiles must be an object with at most ${PROFILES_MAX} of them`);
  const parsed = Object.entries(profiles).map(([name, each]) => {
    if (!PROFILE_NAME.test(name) || !isRecord(each)) return refuse(`profiles.${name} is no profile`);
    const { enable = [], disable = [] } = each;
    return [name, { enable: patterns(enable, name), disable: patterns(disable, name) }] as const;
  });
  return { disabled: patterns(disabled, 'disabled'), profile, profiles: Object.fromEntries(parsed) };
}

export function formatSwitchFile(file: SwitchFile): string {
  return `${JSON.stringify(file, null, 2)}\n`;
}

function patterns(value: unknown, where: string): readonly string[] {
  const fits = Array.isArray(value) && value.length <= PATTERNS_MAX && value.every(isPattern);
  return fits ? value : refuse(`${where} must be a list of names of skills or patterns such as "pdf-*"`);
}

function isPattern(value: unknown): value is string {
  return typeof value === 'string' && PATTERN.test(value);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return refuse('it is no JSON');
  }
}

function refuse(what: string): never {
  throw new ColibriError('CONFIG_INVALID', `${SWITCH_FILE} cannot be used: ${what}; mend it or remove it`, {
    file: SWITCH_FILE,
  });
}
