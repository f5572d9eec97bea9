// Written by `npm run web:contract` from the OpenAPI document; a test holds the two together.
export interface Problem {
  /** names the kind of problem */
  type: string;
  /** what the code means */
  title: string;
  status: number;
  /** what went wrong, and how to mend it */
  detail: string;
  /** one of docs/errors.md */
  code: string;
}

export interface Status {
  version: string;
  workspace: string;
  /** grows with every change of the catalog */
  generation: number;
  /** why the index is that of an earlier scan */
  stale: string | null;
  skills: number;
  shadowed: number;
  rejected: number;
  /** of the rejected, those that the lenient profile would load */
  lenient_ok: number;
  aliases: number;
  roots: {
    path: string;
    source: "workspace" | "global" | "mirror" | "repo";
    profile: string;
    depth: number;
  }[];
  /** sequence number of the newest event */
  last_event: number;
}

export interface Settings {
  settings: {
    key: string;
    value: string;
    from: string;
  }[];
}

export interface SearchAnswer {
  query: string;
  items: SearchHit[];
}

export interface SearchHit {
  name: string;
  source: string;
  description: string;
  score: number;
  why: string;
}

export interface MatchAnswer {
  task: string;
  items: SearchHit[];
}

export interface Switches {
  in_use: string | null;
  profiles: {
    name: string;
    enable: string[];
    disable: string[];
  }[];
  off: {
    name: string;
    why: string;
  }[];
}

export interface Catalog {
  text: string;
  tokens: number;
  shown: number;
  dropped: number;
  /** skills that are reachable by search only */
  left_out: string[];
  descriptions_cut_to: number | null;
  preloaded: string[];
}

export interface SkillPage {
  items: SkillLine[];
  /** hand it back as `cursor`; null on the last page */
  next: string | null;
  total: number;
}

export interface SkillLine {
  name: string;
  version: string | null;
  description: string;
  source: "workspace" | "global" | "mirror" | "repo";
  root: string;
  path: string;
  tier: 1 | 2 | 3;
  invokable_by: ("T0" | "T1" | "T2" | "T3" | "T4")[];
  capabilities: string[];
  category: string | null;
  /** estimated cost of a load */
  body_tokens: number;
  /** estimated cost of its line in a catalog */
  catalog_tokens: number;
  model_invocable: boolean;
  user_invocable: boolean;
  warnings: number;
  /** other skills of this name, which it shadows */
  copies: number;
  digest: string;
}

export interface Skill {
  name: string;
  version: string | null;
  description: string;
  source: "workspace" | "global" | "mirror" | "repo";
  root: string;
  path: string;
  tier: 1 | 2 | 3;
  invokable_by: ("T0" | "T1" | "T2" | "T3" | "T4")[];
  capabilities: string[];
  category: string | null;
  /** estimated cost of a load */
  body_tokens: number;
  /** estimated cost of its line in a catalog */
  catalog_tokens: number;
  model_invocable: boolean;
  user_invocable: boolean;
  digest: string;
  directory: string;
  license: string | null;
  compatibility: string | null;
  allowed_tools: string[];
  disallowed_tools: string[];
  required_tools: string[];
  triggers: string[];
  verification: string[];
  body_version: string;
  loaded_at: string;
  diagnostics: Diagnostic[];
  frontmatter: Partial<Record<string, any>>;
  body: string;
  trusted: boolean;
  trust_reason: string;
  effective_tools: EffectiveTool[];
  /** links that lead to it */
  aliases: string[];
}

export interface Diagnostic {
  code: string;
  severity: "error" | "warning";
  /** what is wrong and how to mend it */
  message: string;
  file: string;
  field?: string;
  line?: number;
}

export interface EffectiveTool {
  pattern: string;
  effect: "allow" | "ask" | "deny";
  why: string;
}

export interface SkillFiles {
  items: SkillFile[];
}

export interface SkillFile {
  path: string;
  size: number;
  /** sha256; empty for what cannot be read */
  digest: string;
  kind: "file" | "large" | "link" | "special";
}

export interface SkillFileContent {
  path: string;
  encoding: "utf8" | "base64";
  content: string;
}

export interface SkillCopies {
  items: SkillCopy[];
}

export interface SkillCopy {
  path: string;
  source: string;
  root: string;
  directory: string;
  version: string | null;
  digest: string;
  /** why the other copy has the name */
  rule: string;
  same_content: boolean;
  /** its SKILL.md; null when it cannot be read */
  text: string | null;
}

export interface SkillLoads {
  items: SkillLoad[];
}

export interface SkillLoad {
  session_id: string;
  opened_at: string;
  agent_id: string | null;
  agent_tier: string;
  reason: string;
  tokens: number;
  digest: string;
}

export interface ReloadReport {
  changed: boolean;
  skills: number;
}

export interface SessionPage {
  items: SessionLine[];
  /** hand it back as `cursor`; null on the last page */
  next: string | null;
}

export interface SessionLine {
  id: string;
  opened_at: string;
  closed_at: string | null;
  agent_tier: string;
  agent_id: string | null;
  generation: number;
  loads: number;
  tokens: number;
}

export interface Session {
  id: string;
  opened_at: string;
  closed_at: string | null;
  generation: number;
  options: Partial<Record<string, any>>;
  loaded: {
    name: string;
    reason: string;
    tokens: number;
    digest: string;
    /** false for what uses no budget */
    counted: boolean;
  }[];
}

export interface SessionEvents {
  items: Event[];
}

export interface Event {
  /** global, without gaps */
  seq: number;
  id: string;
  stream: string;
  session_id: string | null;
  type: string;
  at: string;
  actor: string;
  parent_id: string | null;
  payload: any;
  sensitivity: "public" | "pseudonymous" | "private";
  prev_hash: string;
  hash: string;
}

export interface SessionCatalog {
  text: string;
  shown: number;
  dropped: number;
}

export interface ReplayReport {
  session: string;
  mode: "recorded" | "live";
  events: number;
  equal: boolean;
  difference: {
    event: number;
    type: string;
    where: string;
    recorded: string;
    replayed: string;
  } | null;
  /** calls whose recorded outcome was taken as given */
  taken: string[];
}

export interface EventPage {
  items: Event[];
  /** hand it back as `after`, or as `before` with `newest` */
  next: number | null;
}

export interface ChainReport {
  events: number;
  broken: {
    seq: number;
    stream: string;
    problem: string;
  } | null;
}

export interface Policy {
  /** null: there is none, so the default profile is in force */
  file: string | null;
  /** while there is one, everything is denied */
  problem: string | null;
  /** the profile in force */
  use: string;
  profiles: {
    name: string;
    rules: PolicyRule[];
  }[];
  network: "none" | "host";
  unsandboxed: boolean;
}

export interface PolicyRule {
  effect: "allow" | "ask" | "deny";
  tool: string;
  skill: string | null;
  agent_tier: ("T0" | "T1" | "T2" | "T3" | "T4")[] | null;
  root: string | null;
  widen: boolean;
  reason: string | null;
}

export interface Explanation {
  tool: string;
  argument: string | null;
  skill: string | null;
  agent_tier: "T0" | "T1" | "T2" | "T3" | "T4";
  effect: "allow" | "ask" | "deny";
  profile: string;
  /** number of the rule that decided, counted from 1 */
  rule: number | null;
  reason: string;
  trusted: boolean;
  /** false while the policy file can only take away */
  vouched: boolean;
  effective_tools: EffectiveTool[];
}

export interface TrustList {
  items: TrustState[];
}

export interface TrustState {
  kind: "skill" | "file";
  name: string;
  trusted: boolean;
  why: string;
  reason: string;
  changes: {
    path: string;
    change: string;
  }[];
}

export interface Tasks {
  items: Task[];
}

export interface Task {
  id: string;
  slug: string;
  title: string;
  description: string;
  state:
    | "INIT"
    | "GATHER"
    | "ANALYZE"
    | "PLAN"
    | "APPLY"
    | "VERIFY"
    | "DONE"
    | "CANCELLED"
    | "BLOCKED";
  attempt: number;
  max_attempts: number;
  priority: number;
  agent_tier: string;
  pool: string;
  profile: string | null;
  strategy: string;
  required_skills: string[];
  required_tools: string[];
  progress: number;
  summary: string;
  agent_id: string | null;
  branch: string | null;
  head_sha: string | null;
  code: string | null;
  reason: string | null;
  created_at: string;
  updated_at: string;
  closed_at: string | null;
}

export interface TaskDetail {
  task: Task;
  skills: {
    name: string;
    version: string | null;
    digest: string;
  }[];
  checkpoints: {
    attempt: number;
    phase: string;
    status: string;
    head_sha: string | null;
    started_at: string;
    ended_at: string | null;
  }[];
  answers: {
    line: string;
    verdict: string;
    evidence: string;
  }[];
  updates: {
    at: string;
    status: string;
    progress: number;
    summary: string;
  }[];
  thoughts: {
    at: string;
    type: string;
    content: string;
    branch: string | null;
    commit_sha: string | null;
    tests_run: string[] | null;
    blockers: string[] | null;
  }[];
}

export interface PoolReport {
  strategy: string;
  chosen: string | null;
  empty: {
    code: string;
    reason: string;
  } | null;
  profiles: {
    profile: string;
    eligible: boolean;
    why: string;
    active: number;
    max: number;
  }[];
}

export interface Orphans {
  items: {
    agent_id: string;
    task_id: string;
    found_at: string;
  }[];
}

export interface Agents {
  items: Agent[];
}

export interface Agent {
  id: string;
  task_id: string;
  profile: string;
  pool: string;
  state: string;
  phase: string | null;
  worktree: string | null;
  branch: string | null;
  head_before: string | null;
  head_after: string | null;
  tokens_used: number;
  fail_code: string | null;
  fail_detail: string | null;
  created_at: string;
  started_at: string | null;
  ended_at: string | null;
}

export interface Profiles {
  items: Profile[];
}

export interface Profile {
  name: string;
  state: "usable" | "untrusted" | "shadowed" | "invalid";
  source: string;
  path: string;
  problem: string | null;
  description: string;
  agent_tier: string | null;
  pool: string | null;
  skills: string[];
  tools: string[];
  max_concurrent_tasks: number | null;
  active: number;
  total_runs: number;
  success_rate: number;
  avg_duration_ms: number;
}

export interface DriftReport {
  canonical: string[];
  mirrors: {
    root: string;
    exists: boolean;
    linked: boolean;
    in_step: number;
    links: number;
    findings: DriftFinding[];
  }[];
  /** findings in all */
  drift: number;
}

export interface DriftFinding {
  kind: "canonical-only" | "mirror-only" | "changed" | "unreadable";
  skill: string;
  reason: string | null;
  canonical: string | null;
  mirror: string | null;
  files: DriftFile[];
}

export interface DriftFile {
  path: string;
  change: "canonical-only" | "mirror-only" | "content" | "mode" | "kind";
  changed_by: "canonical" | "mirror" | "both" | null;
  canonical: {
    kind: string;
    size: number | null;
    mode: string | null;
    digest: string;
  } | null;
  mirror: {
    kind: string;
    size: number | null;
    mode: string | null;
    digest: string;
  } | null;
  fields: {
    field: string;
    canonical?: any;
    mirror?: any;
  }[];
  /** whether the text of a SKILL.md differs */
  body: boolean;
  diff:
    | (
        | {
            shown: true;
            text: string;
          }
        | {
            shown: false;
            why: string;
          }
      )
    | null;
}

export interface SyncPlan {
  mirrors: {
    root: string;
    linked: boolean;
    refused: string | null;
    skills: {
      skill: string;
      action: string;
      reason: string;
    }[];
  }[];
  /** skills that a sync would change */
  changed: number;
  /** skills that would still differ */
  kept: number;
}

export interface Hosts {
  hosts: {
    id: string;
    name: string;
    /** who wins there when two skills have one name */
    precedence: string;
    folders: {
      path: string;
      scope: string;
      exists: boolean;
    }[];
    skills: {
      state: string;
      name: string;
      directory: string;
      reason: string;
      notes: string[];
    }[];
  }[];
  differences: {
    skill: string;
    kinds: string[];
    unseen: string[];
  }[];
}

export interface Rounds {
  items: Round[];
}

export interface Round {
  id: string;
  name: string | null;
  started_at: string;
  started_by: string;
  digest: string;
  skills: number;
}

export interface RoundComparison {
  before: Round;
  after: Round | null;
  findings: {
    grade: string;
    change: string;
    skill: string;
    message: string;
    gained: string[];
    lost: string[];
  }[];
}

export interface RoundDetail {
  id: string;
  name: string | null;
  started_at: string;
  started_by: string;
  digest: string;
  skills: number;
  facts: {
    name: string;
    version: string | null;
    description: string;
    source: string;
    root: string;
    digest: string;
    tier: number;
    invokable_by: string[];
    allowed_tools: string[];
    disallowed_tools: string[];
    required_tools: string[];
    capabilities: string[];
    scripts: {
      path: string;
      digest: string;
    }[];
    tree_digest: string | null;
    network: {
      scripts: string[];
      texts: string[];
    };
  }[];
}

export interface DoctorReport {
  items: Finding[];
  totals: RegistryTotals;
}

export interface Finding {
  group: string;
  severity: "error" | "warning" | "info";
  code: string;
  skill: string | null;
  file: string;
  line: number | null;
  field: string | null;
  message: string;
  /** why it matters */
  why: string;
  /** what to do; null where the message says it */
  fix: string | null;
  /** whether `colibri doctor --fix` mends it */
  fixable: boolean;
}

export interface RegistryTotals {
  found: number;
  indexed: number;
  rejected: number;
  lenient_ok: number;
  shadowed: number;
  aliases: number;
  errors: number;
  warnings: number;
}

export interface ScanReport {
  items: ScannedSkill[];
  totals: ScanTotals;
}

export interface ScannedSkill {
  skill: string;
  directory: string;
  /** what an entry of the accept-list is bound to */
  digest: string;
  /** `clean` says that no rule has found anything serious, no more */
  verdict: "block" | "review" | "clean";
  findings: {
    rule: string;
    family: string;
    severity: "critical" | "high" | "medium" | "low";
    title: string;
    why: string;
    fix: string;
    file: string;
    line: number | null;
    /** what stands there, in short */
    quote: string;
    /** why it is accepted */
    accepted: string | null;
  }[];
  /** files that the scan could not look into */
  unread: string[];
}

export interface ScanTotals {
  skills: number;
  findings: number;
  accepted: number;
  block: number;
  review: number;
  clean: number;
}

export interface Proposals {
  items: ProposalLine[];
}

export interface ProposalLine {
  id: string;
  name: string;
  change: "new" | "changed";
  state: "waiting" | "accepted" | "rejected";
  reason: string;
  digest: string;
  /** `clean` says that no rule has found anything serious, no more */
  verdict: "block" | "review" | "clean";
  findings: ScanFinding[];
  proposed_by: string;
  session_id: string | null;
  proposed_at: string;
  decided_by: string | null;
  decided_at: string | null;
  note: string | null;
}

export interface ScanFinding {
  rule: string;
  family: string;
  severity: "critical" | "high" | "medium" | "low";
  title: string;
  why: string;
  fix: string;
  file: string;
  line: number | null;
  /** what stands there, in short */
  quote: string;
}

export interface Proposal {
  id: string;
  name: string;
  change: "new" | "changed";
  state: "waiting" | "accepted" | "rejected";
  reason: string;
  digest: string;
  /** `clean` says that no rule has found anything serious, no more */
  verdict: "block" | "review" | "clean";
  findings: ScanFinding[];
  proposed_by: string;
  session_id: string | null;
  proposed_at: string;
  decided_by: string | null;
  decided_at: string | null;
  note: string | null;
  changes: {
    path: string;
    /** null: the file is new */
    before: string | null;
    /** null: the file goes */
    text: string | null;
  }[];
  /** whether the skill has changed since; then it cannot be accepted */
  stale: boolean;
}

export interface Installed {
  ok: boolean;
  items: InstalledSkill[];
}

export interface InstalledSkill {
  name: string;
  /** `missing`: the whole folder is gone; `source`: the folder that it came from differs */
  state: "ok" | "changed" | "missing" | "source";
  source: string;
  commit: string | null;
  digest: string;
  differences: {
    path: string;
    change: "missing" | "added" | "changed" | "mode" | "not-a-file";
    expected: string | null;
    found: string | null;
  }[];
}

export interface Outdated {
  items: OutdatedSkill[];
}

export interface OutdatedSkill {
  name: string;
  state: "current" | "outdated" | "gone" | "failed";
  source: string;
  ref: string | null;
  commit: {
    from: string | null;
    to: string | null;
  };
  digest: {
    from: string;
    to: string | null;
  };
  /** why it failed, or what is gone */
  reason: string | null;
}
