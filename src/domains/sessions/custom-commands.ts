/** Commands of one's own: Markdown files in folders that the configuration names. Read whenever they are asked for. */
import { readdirSync } from 'node:fs';
import path from 'node:path';

import { messageOf, systemCodeOf } from '../../lib/errors.ts';
import type { Logger } from '../../lib/logger.ts';
import { readRegularFile } from '../../lib/regular-file.ts';
import { type CustomCommand, parseCustomCommand } from './command-file.ts';

export interface CustomCommands {
  /** By name; of two files with one name, that of the first folder. */
  list(): readonly CustomCommand[];
  find(name: string): CustomCommand | null;
}

const COMMAND_BYTES_MAX = 256 * 1024;
/** More than anybody can choose from. */
const COMMANDS_MAX = 1_000;
/** As for skills, so that a command can be named wherever a skill can. */
const FILE_NAME = /^([a-z0-9]+(?:-[a-z0-9]+)*)\.md$/;

export function createCustomCommands(folders: readonly string[], logger: Logger): CustomCommands {
  const read = (folder: string, file: string): CustomCommand | null => {
    const name = FILE_NAME.exec(file)?.[1];
    if (name === undefined || name.length > 64) return null;
    try {
      const found = readRegularFile(path.join(folder, file), COMMAND_BYTES_MAX);
      if (found.ok) return parseCustomCommand(name, found.bytes.toString('utf8'));
      logger(`[colibri] command ${path.join(folder, file)} is left out:`, found.reason);
    } catch (error) {
      if (systemCodeOf(error) === undefined) throw error;
      logger(`[colibri] command ${path.join(folder, file)} is left out:`, messageOf(error));
    }
    return null;
  };
  return {
    list() {
      const found = new Map<string, CustomCommand>();
      for (const folder of folders) {
        for (const file of filesOf(folder, logger)) {
          const command = read(folder, file);
          if (command !== null && !found.has(command.name)) found.set(command.name, command);
        }
      }
      return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1)).slice(0, COMMANDS_MAX);
    },
    find(name) {
      if (!FILE_NAME.test(`${name}.md`)) return null;
      for (const folder of folders) {
        if (!filesOf(folder, logger).includes(`${name}.md`)) continue;
        const command = read(folder, `${name}.md`);
        if (command !== null) return command;
      }
      return null;
    },
  };
}

/** A folder that is not there has no commands; one that cannot be read is named in the log. */
function filesOf(folder: string, logger: Logger): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === undefined) throw error;
    if (code !== 'ENOENT') logger(`[colibri] commands of ${folder} are left out:`, messageOf(error));
    return [];
  }
}
