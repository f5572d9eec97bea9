import type { Config } from '../../config.ts';
import type { AgentsService } from '../../domains/agents/service.ts';
import type { EventsService } from '../../domains/events/service.ts';
import type { DoctorService } from '../../domains/integrity/doctor/doctor-service.ts';
import type { DriftService } from '../../domains/integrity/drift-service.ts';
import type { HostService } from '../../domains/integrity/host-service.ts';
import type { InstallService } from '../../domains/integrity/install/service.ts';
import type { ProposeService } from '../../domains/integrity/propose/propose-service.ts';
import type { RoundService } from '../../domains/integrity/round-service.ts';
import type { ScanReport, ScanTargets } from '../../domains/integrity/scan/scan-service.ts';
import type { SyncService } from '../../domains/integrity/sync-service.ts';
import type { PolicyService } from '../../domains/policy/service.ts';
import type { ReplayReport } from '../../domains/sessions/replay-service.ts';
import type { SessionsService } from '../../domains/sessions/service.ts';
import type { SwitchService } from '../../domains/sessions/switch-service.ts';
import type { SkillsService } from '../../domains/skills/service.ts';
import type { TasksService } from '../../domains/tasks/service.ts';

/** What the API answers from. The composition root hands it over when everything is open. */
export interface ApiServices {
  readonly config: Config;
  readonly skills: SkillsService;
  readonly sessions: SessionsService;
  readonly events: EventsService;
  readonly policy: PolicyService;
  readonly switches: SwitchService;
  readonly replay: (session: string, how: { readonly live: boolean }) => Promise<ReplayReport>;
  readonly drift: DriftService;
  readonly sync: SyncService;
  readonly rounds: Pick<RoundService, 'list' | 'get' | 'compare'>;
  readonly hosts: HostService;
  readonly tasks: () => Promise<Pick<TasksService, 'list' | 'detail' | 'pool' | 'orphans'>>;
  readonly agents: () => Promise<Pick<AgentsService, 'list' | 'status' | 'profileReport' | 'active'>>;
  readonly doctor: Pick<DoctorService, 'examine'>;
  readonly scan: (targets?: ScanTargets) => Promise<ScanReport>;
  readonly proposals: Pick<ProposeService, 'list' | 'show'>;
  readonly install: Pick<InstallService, 'verify' | 'outdated'>;
  /** Why the index is that of an earlier scan; null when it is in line with the disk. */
  readonly stale: string | null;
}
