/** The part of the composition root that opens what looks after skills. Loaded only when it is asked for. */
import type { Config } from './config.ts';
import type { ScanReport, ScanTargets } from './domains/integrity/scan/scan-service.ts';
import type { SkillsService } from './domains/skills/service.ts';

export interface Care {
  /** The security scan; see docs/scan.md. */
  scan(targets?: ScanTargets): Promise<ScanReport>;
}

export function openCare({
  config,
  skills,
}: {
  readonly config: Config;
  readonly skills: SkillsService;
}): Care {
  const { workspace } = config;
  return {
    async scan(targets) {
      // The rules are many; the commands that do not scan must not wait for them.
      const { createScanService } = await import('./domains/integrity/scan/scan-service.ts');
      return createScanService({ skills, workspace }).scan(targets);
    },
  };
}
