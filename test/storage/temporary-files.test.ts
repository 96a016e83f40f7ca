// Needs no gateway.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { TemporaryFiles } from "../../src/engine/storage/temporary-files.js";
import { filesBelow } from "../support/object-store.js";
import { directoryForTest } from "../support/temporary-directory.js";

const hour = 3_600_000;

async function newParent(): Promise<string> {
  const directory = await directoryForTest();
  return path.join(directory, "temporary");
}

async function open(parent: string): Promise<TemporaryFiles> {
  const files = await TemporaryFiles.open(parent);
  onTestFinished(() => files.close());
  return files;
}

/**
 * Starts a process that is writing a temporary file, and returns a function that kills
 * it.
 */
async function startWriter(parent: string): Promise<() => Promise<void>> {
  const script = `
    import { writeFileSync } from "node:fs";
    import { TemporaryFiles } from ${JSON.stringify(path.resolve("src/engine/storage/temporary-files.ts"))};
    const files = await TemporaryFiles.open(${JSON.stringify(parent)});
    await files.withDirectory(async (directory) => {
      writeFileSync(directory + "/half", "half a picture");
      console.log("writing");
      await new Promise((resolve) => setInterval(resolve, 3_600_000));
    });`;
  const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "--eval", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  const killProcess = async () => {
    child.kill("SIGKILL");
    await ended;
  };
  onTestFinished(killProcess);
  await once(child.stdout, "data");
  return killProcess;
}

describe("temporary files", () => {
  it("are in an empty directory that only its owner can read", async () => {
    const files = await open(await newParent());
    await files.withDirectory(async (directory) => {
      expect(await readdir(directory)).toEqual([]);
      expect(((await stat(directory)).mode & 0o777).toString(8)).toBe("700");
    });
  });

  it("are removed after the work, whose result is returned", async () => {
    const parent = await newParent();
    const files = await open(parent);
    const usedDirectory = await files.withDirectory(async (directory) => {
      await writeFile(path.join(directory, "picture"), "a picture");
      expect(await filesBelow(parent)).toHaveLength(1);
      return directory;
    });
    expect(existsSync(usedDirectory)).toBe(false);
    expect(await filesBelow(parent)).toEqual([]);
  });

  it("are removed if the work fails, whose error is rethrown", async () => {
    const parent = await newParent();
    const files = await open(parent);
    const work = files.withDirectory(async (directory) => {
      await writeFile(path.join(directory, "picture"), "half a picture");
      throw new Error("The disk is full");
    });
    await expect(work).rejects.toThrow("The disk is full");
    expect(await filesBelow(parent)).toEqual([]);
  });

  it("get a new directory if theirs was deleted", async () => {
    const parent = await newParent();
    const files = await open(parent);
    await rm(parent, { recursive: true });
    await files.withDirectory(async (directory) => expect(existsSync(directory)).toBe(true));
  });

  it("of concurrent work are in separate directories", async () => {
    const files = await open(await newParent());
    await files.withDirectory((one) => files.withDirectory(async (other) => expect(other).not.toBe(one)));
  });

  it("are all deleted when they are closed, but not before the work that uses them has ended", async () => {
    const parent = await newParent();
    const files = await open(parent);
    let closed = Promise.resolve();
    await files.withDirectory(async (directory) => {
      closed = files.close();
      // Enough time for files to be deleted.
      for (let count = 0; count < 100; count += 1) await readdir(parent);
      await writeFile(path.join(directory, "picture"), "a picture");
    });
    await closed;
    expect(await readdir(parent)).toEqual([]);
  });
});

describe("opening temporary files", () => {
  it("removes the files of a killed process", async () => {
    const parent = await newParent();
    const killProcess = await startWriter(parent);
    expect(await filesBelow(parent)).toHaveLength(1);
    await killProcess();
    expect(await filesBelow(parent)).toHaveLength(1);
    await open(parent);
    expect(await filesBelow(parent)).toEqual([]);
    expect(await readdir(parent)).toHaveLength(1);
  });

  it("keeps the files of a running process", async () => {
    const parent = await newParent();
    await startWriter(parent);
    await open(parent);
    expect(await filesBelow(parent)).toHaveLength(1);
  });

  it("keeps the files of another gateway in the same process", async () => {
    const parent = await newParent();
    const files = await open(parent);
    await files.withDirectory(async (directory) => {
      await writeFile(path.join(directory, "picture"), "half a picture");
      await open(parent);
      expect(await filesBelow(parent)).toHaveLength(1);
    });
  });

  it("removes the files of an earlier process with the same PID, as in a container", async () => {
    const parent = await newParent();
    await open(parent);
    const [own = ""] = await readdir(parent);
    const earlier = path.join(
      parent,
      own.replace(/.$/, (last) => (last === "0" ? "1" : "0")),
    );
    await mkdir(earlier);
    await open(parent);
    expect(existsSync(earlier)).toBe(false);
    expect(existsSync(path.join(parent, own))).toBe(true);
  });

  it("removes the files of another machine after a day, when they can no longer be in use", async () => {
    const parent = await newParent();
    const [recent, old] = ["recent", "old"].map((name) => path.join(parent, `elsewhere-1-${name}`)) as [
      string,
      string,
    ];
    for (const [directory, age] of [
      [recent, 23 * hour],
      [old, 25 * hour],
    ] as const) {
      await mkdir(directory, { recursive: true });
      const at = new Date(Date.now() - age);
      await utimes(directory, at, at);
    }
    await open(parent);
    expect([existsSync(recent), existsSync(old)]).toEqual([true, false]);
  });
});
