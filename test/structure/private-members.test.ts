// Needs no gateway.
import { readFileSync } from "node:fs";
import { Socket } from "node:net";
import { PassThrough } from "node:stream";
import exceljs from "exceljs";
import pg from "pg";
import { z } from "zod";

/**
 * The packages whose undocumented members we use, with the versions in which we read
 * them. The tests below list the members.
 */
const readVersions = {
  pg: "8.23.1",
  zod: "4.6.7",
  exceljs: "4.4.0",
};

it.each(Object.entries(readVersions))(
  "%s is the version in which its private members were read: %s",
  (name, version) => {
    const installed = JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")) as {
      version: string;
    };
    expect(installed.version, `Read the private members of ${name} again`).toBe(version);
  },
);

it("pg still has the private members that database/connection.ts relies on", () => {
  const socket = new Socket();
  const client = new pg.Client({ user: "reader", stream: () => socket, pipeline: true } as pg.ClientConfig);
  expect(client).toMatchObject({
    getStartupConf: expect.any(Function),
    getTransactionStatus: expect.any(Function),
    processID: null,
    pipeline: true,
    connection: { on: expect.any(Function), stream: socket },
  });
  const { getStartupConf, connection } = client as unknown as {
    getStartupConf(): object;
    connection: NodeJS.EventEmitter;
  };
  expect(getStartupConf.call(client)).toMatchObject({ user: "reader" });
  (client as unknown as { _attachListeners(connection: NodeJS.EventEmitter): void })._attachListeners(
    connection,
  );
  expect(connection.eventNames()).toEqual(expect.arrayContaining(["errorMessage", "readyForQuery"]));
  expect(Object.assign(new pg.Query("SELECT 1"), { name: "one" })).toMatchObject({
    text: "SELECT 1",
    submit: expect.any(Function),
  });
});

it("Zod still has the private members that platform/rule-check.ts relies on", () => {
  const isEven = z
    .number()
    .check(({ value, issues }) => void (value % 2 && issues.push({ code: "custom", input: value })));
  expect(isEven._zod).toMatchObject({ def: { type: "number" }, traits: expect.any(Set) });
  const [check] = isEven._zod.def.checks as z.core.$ZodCheck<unknown>[];
  expect(check?._zod).toMatchObject({ def: { check: "custom" }, check: expect.any(Function) });
  expect(z.int()._zod.traits).toContain("$ZodCheck");
  expect(z.string().trim()._zod.def.checks?.[0]?._zod.def.check).toBe("overwrite");
});

it("exceljs still has the private fields that spreadsheet/exceljs-internals.ts relies on", async () => {
  const target = new PassThrough();
  const workbook = new exceljs.stream.xlsx.WorkbookWriter({ stream: target, useStyles: true });
  const sheet = workbook.addWorksheet("Sheet");
  expect(workbook).toMatchObject({
    zip: {
      abort: expect.any(Function),
      unpipe: expect.any(Function),
      on: expect.any(Function),
      _readableState: { highWaterMark: expect.any(Number) },
    },
    _definedNames: { model: [] },
  });
  const { stream } = sheet as unknown as { stream: { pipes: object[] } };
  expect(stream.pipes).toEqual([
    expect.objectContaining({
      _writableState: expect.objectContaining({ needDrain: false, length: expect.any(Number) }),
    }),
  ]);
  // exceljs reads only the model of the defined names, so replacing the object must be
  // enough.
  (workbook as unknown as { _definedNames: object })._definedNames = {
    model: [{ name: "Range", localSheetId: 0, ranges: ["Sheet!$A$1"] }],
  };
  sheet.addRow(["text"]).commit();
  sheet.commit();
  const [chunks] = await Promise.all([target.toArray(), workbook.commit()]);
  const written = new exceljs.Workbook();
  await written.xlsx.load(Buffer.concat(chunks) as unknown as exceljs.Buffer);
  expect(written.definedNames.getRanges("Range").ranges).toEqual(["Sheet!$A$1"]);
});
