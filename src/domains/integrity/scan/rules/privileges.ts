/** Taking more rights than the work needs. */
import { splitTools } from '../../../skills/format/tool-list.ts';
import { EVERYWHERE, type Hit, RUNNABLE, type ScannedSkill, type ScanRule } from '../scan-rule.ts';

export const PRIVILEGES: readonly ScanRule[] = [
  {
    kind: 'line',
    id: 'switches-off-protection',
    severity: 'critical',
    title: 'switches off a protection of the system',
    why: 'what follows would have been stopped by it',
    fix: 'remove it',
    where: EVERYWHERE,
    match: [
      /\bxattr\s{1,3}-(?:d|c|rd|cr|dr)\w{0,3}\s[^\n]{0,60}(?:com\.apple\.quarantine|\.app\b|\/tmp)/,
      /\bspctl\s{1,3}--(?:master|global)-disable/,
      /\bcsrutil\s{1,3}disable/,
      /\bSet-MpPreference\b[^\n]{0,60}-(?:Disable\w{4,30}|ExclusionPath)/i,
      /\bsetenforce\s{1,3}0\b/,
      /\b(?:ufw|iptables)\s{1,3}(?:disable|-F)\b/,
      /\b(?:disable|turn off|switch off|deactivate|pause|add (?:an )?exclusion)\b[^\n]{0,30}\b(?:antivirus|windows defender|defender|gatekeeper|real-?time protection|firewall)\b/i,
    ],
    bad: [
      '```bash\nxattr -d com.apple.quarantine ./tool\n```',
      'Turn off Windows Defender before you start.',
    ],
    good: ['Explains how Gatekeeper works.'],
  },
  {
    kind: 'line',
    id: 'opens-permissions',
    severity: 'medium',
    title: 'opens files to everybody or to root',
    why: 'other users and programs can then change what is run',
    fix: 'give the owner what is needed, no more',
    where: RUNNABLE,
    match: [
      /\bchmod\s{1,4}(?:-R\s{1,4})?(?:0?777|a\+rwx|\+s|u\+s|[24]7[0-7]{2})\b/,
      /\bchown\s{1,4}-R\s{1,4}root(?::root)?\s{1,4}\//,
      /\bNOPASSWD\s{0,2}:/,
      /\b(?:usermod|gpasswd)\s[^\n]{0,40}\b(?:sudo|docker|wheel|admin)\b/,
      /\bdocker\s{1,4}run\b[^\n]{0,120}(?:--privileged|-v\s{1,3}\/:\/)/,
      /\bos\.(?:setuid|seteuid)\(\s{0,2}0\s{0,2}\)/,
    ],
    bad: ['```bash\nchmod 777 /opt/shared\n```'],
    good: ['```bash\nchmod 644 file\n```'],
  },
  {
    kind: 'line',
    id: 'uses-root',
    severity: 'low',
    title: 'asks for root',
    why: 'a mistake as root has no limits',
    fix: 'do without, or say why it is needed',
    where: ['script'],
    match: [/(?:^|[;&|]\s{0,3})sudo\s{1,4}(?!-n\s{1,2}true|apt(?:-get)?\s|dnf\s|yum\s|pacman\s|snap\s)/m],
    bad: [],
    good: ['```bash\nsudo apt-get install jq\n```'],
  },
  {
    kind: 'skill',
    id: 'asks-for-every-tool',
    severity: 'medium',
    title: 'asks for every tool, or for every command',
    why: 'a host that honours the field would then ask nothing more',
    fix: 'list the commands that are needed, such as Bash(git status:*)',
    find: everyTool,
    bad: [
      '---\nname: x\ndescription: Does x.\nallowed-tools: "*"\n---\nx',
      '---\nname: x\ndescription: Does x.\nallowed-tools: Bash(*) Read\n---\nx',
    ],
    good: ['---\nname: x\ndescription: Does x.\nallowed-tools: Read Bash(git:*)\n---\nx'],
  },
  {
    kind: 'skill',
    id: 'runs-on-load',
    severity: 'medium',
    title: 'brings hooks or servers of its own',
    why: 'some hosts start what stands in these fields as soon as the skill is there',
    fix: 'move it into the configuration of the user',
    find: (skill) => fieldHits(skill, ['hooks', 'mcpServers', 'mcp_servers']),
    bad: ['---\nname: x\ndescription: Does x.\nhooks:\n  PreToolUse: ./run.sh\n---\nx'],
    good: ['---\nname: x\ndescription: Does x.\n---\nx'],
  },
  {
    kind: 'line',
    id: 'command-on-render',
    severity: 'medium',
    title: 'holds a command that some hosts run while they render the skill',
    why: 'it runs before the agent or the user has read anything',
    fix: 'let the agent run the command',
    where: ['prose'],
    match: [/(?:^|\s)!`[^`\n]{2,200}`/m],
    bad: ['Status: !`git status`'],
    good: ['Wow! `git status` is fast.'],
  },
];

function everyTool(skill: ScannedSkill): readonly Hit[] {
  const value = skill.frontmatter['allowed-tools'];
  const tools = Array.isArray(value) ? value.map(String) : splitTools(String(value ?? ''));
  const broad = tools.filter((tool) => /^(?:\*|all|Bash\(\s{0,2}\*?\s{0,2}(?::\*)?\)|mcp__\*)$/i.test(tool));
  return broad.length === 0 ? [] : fieldHits(skill, ['allowed-tools']);
}

function fieldHits({ documents, frontmatter }: ScannedSkill, fields: readonly string[]): readonly Hit[] {
  const found = fields.filter((field) => Object.hasOwn(frontmatter, field));
  const lines = documents.find(({ file }) => file === 'SKILL.md')?.lines ?? [];
  return found.map((field) => {
    const at = lines.find(({ region, text }) => region === 'frontmatter' && text.startsWith(`${field}:`));
    return { file: 'SKILL.md', line: at?.number ?? 1, quote: at?.text.slice(0, 120) ?? field };
  });
}
