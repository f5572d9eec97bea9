/**
 * What a session promises: the behaviours of the session specification (`M-…`) and the tests that the skills contract
 * requires (`O-…`), and what agents promise (`C1-…`), in short. Tests cite them with `req`; `requirements.test.ts` holds the two together.
 */
export const REQUIREMENTS = {
  'M-discovery-1':
    'the catalog has one heading, one hint and one line `- name: description` per skill, by name',
  'M-discovery-2': 'bodies are never part of the catalog, unless they were preloaded',
  'M-discovery-3': 'without skills there is no catalog text at all',
  'M-discovery-4': 'the catalog is the same bytes every time it is asked for',
  'M-search-1': 'a query is trimmed and its case does not matter',
  'M-search-2': 'a match in the name outranks one in the description; both together outrank either',
  'M-search-3': 'skills that match nowhere are left out',
  'M-search-4': 'equal scores are put in order of name',
  'M-search-5': 'an empty query lists the first skills by name',
  'M-search-6': 'the limit is kept: 10 by default, 1 to 50',
  'M-search-7': 'no match is an answer, not an error',
  'M-search-8': 'without configured skills a search is an error that says so',
  'M-search-9': 'the answer is one text, with query, count and names beside it',
  'M-search-10': 'a search leaves no event of its own',
  'M-load-1': 'the body comes behind a heading with name and source',
  'M-load-2': 'a name that is not there is an error that names it',
  'M-load-3': 'without configured skills a load is an error that says so',
  'M-load-4': 'a load that returns a body emits exactly one skill.loaded, on demand, with the id of the call',
  'M-load-5': 'the event records which source served the skill',
  'M-load-6': 'loading again returns a pointer: no event, no budget, already_loaded',
  'M-load-7': 'loading a preloaded skill returns a pointer: no event, no budget, already_preloaded',
  'M-load-8': 'id, version, source and size stand beside the text',
  'M-load-9': 'a load changes no file and emits nothing but skill.loaded',
  'M-activation-1':
    'a session starts with nothing loaded; loads are kept in their order with their sum of tokens',
  'M-activation-2': 'the fourth explicit load fails: the activation budget is exhausted',
  'M-activation-3': 'a load past the token cap fails; one that reaches it exactly does not',
  'M-activation-4': 'a failed load emits no skill.loaded and exactly one tool.failed',
  'M-activation-5': 'the warning about tokens comes once',
  'M-activation-6': 'what was loaded stays loaded for the rest of the session',
  'M-preload-1': 'bodies are put in by name, whole, until the floor is reached and never past the ceiling',
  'M-preload-2': 'nothing is put in when the prefix is above the floor already',
  'M-preload-3': 'the line of a preloaded skill is marked [preloaded]',
  'M-preload-4':
    'each preloaded body emits one skill.loaded, always, without an id of a call, before anything else',
  'M-preload-5': 'preloaded bodies use no budget',
  'M-preload-6': 'the prefix is the same bytes every time',
  'M-property-1':
    'the version is the beginning of the sha256 of the body: stable, and independent of the description',
  'M-property-2': 'tokens are a quarter of the characters of the body, at least 1',
  'M-invariant-1': 'a session keeps the skills it was opened with, whatever happens to the files',
  'M-invariant-2': 'a workspace skill stands in for a global one of the same name',
  'M-invariant-3': 'every skill.loaded carries the source',
  'M-invariant-4': 'one bad skill does not keep the others from a session',
  'M-invariant-5': 'the same files give the same skills with the same versions',
  'M-cache-1': 'editing a body never changes the catalog',
  'M-cache-2': 'adding, removing or describing a skill anew always does',
  'M-tool-1': 'the tools refuse keys they do not know',
  'M-tool-2': 'both tools are marked as reading only',
  'M-tool-3': 'a name has 1 to 64 characters',
  'M-event-1': 'skill.loaded has the agreed members, and never the body',
  'M-event-2': 'skill.loaded is pseudonymous',
  'M-event-3': 'a payload that does not fit its type is refused',
  'M-event-4': 'an event that cannot be recorded is told to the caller',
  'O-contract-1': 'unknown frontmatter is kept and recorded with the load',
  'O-contract-2': 'collisions and order are decided the same way every time',
  'O-contract-3': 'the catalog tells names and descriptions; the text of a skill comes only with a load',
  'O-contract-4': 'other files are read only by an explicit call, with their digest',
  'O-contract-5': 'every door gives the same answers and the same events',
  'O-replay-1': 'the same files and calls give the same catalog and the same events',
  'O-replay-2': 'a session is replayed equal after its skills were edited, moved or deleted',
  'O-replay-3': 'a replay says what differs first, and where',
  'O-replay-4': 'a session with failures, overlapping calls or a call that was cut off is replayed equal',
  'C1-agent-1': 'an agent moves along eight edges; code and database refuse every other pair',
  'C1-agent-2': 'each step of an agent is one transaction with its audit row and its event',
  'C1-agent-3': 'an agent is READY only with the tools that its skills need',
  'C1-agent-4': 'an agent that wrote nothing back is not TERMINATED',
  'C1-spawn-1': 'seven values are injected: in the environment and as one line on stdin',
  'C1-spawn-2': 'an agent works in a worktree of its own, on feature/<slug>',
  'C1-spawn-3': 'nothing of an agent runs after its end',
  'C1-profile-1': 'a profile has skills, permissions, limits and history',
  'C1-profile-2': 'the history of a profile changes with the end of a run, in the same transaction',
  'O-benchmark-1': 'any number of sessions share one snapshot of the catalog',
} as const;

export type RequirementId = keyof typeof REQUIREMENTS;

/** The title of a test that proves these. */
export function req(ids: RequirementId | readonly RequirementId[], title: string): string {
  return `${title} [${[ids].flat().join(', ')}]`;
}
