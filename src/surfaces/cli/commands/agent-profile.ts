import type { ProfileState } from '../../../domains/agents/profiles-service.ts';
import type { AgentProfile } from '../../../domains/agents/schema.ts';
import { printable } from '../../../lib/text.ts';
import { type CommandContext, EXIT, type ExitCode } from '../command.ts';
import { type Fact, factLines } from '../facts.ts';
import type { Output } from '../output.ts';
import { withRuntime } from '../runtime.ts';
import { rowLines } from '../table.ts';

export function run(context: CommandContext): Promise<ExitCode> {
  const { args, flags, out } = context;
  const [name] = args;
  const json = flags.switches.has('json');
  return withRuntime(context, async ({ agents }) => {
    const service = await agents();
    if (name !== undefined) {
      const profile = await service.profile(name);
      if (json) out.json(profile);
      else out.lines(factLines(factsOf(profile), out));
      return EXIT.ok;
    }
    const report = await service.profileReport();
    if (json) out.json({ profiles: report });
    else out.lines(reportLines(report, out));
    if (report.length === 0) out.note('there are no profiles; write .colibri/agents/<name>.yaml');
    for (const entry of report) {
      if (entry.state === 'invalid') out.error(printable(`${entry.path} ${entry.problem}`));
    }
    const untrusted = report.find((entry) => entry.state === 'untrusted');
    if (untrusted !== undefined) out.note('read what is untrusted, then `colibri trust <name>.yaml`');
    return report.some(({ state }) => state === 'invalid') ? EXIT.findings : EXIT.ok;
  });
}

function reportLines(report: readonly ProfileState[], out: Output): string[] {
  const rows = report.map((entry) => {
    const { state, source, path } = entry;
    // Where there is no room, the file can be told by its name and its source.
    const where = out.terminal ? source : path;
    if (state === 'invalid')
      return [path.split('/').at(-1) ?? '', state, '-', '-', '-', where].map(printable);
    const { agent_type, pool, history } = entry.profile;
    const success = history.total_runs === 0 ? '-' : `${Math.round(history.success_rate * 100)} %`;
    return [agent_type, state, pool, String(history.total_runs), success, where].map(printable);
  });
  return rowLines({ header: ['PROFILE', 'STATE', 'POOL', 'RUNS', 'SUCCESS', 'FROM'], rows }, out);
}

function factsOf(profile: AgentProfile): readonly Fact[] {
  const { permissions, limits, history, runtime } = profile;
  const granted = [
    ...(permissions.write_access ? ['write'] : []),
    ...(permissions.admin_access ? ['admin'] : []),
  ];
  return [
    ['profile', profile.agent_type],
    ['about', profile.description],
    ['tier', `${profile.agent_tier}, pool ${profile.pool}`],
    ['skills', profile.skills.join(', ')],
    ['tools', permissions.tools.join(', ')],
    ['access', granted.length === 0 ? 'read only' : granted.join(', ')],
    ['at once', String(limits.max_concurrent_tasks)],
    ['tokens', runtime.usage === 'none' ? 'no limit is held (usage: none)' : String(limits.token_budget)],
    ['time', `${limits.timeout_ms} ms`],
    ['command', `${runtime.command.join(' ')} (${runtime.driver})`],
    ['runs', String(history.total_runs)],
    ['success', history.total_runs === 0 ? '' : `${Math.round(history.success_rate * 100)} %`],
    ['duration', history.total_runs === 0 ? '' : `${Math.round(history.avg_duration_ms)} ms on average`],
    ['file', profile.path],
  ];
}
