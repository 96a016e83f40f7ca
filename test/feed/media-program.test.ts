// Needs no gateway.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import path from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { MediaProgram } from "../../src/features/camera-feed/capture/media-program.js";
import { directoryForTest } from "../support/temporary-directory.js";

const shell = (script: string) => new MediaProgram(["/bin/sh", "-c", script], "", 0);
const hasLimits = ["prlimit", "setpriv"].every((name) => existsSync(`/usr/bin/${name}`));

it("a program reads the script, and writes output and errors", async () => {
  const program = new MediaProgram(["/bin/sh"], "echo output; echo error >&2", 0);
  expect(await text(program.output)).toBe("output\n");
  expect(await program.ended).toBe("error\n");
});

it("a program gives way to others", async () => {
  const program = new MediaProgram(["/bin/sh"], "nice", 19);
  expect(await text(program.output)).toBe("19\n");
});

it("of many errors, the beginning and the end are kept", async () => {
  const program = shell("echo first >&2; yes | head -c 1000000 >&2; echo last >&2");
  program.output.resume();
  const errors = await program.ended;
  expect(errors).toMatch(/^first\n.*\nlast\n$/s);
  expect(errors.length).toBe(2 * 8192);
});

it("a program that ignores being asked to end is ended", async () => {
  const program = shell("trap '' TERM; echo ready; while :; do sleep 0.1; done");
  await once(program.output, "data");
  program.stop();
  program.output.resume();
  expect(await program.ended).toBe("");
});

it("a program that is not there cannot be started", async () => {
  await expect(new MediaProgram(["/nowhere/ffmpeg"], "", 0).ended).rejects.toThrow(/ffmpeg/);
});

describe.skipIf(!hasLimits)("with util-linux", () => {
  it("a program has little memory", async () => {
    const greedy = new MediaProgram(["/bin/dd", "if=/dev/zero", "of=/dev/null", "bs=2G", "count=1"], "", 0);
    greedy.output.resume();
    expect(await greedy.ended).toMatch(/memory/);
  });

  it("a program writes no file", async () => {
    const directory = await directoryForTest();
    const program = shell(`cat /etc/passwd > ${directory}/file; echo done`);
    expect(await text(program.output)).toBe("done\n");
    expect((await stat(path.join(directory, "file"))).size).toBe(0);
  });

  it("a program ends with the process that started it, even if that is killed", async () => {
    const starter = spawn(
      process.execPath,
      ["--import", "tsx", fileURLToPath(new URL("start-media-program.ts", import.meta.url))],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    const [pid] = await once(starter.stdout, "data");
    const directory = `/proc/${String(pid).trim()}`;
    expect(existsSync(directory)).toBe(true);
    starter.kill("SIGKILL");
    await expect.poll(() => existsSync(directory)).toBe(false);
  });
});
