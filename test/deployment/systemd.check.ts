import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { systemdAnalyzePath } from "./programs.js";

const unit = readFileSync("deployment/camera-monitoring-gateway.service", "utf8");

/** The unit with a program that exists on this machine. */
async function unitForThisMachine(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), ".gateway-unit-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const file = path.join(directory, "camera-monitoring-gateway.service");
  await writeFile(file, unit.replace("ExecStart=/usr/bin/node", `ExecStart=${process.execPath}`));
  return file;
}

const analyze = (...parameters: string[]) =>
  promisify(execFile)(systemdAnalyzePath, parameters).catch((error) => error);

it("starts the gateway as `npm start` does", () => {
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };
  const [, command] = /^ExecStart=\/usr\/bin\/(.*)$/m.exec(unit) as RegExpExecArray;
  expect(`exec ${command}`).toBe(scripts.start);
});

describe.runIf(existsSync(systemdAnalyzePath))("systemd-analyze", () => {
  it("finds no errors in the unit", async () => {
    const { stdout, stderr } = await analyze("verify", "--man=no", await unitForThisMachine());
    expect(stdout + stderr).toBe("");
  });

  it("rates its exposure at 2 of 10 at most", async () => {
    const { code, stdout } = await analyze(
      "security",
      "--offline=true",
      "--threshold=20",
      "--no-pager",
      await unitForThisMachine(),
    );
    expect(code, stdout).toBeUndefined();
  });
});
