/** The security scan of skills that are indexed, or of folders that somebody names. */
import path from 'node:path';

import { ColibriError } from '../../../lib/errors.ts';
import type { SkillsService } from '../../skills/service.ts';
import { type Acceptance, applyAcceptList, type JudgedFinding, parseAcceptList } from './accept.ts';
import { SCAN_RULES } from './rules.ts';
import { type FolderContent, readAcceptFile, readFolder } from './scan-files.ts';
import { type ScanVerdict, scanSkill, verdictOf } from './scan-skill.ts';

export interface ScanTargets {
  /** Indexed skills by name. */
  readonly names?: readonly string[];
  /** Folders of skills, absolute. */
  readonly folders?: readonly string[];
}

export interface ScannedTarget {
  /** The name of the skill, or of its folder. */
  readonly skill: string;
  /** The folder, as displayed. */
  readonly directory: string;
  /** What an entry of the accept-list is bound to. */
  readonly digest: string;
  /** Without the findings that are accepted. */
  readonly verdict: ScanVerdict;
  readonly findings: readonly JudgedFinding[];
  readonly unread: readonly string[];
}

export interface ScanReport {
  readonly skills: readonly ScannedTarget[];
  readonly totals: Readonly<Record<ScanVerdict | 'skills' | 'findings' | 'accepted', number>>;
}

export interface ScanService {
  /** Without targets: every folder that the registry knows, rejected and shadowed ones too. */
  scan(targets?: ScanTargets): ScanReport;
}

interface Place {
  readonly skill: string;
  readonly directory: string;
  readonly real: string;
}

export function createScanService(parts: {
  readonly skills: SkillsService;
  readonly workspace: string;
}): ScanService {
  return {
    scan(targets) {
      const list = acceptList(parts.workspace);
      const skills = placesOf(parts.skills, targets).flatMap((place) => {
        const content = readFolder(place.real);
        // A folder that is gone since the last good scan is no finding; one that somebody has named is a mistake.
        if (isEmpty(content)) return targets === undefined ? [] : nothingThere(place);
        return [scanContent(place, content, list)];
      });
      return { skills, totals: totalsOf(skills) };
    },
  };
}

function acceptList(workspace: string): readonly Acceptance[] {
  const text = readAcceptFile(workspace);
  if (text === null) return [];
  const ids = SCAN_RULES.flatMap(({ rules }) => rules.map(({ id }) => id));
  return parseAcceptList(text, new Set(ids));
}

function placesOf(skills: SkillsService, targets: ScanTargets | undefined): readonly Place[] {
  const { names = [], folders = [] } = targets ?? {};
  const named = names
    .map((name) => skills.require(name))
    .map(({ name, source_dir }) => ({ name, source_dir }));
  const known = targets === undefined ? everyFolder(skills) : named;
  const indexed = known.flatMap(({ name, source_dir }) => {
    const real = skills.placeOf(source_dir);
    return real === null ? [] : [{ skill: name, directory: source_dir, real }];
  });
  const given = folders.map((folder) => ({ skill: path.basename(folder), directory: folder, real: folder }));
  return [...indexed, ...given];
}

interface KnownFolder {
  readonly name: string;
  readonly source_dir: string;
}

function everyFolder(skills: SkillsService): readonly KnownFolder[] {
  const { indexed, shadowed, rejected } = skills.records();
  const folders = [
    ...indexed.map(({ name, directory }) => ({ name, source_dir: directory })),
    ...shadowed.map(({ name, path: file }) => ({ name, source_dir: path.posix.dirname(file) })),
    ...rejected.map(({ directory }) => ({ name: path.posix.basename(directory), source_dir: directory })),
  ];
  return folders.sort((a, b) => (a.source_dir < b.source_dir ? -1 : 1));
}

function isEmpty({ files, unread }: FolderContent): boolean {
  return files.length === 0 && unread.length === 0;
}

function nothingThere({ directory }: Place): never {
  const message = `${directory} holds no file; name the folder of a skill`;
  throw new ColibriError('FILE_NOT_FOUND', message, { directory });
}

function scanContent(
  { skill, directory }: Place,
  content: FolderContent,
  list: readonly Acceptance[],
): ScannedTarget {
  const scan = scanSkill(content.files);
  const unread = [...content.unread, ...scan.unread.map((file) => `${file} (no text)`)];
  const findings = applyAcceptList(scan.findings, list, { skill, digest: content.digest });
  const counting = findings.filter(({ accepted }) => accepted === null);
  return {
    skill,
    directory,
    digest: content.digest,
    verdict: verdictOf(counting, unread),
    findings,
    unread,
  };
}

function totalsOf(skills: readonly ScannedTarget[]): ScanReport['totals'] {
  const count = (verdict: ScanVerdict) => skills.filter((each) => each.verdict === verdict).length;
  const findings = skills.flatMap((each) => each.findings);
  const accepted = findings.filter((finding) => finding.accepted !== null).length;
  return {
    skills: skills.length,
    block: count('block'),
    review: count('review'),
    clean: count('clean'),
    findings: findings.length - accepted,
    accepted,
  };
}
