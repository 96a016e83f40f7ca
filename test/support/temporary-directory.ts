import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

async function newDirectory(onEnd: (remove: () => Promise<void>) => void): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), ".gateway-test-"));
  onEnd(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** A new directory, which is removed when the running test ends. */
export const directoryForTest = (): Promise<string> => newDirectory(onTestFinished);

/** A new directory, which is removed after the tests of the file. */
export const ownDirectory = (): Promise<string> => newDirectory(afterAll);
