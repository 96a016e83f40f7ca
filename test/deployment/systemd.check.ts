import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { directoryForTest } from "../support/temporary-directory.js";
import { systemdAnalyzePath } from "./programs.js";

const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };

const connectors = Object.keys(scripts).flatMap((name) => /^connect:(\w+)$/.exec(name)?.[1] ?? []);

const readUnit = (name: string) => readFileSync(`deployment/${name}.service`, "utf8");

/** The command that a unit runs. */
const commandOf = (unit: string) =>
  (/^ExecStart=\/usr\/bin\/(.*)$/m.exec(unit) as RegExpExecArray)[1] as string;

/** A unit with a program that exists on this machine; of a template, that of an instance. */
async function unitForThisMachine(name: string, instance = ""): Promise<string> {
  const directory = await directoryForTest();
  const file = path.join(directory, `${name}${instance}.service`);
  await writeFile(file, readUnit(name).replace("ExecStart=/usr/bin/node", `ExecStart=${process.execPath}`));
  return file;
}

const analyze = (...parameters: string[]) =>
  promisify(execFile)(systemdAnalyzePath, parameters).catch((error) => error);

it("starts the gateway as `npm start` does", () => {
  expect(`exec ${commandOf(readUnit("camera-monitoring-gateway"))}`).toBe(scripts.start);
});

it.each(connectors)("starts connectors as `npm run connect:%s` does, with their configuration", (kind) => {
  const command = commandOf(readUnit("camera-monitoring-connector@")).replaceAll("%i", kind);
  expect(`exec ${command}`).toBe(
    `${scripts[`connect:${kind}`]} /etc/camera-monitoring-connector/${kind}.json`,
  );
});

describe.runIf(existsSync(systemdAnalyzePath)).each([
  ["camera-monitoring-gateway", ""],
  ["camera-monitoring-connector@", "mqtt"],
])("systemd-analyze, of %s%s", (name, instance) => {
  it("finds no errors in the unit", async () => {
    const { stdout, stderr } = await analyze("verify", "--man=no", await unitForThisMachine(name, instance));
    expect(stdout + stderr).toBe("");
  });

  it("rates its exposure at 2 of 10 at most", async () => {
    const { code, stdout } = await analyze(
      "security",
      "--offline=true",
      "--threshold=20",
      "--no-pager",
      await unitForThisMachine(name, instance),
    );
    expect(code, stdout).toBeUndefined();
  });
});
