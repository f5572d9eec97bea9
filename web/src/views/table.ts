/** The views, in the order of the navigation. */
import type { JSX } from 'preact';

import type { Status } from '../api/contract.ts';
import type { Place } from '../router.ts';

export interface View {
  /** First part of its address. */
  readonly name: string;
  readonly title: string;
  readonly load: () => Promise<(props: { place: Place }) => JSX.Element>;
  /** A number beside its name. */
  readonly count?: (status: Status) => number;
}

export const VIEWS: readonly View[] = [
  {
    name: 'skills',
    title: 'Skills',
    load: async () => (await import('./skills/skills-view.tsx')).SkillsView,
    count: ({ skills }) => skills,
  },
  {
    name: 'budget',
    title: 'Budget',
    load: async () => (await import('./budget/budget-view.tsx')).BudgetView,
  },
  {
    name: 'drift',
    title: 'Drift',
    load: async () => (await import('./drift/drift-view.tsx')).DriftView,
  },
  {
    name: 'activity',
    title: 'Activity',
    load: async () => (await import('./activity/activity-view.tsx')).ActivityView,
    count: ({ last_event }) => last_event,
  },
  {
    name: 'policy',
    title: 'Policy',
    load: async () => (await import('./policy/policy-view.tsx')).PolicyView,
  },
  {
    name: 'work',
    title: 'Work',
    load: async () => (await import('./work/work-view.tsx')).WorkView,
  },
  {
    name: 'health',
    title: 'Health',
    load: async () => (await import('./health/health-view.tsx')).HealthView,
    count: ({ rejected }) => rejected,
  },
];
