import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

/** A new directory, which is removed when the running test ends. */
export async function directoryForTest(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), ".gateway-test-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}
