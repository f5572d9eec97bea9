/** What the server has done, in the text format of Prometheus. */
import type { Clock } from '../../lib/clock.ts';
import type { ApiServices } from './services.ts';

export interface Metrics {
  /** `route` is a path of the table, never what a client sent. */
  count(route: string, status: number, durationMs: number): void;
  render(services: ApiServices | null): Promise<string>;
}

interface Series {
  requests: number;
  seconds: number;
}

export function createMetrics(clock: Clock): Metrics {
  const started = clock.monotonic();
  const series = new Map<string, Series>();
  return {
    count(route, status, durationMs) {
      const labels = `route="${route}",status="${status}"`;
      const known = series.get(labels) ?? { requests: 0, seconds: 0 };
      known.requests++;
      known.seconds += durationMs / 1000;
      series.set(labels, known);
    },
    async render(services) {
      const of = (pick: (each: Series) => number): readonly Sample[] =>
        [...series].map(([labels, each]) => ({ labels, value: pick(each) }));
      return [
        metric('colibri_uptime_seconds', 'gauge', [sample((clock.monotonic() - started) / 1000)]),
        metric('colibri_memory_bytes', 'gauge', [sample(process.memoryUsage().rss)]),
        metric(
          'colibri_http_requests_total',
          'counter',
          of(({ requests }) => requests),
        ),
        metric(
          'colibri_http_request_seconds_total',
          'counter',
          of(({ seconds }) => seconds),
        ),
        ...(services === null ? [] : await registryMetrics(services)),
      ].join('');
    },
  };
}

interface Sample {
  readonly labels: string;
  readonly value: number;
}

async function registryMetrics({ skills, events }: ApiServices): Promise<readonly string[]> {
  const counts = skills.counts();
  const [newest] = await events.read({ newestFirst: true, limit: 1 });
  return [
    metric('colibri_skills', 'gauge', [
      { labels: 'state="indexed"', value: counts.skills },
      { labels: 'state="shadowed"', value: counts.shadowed },
      { labels: 'state="rejected"', value: counts.rejected },
    ]),
    metric('colibri_catalog_generation', 'gauge', [sample(skills.generation())]),
    metric('colibri_events_total', 'counter', [sample(newest?.seq ?? 0)]),
  ];
}

function sample(value: number): Sample {
  return { labels: '', value };
}

function metric(name: string, type: 'counter' | 'gauge', samples: readonly Sample[]): string {
  if (samples.length === 0) return '';
  const lines = samples.map(({ labels, value }) => `${name}${labels === '' ? '' : `{${labels}}`} ${value}`);
  return `# TYPE ${name} ${type}\n${lines.join('\n')}\n`;
}
