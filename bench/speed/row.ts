/** One line of the results: what was measured, against what, and how far it had to go. */
export interface Row {
  readonly suite: string;
  readonly what: string;
  readonly ours: string;
  readonly floor: string;
  /** Null where the value itself is the measure. */
  readonly ratio: number | null;
  readonly must: string;
  readonly pass: boolean;
  /** What stands in the way, for results that are known to miss. */
  readonly why?: string | undefined;
}

export interface Bar {
  readonly suite: string;
  readonly what: string;
  readonly unit: string;
  readonly floorName: string;
  readonly why?: string;
}

/** At most `max` times the floor. */
export function atMost(bar: Bar, ours: number, limit: { readonly floor: number; readonly max: number }): Row {
  const ratio = ours / limit.floor;
  return { ...named(bar, ours, limit.floor), ratio, must: `≤ ${limit.max}×`, pass: ratio <= limit.max };
}

/** At least `min` times as much as the floor. */
export function atLeast(
  bar: Bar,
  ours: number,
  limit: { readonly floor: number; readonly min: number },
): Row {
  const ratio = ours / limit.floor;
  return { ...named(bar, ours, limit.floor), ratio, must: `≥ ${limit.min}×`, pass: ratio >= limit.min };
}

/** `min` times less than what another needs. */
export function less(bar: Bar, ours: number, limit: { readonly floor: number; readonly min: number }): Row {
  const ratio = limit.floor / ours;
  return { ...named(bar, ours, limit.floor), ratio, must: `≥ ${limit.min}× less`, pass: ratio >= limit.min };
}

/** Beside the same floor, but without a limit. */
export function shownOnly(bar: Bar, ours: number, floor: number): Row {
  return { ...named(bar, ours, floor), ratio: ours / floor, must: '–', pass: true };
}

export function within(bar: Omit<Bar, 'floorName'>, ours: number, max: number): Row {
  const { suite, what, unit } = bar;
  return {
    suite,
    what,
    ours: shown(ours, unit),
    floor: '–',
    ratio: null,
    must: `≤ ${shown(max, unit)}`,
    pass: ours <= max,
  };
}

function named(
  { suite, what, unit, floorName, why }: Bar,
  ours: number,
  floor: number,
): Pick<Row, 'suite' | 'what' | 'ours' | 'floor' | 'why'> {
  return { suite, what, ours: shown(ours, unit), floor: `${shown(floor, unit)} (${floorName})`, why };
}

export function shown(value: number, unit: string): string {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return `${value.toFixed(digits)} ${unit}`.trim();
}
