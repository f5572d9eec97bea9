/** Reading what opens other doors. */
import { EVERYWHERE, RUNNABLE, type ScanRule } from '../scan-rule.ts';

/** Files that hold keys, wherever they stand. */
const KEY_FILES =
  '(?:\\.ssh\\/(?:id_(?:rsa|dsa|ecdsa|ed25519)|\\*|config|authorized_keys)|\\.aws\\/credentials|\\.config\\/gcloud\\/(?:credentials|application_default)|\\.azure\\/(?:accessTokens|msal)|\\.kube\\/config|\\.docker\\/config\\.json|\\.netrc|\\.npmrc|\\.pypirc|\\.git-credentials|\\.gnupg\\/|\\.config\\/gh\\/hosts|\\.(?:openclaw|clawdbot|moltbot)\\/(?:\\.env|openclaw\\.json|clawdbot\\.json|credentials)|\\.claude\\/\\.credentials|\\.codex\\/auth\\.json|\\/etc\\/shadow|\\.bash_history|\\.zsh_history)';
const READ =
  '(?:cat|less|head|tail|cp|scp|tar|zip|base64|xxd|grep|source|open|readFile(?:Sync)?|read_text|Path|Get-Content|type)';
const SECRET_NAME =
  '[A-Z][A-Z0-9_]{0,30}(?:SECRET|TOKEN|PASSWORD|PASSWD|PRIVATE_KEY|API_KEY|ACCESS_KEY|CREDENTIALS?)[A-Z0-9_]{0,16}|DATABASE_URL';

export const CREDENTIALS: readonly ScanRule[] = [
  {
    kind: 'line',
    id: 'reads-key-files',
    severity: 'high',
    title: 'reads a file of keys or passwords',
    why: 'these files open accounts that have nothing to do with the skill',
    fix: 'ask for the one value that is needed, through an environment variable of its own',
    where: RUNNABLE,
    match: [
      new RegExp(`\\b${READ}\\b[^\\n]{0,100}${KEY_FILES}`),
      new RegExp(`(?:expanduser|join|homedir|Path\\.home)\\([^\\n]{0,80}${KEY_FILES}`),
    ],
    unless: [
      /\bssh-(?:keygen|add|copy-id)\b|\.ssh\/(?:config|id_\w{3,8}\.pub)\b|\.kube\/config|\.docker\/config\.json|\.npmrc|\.pypirc|chmod|known_hosts/,
    ],
    bad: [
      '```bash\ncat ~/.ssh/id_rsa\n```',
      '```python\ndata = open(os.path.expanduser("~/.aws/credentials")).read()\n```',
    ],
    good: ['```bash\nssh-keygen -t ed25519 -f ~/.ssh/id_ed25519\n```', 'Keys live in ~/.aws/credentials.'],
  },
  {
    kind: 'line',
    id: 'reads-tool-settings',
    severity: 'low',
    title: 'reads the settings of another tool that may hold keys',
    why: 'tokens stand in such files beside harmless settings',
    fix: 'call the tool itself instead of reading its files',
    where: RUNNABLE,
    match: [
      /\b(?:cat|cp|open|readFile(?:Sync)?)\b[^\n]{0,80}(?:\.npmrc|\.pypirc|\.docker\/config\.json|\.kube\/config|\.netrc)/,
    ],
    bad: ['```bash\ncat ~/.npmrc\n```'],
    good: ['```bash\nkubectl config view --minify\n```'],
  },
  {
    kind: 'line',
    id: 'reads-browser-or-keychain',
    severity: 'critical',
    title: 'reads passwords or cookies of a browser, a keychain or a wallet',
    why: 'nothing but a stealer needs them',
    fix: 'remove it',
    where: EVERYWHERE,
    match: [
      /\bsecurity\s{1,4}(?:find-(?:generic|internet)-password|dump-keychain)\b[^\n]{0,60}(?:-w\b|-g\b|dump)/,
      /\b(?:Login Data|Cookies|Web Data|Local State)\b["'\s/\\,)]{0,6}[^\n]{0,60}(?:Chrome|Brave|Edge|Chromium|sqlite3|copy|cp\b)/,
      /(?:Chrome|Brave|Edge|Chromium|Firefox)[\w\s/\\.-]{0,60}[/\\](?:Login Data|Cookies|logins\.json|key4\.db)/i,
      /\b(?:Exodus|Electrum|MetaMask|Phantom|Atomic|Ledger Live)\b[^\n]{0,40}(?:wallet\.dat|keystore|leveldb|Local Extension Settings|seed\.seco)/i,
      /\b(?:cat|open|cp|read\w{0,8})\b[^\n]{0,40}(?:wallet\.dat|\.config\/solana\/id\.json|\.ethereum\/keystore)/,
    ],
    bad: [
      '```bash\nsecurity find-generic-password -s Chrome -w\n```',
      '```bash\ncp "$HOME/Library/Application Support/Google/Chrome/Default/Login Data" /tmp/l\n```',
    ],
    good: ['Set cookies with document.cookie.', 'The keychain item is created by the app itself.'],
  },
  {
    kind: 'line',
    id: 'collects-environment',
    severity: 'high',
    title: 'takes the whole environment',
    why: 'the environment holds the tokens of every tool that the user works with',
    fix: 'read the one variable that is needed, by name',
    where: RUNNABLE,
    match: [
      /\b(?:dict|list|str|json\.dumps)\(\s{0,3}(?:dict\(\s{0,3})?os\.environ\b(?!\s{0,3}[.[])/,
      /\bJSON\.stringify\(\s{0,3}process\.env\s{0,3}[,)]/,
      /\bos\.environ\.(?:copy|items)\(\)/,
      /(?:^|[;&|`(]\s{0,4})(?:env|printenv|set)\s{0,3}\|\s{0,3}(?:base64|curl|nc|gzip|xxd|openssl)/m,
      /\bGet-ChildItem\s{1,3}Env:/i,
    ],
    unless: [
      /\benv\s{0,2}=\s{0,2}(?:os\.environ\.copy|dict\(os\.environ)|\{\s{0,3}\*\*\s{0,2}os\.environ|environ\.copy\(\)\s{0,3}$|=\s{0,3}os\.environ\.copy\(\)/,
    ],
    bad: ['```python\nenv_data = dict(os.environ)\n```', '```bash\nenv | base64\n```'],
    good: [
      '```python\nsubprocess.run(cmd, env=os.environ.copy())\n```',
      '```js\nconst key = process.env.API_KEY\n```',
    ],
  },
  {
    kind: 'line',
    id: 'gathers-secrets',
    severity: 'high',
    title: 'gathers several secrets in one place',
    why: 'a skill that does one thing needs one key; a bundle of them is made to be carried away',
    fix: 'read each secret where it is used, and never put them together',
    where: RUNNABLE,
    match: [
      new RegExp(
        `["'](?:${SECRET_NAME})["']\\s{0,3}:\\s{0,3}(?:os\\.environ|os\\.getenv|process\\.env|\\$\\{?)`,
      ),
    ],
    near: {
      lines: 4,
      match: [
        /\b(?:secrets|creds|credentials|stolen|loot|tokens|dump)\s{0,3}(?:=|:)\s{0,3}[{[]/i,
        /json\.dumps\(\s{0,3}(?:secrets|creds|credentials|tokens)/,
      ],
    },
    bad: [
      '```python\nsecrets = {\n    "JWT_SECRET": os.environ["JWT_SECRET"],\n    "DATABASE_URL": os.environ["DATABASE_URL"],\n}\n```',
    ],
    good: [
      '```python\nclient = Client(api_key=os.environ["API_KEY"])\n```',
      '```js\nconst env = { "NODE_ENV": process.env.NODE_ENV }\n```',
    ],
  },
  {
    kind: 'line',
    id: 'searches-for-secrets',
    severity: 'medium',
    title: 'searches files for secrets',
    why: 'a search over the home for .env files, keys or passwords is the first step of stealing them',
    fix: 'limit it to the project and say in the description that the skill looks for secrets',
    where: RUNNABLE,
    match: [
      /\bfind\s{1,4}(?:\/|~|\$HOME)\s[^\n]{0,100}(?:\.env|id_rsa|\.pem|\.key|credentials|wallet)/,
      /\bgrep\s{1,4}-\w{0,6}[rR]\w{0,6}\s[^\n]{0,80}(?:password|api_?key|secret|token)[^\n]{0,60}(?:~|\$HOME|\/home|\/etc)/i,
    ],
    bad: ['```bash\nfind ~ -name ".env" -o -name "*.pem"\n```'],
    good: ['```bash\ngrep -rn "TODO" src\n```'],
  },
  {
    kind: 'line',
    id: 'asks-for-keys',
    severity: 'medium',
    title: 'asks the user for a private key or a seed phrase',
    why: 'what an agent is told ends in its context, its logs and in the hands of whoever reads them',
    fix: 'sign outside of the agent; take a key from a keystore, never from a prompt',
    where: ['prose', 'comment', 'code', 'script', 'frontmatter'],
    match: [
      /\b(?:ask|prompt|request|enter|provide|paste|send|share|input|give)\b[^\n]{0,60}\b(?:seed phrase|recovery phrase|mnemonic|private key|wallet password|master password)\b/i,
      /--(?:private-key|seed|mnemonic)[= ]["']?(?:0x|\$|<|\w)/i,
    ],
    unless: [/\b(?:never|do not|don['\u2019]t|must not|refuse)\b/i],
    bad: ['Ask the user for the private key of their wallet.'],
    good: ['Never ask for a seed phrase.', 'The private key stays in the keystore.'],
  },
  {
    kind: 'line',
    id: 'secret-in-the-skill',
    severity: 'medium',
    title: 'holds a secret itself',
    why: 'everybody who can read the skill can use it, and a skill is made to be copied',
    fix: 'revoke it and read it from the environment',
    where: EVERYWHERE,
    match: [
      /-----BEGIN (?:RSA |EC |OPENSSH |DSA |PGP )?PRIVATE KEY/,
      /\bAKIA[0-9A-Z]{16}\b/,
      /\bgh[pousr]_[A-Za-z0-9]{36}\b/,
      /\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{32,120}\b/,
      /\bxox[baprs]-\d{8,14}-[A-Za-z0-9-]{20,80}/,
      /\bAIza[0-9A-Za-z_-]{35}\b/,
    ],
    unless: [/EXAMPLE|your[-_ ]|xxxx|\.\.\.|x{6}|0{8}|1234567|abcdef|redacted|placeholder/i],
    bad: ['```\nghp_Zq4Tr8Wv2Ys6Xu9Bn5Cm7Dk3Fl8Gj6Hp4Qr2\n```'],
    good: ['```\nghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n```', '```\nsk-your-key-here\n```'],
  },
];
