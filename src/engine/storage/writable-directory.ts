import { open, rm } from "node:fs/promises";
import path from "node:path";

/** What the check writes: as much as the smallest write of the embedded database. */
const probe = Buffer.alloc(8 * 1024, 1);
/** How long a check counts, so that whoever asks often writes nothing more. */
const countsForMs = 5_000;

/** Makes a check that throws while a directory cannot be written. Calls within a few seconds share one attempt. */
export function directoryCheck(directory: string): () => Promise<void> {
  let attempt: Promise<void> | undefined;
  let until = 0;
  return () => {
    if (!attempt || performance.now() >= until) {
      attempt = tryToWrite(path.join(directory, "writable"));
      until = performance.now() + countsForMs;
    }
    return attempt;
  };
}

async function tryToWrite(name: string): Promise<void> {
  try {
    const file = await open(name, "w", 0o600);
    try {
      await file.writeFile(probe);
      await file.datasync();
    } finally {
      await file.close();
    }
  } finally {
    await rm(name, { force: true }).catch(() => {});
  }
}
