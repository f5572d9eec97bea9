import type { Route } from '../route.ts';
import { CARE_ROUTES } from './care.ts';
import { EVENT_ROUTES } from './events.ts';
import { HEALTH_ROUTES } from './health.ts';
import { INSTALLED_ROUTES } from './installed.ts';
import { INTEGRITY_ROUTES } from './integrity.ts';
import { POLICY_ROUTES } from './policy.ts';
import { REGISTRY_ROUTES } from './registry.ts';
import { SESSION_ROUTES } from './sessions.ts';
import { SKILL_ROUTES } from './skills.ts';
import { AGENT_ROUTES, TASK_ROUTES } from './tasks.ts';

/** Every route of the API whose answer is one JSON document. */
export const ROUTES: readonly Route[] = [
  ...REGISTRY_ROUTES,
  ...SKILL_ROUTES,
  ...SESSION_ROUTES,
  ...EVENT_ROUTES,
  ...POLICY_ROUTES,
  ...TASK_ROUTES,
  ...AGENT_ROUTES,
  ...INTEGRITY_ROUTES,
  ...HEALTH_ROUTES,
  ...CARE_ROUTES,
  ...INSTALLED_ROUTES,
];
