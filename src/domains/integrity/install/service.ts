/** The installer: skills from elsewhere, pinned byte for byte. */
import { type AddReport, type AddRequest, addSkills } from './add-service.ts';
import type { InstallParts, Scope } from './session.ts';
import {
  type OutdatedSkill,
  outdatedSkills,
  type UpdateReport,
  type UpdateRequest,
  updateSkills,
} from './update-service.ts';
import {
  type RemoveReport,
  type RemoveRequest,
  removeSkills,
  type VerifyReport,
  verifySkills,
} from './verify-service.ts';

export interface InstallService {
  add(request: AddRequest): Promise<AddReport>;
  remove(request: RemoveRequest): Promise<RemoveReport>;
  update(request?: UpdateRequest): Promise<UpdateReport>;
  /** Compares every installed file with the lock. */
  verify(scope?: Pick<Scope, 'global'>): Promise<VerifyReport>;
  /** Asks the sources, and changes nothing. */
  outdated(scope?: Scope): Promise<readonly OutdatedSkill[]>;
}

export function createInstallService(parts: InstallParts): InstallService {
  return {
    add: (request) => addSkills(parts, request),
    remove: (request) => removeSkills(parts, request),
    update: (request = {}) => updateSkills(parts, request),
    verify: (scope = {}) => verifySkills(parts, scope),
    outdated: (scope = {}) => outdatedSkills(parts, scope),
  };
}
