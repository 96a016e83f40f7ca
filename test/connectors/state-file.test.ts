// Needs no gateway.
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { z } from "zod";
import { createLog } from "../../src/platform/telemetry/log.js";
import { StateFile } from "../../src/programs/connectors/connector/state-file.js";

const rule = z.object({ count: z.number() });

function stateFile() {
  const directory = mkdtempSync(path.join(tmpdir(), "state-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const file = path.join(directory, "state.json");
  const lines: string[] = [];
  const log = createLog("info", { write: (line) => void lines.push(JSON.parse(line).msg) });
  return { directory, file, lines, state: new StateFile<z.output<typeof rule>>(file, "site", log) };
}

it("has no state at first, and then the newest that was saved", async () => {
  const { directory, state } = stateFile();
  expect(await state.read(rule)).toBeUndefined();
  for (let count = 1; count <= 100; count += 1) state.save({ count });
  await state.close();
  expect(await state.read(rule)).toEqual({ count: 100 });
  expect(readdirSync(directory)).toEqual(["state.json"]);
});

it("keeps the last state while the disk is full, and saves the newest when it is not", async () => {
  const { file, lines, state } = stateFile();
  state.save({ count: 1 });
  expect(await state.flush()).toBe(true);
  symlinkSync("/dev/full", `${file}.new`);
  state.save({ count: 2 });
  expect(await state.flush()).toBe(false);
  expect(readFileSync(file, "utf8")).toBe('{"connector":"site","count":1}');
  expect(await state.read(rule)).toEqual({ count: 1 });
  state.save({ count: 3 });
  await state.close();
  expect(await state.read(rule)).toEqual({ count: 3 });
  expect(lines).toEqual([
    `The state cannot be saved to ${file}: ENOSPC; trying again`,
    `The state is saved to ${file} again`,
  ]);
});

it("tells at the end that the state was not saved", async () => {
  const { file, lines, state } = stateFile();
  symlinkSync("/dev/full", `${file}.new`);
  state.save({ count: 1 });
  await state.flush();
  symlinkSync("/dev/full", `${file}.new`);
  await state.close();
  expect(lines.at(-1)).toBe(`The state was not saved to ${file}`);
});

it("does not begin anew over a file that it cannot read", async () => {
  const { file, state } = stateFile();
  for (const text of ["", "{", '{"count":1}', '{"connector":"site","count":"1"}', "null"]) {
    writeFileSync(file, text);
    await expect(state.read(rule)).rejects.toThrow(`The state file ${file} is not one of this connector`);
  }
});

it("is not that of another connector", async () => {
  const { file, state } = stateFile();
  writeFileSync(file, '{"connector":"other","count":1}');
  await expect(state.read(rule)).rejects.toThrow(`The state file ${file} is that of the connector other`);
});
