import { existsSync } from "node:fs";
import path from "node:path";

/** Whether the sources run as they are, in development and in tests, or else the build. */
export const runsSources = import.meta.filename.endsWith(".ts");

function projectAbove(directory: string): string {
  return existsSync(path.join(directory, "package.json")) ? directory : projectAbove(path.dirname(directory));
}

const project = projectAbove(import.meta.dirname);

/** The path of a file or directory, by its path in the project. */
export const projectFile = (name: string): string => path.join(project, name);

/** The path of a file or directory that the build puts elsewhere than the sources. */
export const builtFile = (source: string, built: string): string => projectFile(runsSources ? source : built);
