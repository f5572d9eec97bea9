/** Where other code comes from, and whose name it bears. */
import { isOneSlip } from '../../one-slip.ts';
import { EVERYWHERE, type Hit, RUNNABLE, type ScannedSkill, type ScanRule } from '../scan-rule.ts';

/** Names that everybody knows and that others are made to resemble. */
const KNOWN_NAMES: readonly string[] = [
  'webapp-testing',
  'mcp-builder',
  'skill-creator',
  'frontend-design',
  'canvas-design',
  'algorithmic-art',
  'brand-guidelines',
  'internal-comms',
  'theme-factory',
  'web-artifacts-builder',
  'doc-coauthoring',
  'test-driven-development',
  'systematic-debugging',
  'requesting-code-review',
  'code-review',
  'json-parser',
  'requests-helper',
  'config-validator',
  'release-notes',
  'data-analysis',
  'github',
  'kubernetes',
  'terraform',
  'playwright',
  'clawhub',
  'openclaw',
  'anthropic',
  'postgres',
  'polymarket',
  'metamask',
  'solana',
];

export const SUPPLY_CHAIN: readonly ScanRule[] = [
  {
    kind: 'line',
    id: 'foreign-package-source',
    severity: 'high',
    title: 'installs packages from a source of its own',
    why: 'an extra index or a plain http source can answer for any package name',
    fix: 'use the public registry, or pin the package by hash',
    where: EVERYWHERE,
    match: [
      /\bpip3?\s{1,4}install\b[^\n]{0,160}(?:--extra-index-url|--index-url|-i)\s{1,3}http:/i,
      /\bpip3?\s{1,4}install\b[^\n]{0,160}--trusted-host\b/i,
      /\bnpm\s{1,4}(?:install|i)\b[^\n]{0,120}(?:--registry[= ]http:|\shttps?:\/\/[^\s]{4,160}\.tgz)/i,
      /\bpip3?\s{1,4}install\s{1,4}(?:-\w{1,3}\s{1,3})?["']?http:\/\//i,
    ],
    unless: [/download\.pytorch\.org|localhost|127\.0\.0\.1|pypi\.nvidia\.com/i],
    bad: ['```bash\npip install tool --index-url http://pkgs.host.dev/simple\n```'],
    good: ['```bash\npip install torch --index-url https://download.pytorch.org/whl/cpu\n```'],
  },
  {
    kind: 'line',
    id: 'internal-package',
    severity: 'medium',
    title: 'wants a package by the name of an internal one',
    why: 'whoever registers that name in public is installed instead',
    fix: 'name the index it comes from, and pin it by hash',
    where: EVERYWHERE,
    match: [
      /\binstall\b[^\n]{0,30}\bfrom (?:the |your |an )?(?:internal|private|corporate|company)\s{1,3}(?:registry|index|repository|pypi|npm)\b/i,
      /\b(?:wrapper|client|bindings?) for (?:the )?internal package\b/i,
    ],
    bad: ['Install from internal registry before use.'],
    good: ['Install it from npm.'],
  },
  {
    kind: 'line',
    id: 'unpinned-latest',
    severity: 'low',
    title: 'runs the latest version of a package, whatever it is by then',
    why: 'tomorrow it is another program',
    fix: 'pin the version',
    where: ['script', 'data'],
    match: [/\b(?:npx|bunx|uvx|pnpm\s{1,3}dlx)\s{1,4}(?:-y\s{1,4}|--yes\s{1,4})[@\w/.-]{2,80}@latest\b/],
    bad: [],
    good: ['```bash\nnpx -y prettier@3.6.2 .\n```'],
  },
  {
    kind: 'skill',
    id: 'lookalike-name',
    severity: 'medium',
    title: 'has a name one slip away from a well-known one',
    why: 'it is found and taken by mistake',
    fix: 'choose a name of its own',
    find: lookalike,
    bad: ['---\nname: webbapp-testing\ndescription: Tests.\n---\nx'],
    good: [
      '---\nname: webapp-testing\ndescription: Tests.\n---\nx',
      '---\nname: code-reviewer\ndescription: Reviews.\n---\nx',
    ],
  },
  {
    kind: 'line',
    id: 'install-script',
    severity: 'high',
    title: 'runs a download in the install step of a package',
    why: 'it runs as soon as somebody installs the dependencies',
    fix: 'remove the step',
    where: ['data', 'script'],
    match: [
      /"(?:pre|post)?install"\s{0,3}:\s{0,3}"[^"\n]{0,120}(?:curl|wget|https?:|node\s{1,3}-e|base64|powershell)/i,
    ],
    bad: [],
    good: ['```json\n{ "scripts": { "postinstall": "husky" } }\n```'],
  },
  {
    kind: 'line',
    id: 'installs-other-skills',
    severity: 'medium',
    title: 'installs further skills or servers by itself',
    why: 'what they contain was not reviewed with this one',
    fix: 'name them and let the user install them',
    where: RUNNABLE,
    match: [
      /\b(?:npx\s{1,3})?clawhub(?:@latest)?\s{1,4}install\b[^\n]{0,60}--force/,
      /\bclaude\s{1,3}mcp\s{1,3}add\b[^\n]{0,120}https?:\/\/(?!localhost|127\.)/,
    ],
    bad: ['```bash\nnpx clawhub install helper --force\n```'],
    good: ['```bash\nclawhub install helper\n```'],
  },
];

function lookalike({ frontmatter }: ScannedSkill): readonly Hit[] {
  const name = String(frontmatter['name'] ?? '').slice(0, 64);
  if (KNOWN_NAMES.includes(name)) return [];
  const twin = KNOWN_NAMES.find((known) => known.length >= 6 && isOneSlip(name, known));
  return twin === undefined ? [] : [{ file: 'SKILL.md', line: 2, quote: `${name} resembles ${twin}` }];
}
