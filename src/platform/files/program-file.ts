import { accessSync, constants, statSync } from "node:fs";
import path from "node:path";

/** Whether a path names a file that can be run. */
export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/**
 * The first file of a name that can be run, in the directories of a search path such as PATH. Relative ones
 * are skipped: what they name depends on where a program is started.
 */
export const findProgram = (name: string, searchPath = ""): string | undefined =>
  searchPath
    .split(path.delimiter)
    .filter((directory) => path.isAbsolute(directory))
    .map((directory) => path.join(directory, name))
    .find(isProgram);
