// Needs no gateway.

import { PassThrough, Writable } from "node:stream";
import type exceljs from "exceljs";
import fc from "fast-check";
import type { CellValue } from "../../src/platform/spreadsheet/cell.js";
import { type Spreadsheet, writeSpreadsheet } from "../../src/platform/spreadsheet/spreadsheet.js";
import { listOf } from "../support/list-of.js";
import { type Cell, exceljsRows, partOf, rowsOf, workbookOf } from "./workbook.js";

type Sheets<Row> = Partial<Spreadsheet<Row>>;

const pagesOf = async function* <Row>(...pages: Row[][]) {
  yield* pages;
};

/** Writes a workbook from pages of rows. */
async function written<Row>(spreadsheet: Spreadsheet<Row>, ...pages: Row[][]): Promise<Buffer> {
  const target = new PassThrough();
  const [chunks] = await Promise.all([
    target.toArray(),
    writeSpreadsheet(target, spreadsheet, pagesOf(...pages)),
  ]);
  return Buffer.concat(chunks);
}

const linkOf = (row: number) => `https://pictures.example/${row}?a=1&b=2`;

/** A spreadsheet of numbered rows, each with a link. */
const numbered = (values: Sheets<number> = {}): Spreadsheet<number> => ({
  name: "Rows",
  columns: [
    { header: "Number", width: 12, value: (row) => row },
    { header: "Picture", width: 20, value: (row) => ({ link: linkOf(row), text: "Open" }) },
  ],
  ...values,
});

const upTo = (count: number) => listOf(count, (index) => index + 1);

describe("rows that do not fit on a sheet continue on the next:", () => {
  const layouts: [rows: number, pages: number[], sheets: number[]][] = [
    [0, [], [0]],
    [1, [1], [1]],
    [3, [3], [3]],
    [4, [4], [3, 1]],
    [6, [2, 2, 2], [3, 3]],
    [7, [7], [3, 3, 1]],
    [10, [1, 5, 0, 4], [3, 3, 3, 1]],
  ];
  it.each(layouts)("%i rows in pages of %j on sheets of %j", async (count, pages, sheets) => {
    const rows = upTo(count);
    const file = await written(
      numbered({ maxRowsPerSheet: 3 }),
      ...pages.map((size) => rows.splice(0, size)),
    );
    const workbook = await workbookOf(file);
    const names = sheets.map((_, index) => (index === 0 ? "Rows" : `Rows ${index + 1}`));
    expect(workbook.worksheets.map(({ name }) => name)).toEqual(names);
    const left = upTo(count);
    for (const [index, size] of sheets.entries()) {
      const expected: Cell[][] = [["Number", "Picture"], ...left.splice(0, size).map((row) => [row, "Open"])];
      expect(await rowsOf(file, index + 1)).toEqual(expected);
      const sheet = workbook.worksheets[index] as exceljs.Worksheet;
      expect(exceljsRows(sheet)).toEqual(expected);
      expect(sheet.autoFilter).toBe(`A1:B${size + 1}`);
      expect(sheet.views).toEqual([expect.objectContaining({ state: "frozen", ySplit: 1 })]);
      expect(
        [1, 2].map((column) => [sheet.getColumn(column).width, sheet.getCell(1, column).font?.bold]),
      ).toEqual([
        [12, true],
        [20, true],
      ]);
    }
  });
});

describe("links beyond the maximum of a sheet are written as plain URLs:", () => {
  const linked = (sheet: exceljs.Worksheet | undefined) => {
    const cells = sheet?.getColumn(2).values.slice(2) ?? [];
    return cells.map((cell) => (typeof cell === "string" ? cell : (cell as exceljs.CellHyperlinkValue)));
  };
  const link = (row: number) => ({ text: "Open", hyperlink: linkOf(row) });

  it("after two links per sheet", async () => {
    const [first, second] = (
      await workbookOf(await written(numbered({ maxRowsPerSheet: 4, maxLinkedRowsPerSheet: 2 }), upTo(7)))
    ).worksheets;
    expect(linked(first)).toEqual([link(1), link(2), linkOf(3), linkOf(4)]);
    expect(linked(second)).toEqual([link(5), link(6), linkOf(7)]);
  });

  it("after 65,000 links per sheet by default", async () => {
    const { columns } = numbered();
    const file = await written({ name: "Rows", columns: columns.slice(1) }, upTo(65_001));
    const links = (await partOf(file, "xl/worksheets/sheet1.xml")).match(/<hyperlink /g);
    expect(links).toHaveLength(65_000);
    const rows = await rowsOf(file);
    expect([rows.length, rows.at(-2), rows.at(-1)]).toEqual([65_002, ["Open"], [linkOf(65_001)]]);
  });
});

it("a cell has the type of its value", async () => {
  const time = new Date("2026-11-20T12:34:56.789Z");
  const values: CellValue[] = ["text", 42, -1.5, 0, Number.MAX_SAFE_INTEGER, true, false, time, null, "x"];
  const format = (value: CellValue) => (value instanceof Date ? { format: "yyyy-mm-dd hh:mm:ss" } : {});
  const columns = values.map((value) => ({
    ...{ header: "Cell", width: 10, value: () => value },
    ...format(value),
  }));
  const file = await written({ name: "Cells", columns }, [1]);
  // It may truncate times to a millisecond less.
  const early = new Date(time.getTime() - 1);
  expect([time, early].map((at) => values.with(values.indexOf(time), at))).toContainEqual(
    (await rowsOf(file))[1],
  );
  expect(exceljsRows((await workbookOf(file)).worksheets[0])[1]).toEqual(values);
});

/** The documented appearance of a text in a spreadsheet. */
const shown = (text: string) =>
  text
    .toWellFormed()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: matches the characters that XML does not allow.
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufffe\uffff]/g, "\ufffd")
    .replace(/\r\n?/g, "\n");

const texts = (...values: string[]) =>
  written(
    { name: "Texts", columns: [column("x"), { header: "Text", width: 10, value: (row: string) => row }] },
    values,
  );
const column = (value: string) => ({ header: "Edge", width: 10, value: () => value });

it("a text is unchanged except for characters that XML does not allow: any combination of special characters", async () => {
  const parts = [
    ..."_xX0041dDaf =+-@<>'\"]",
    "_x",
    "_x0041_",
    "_x005F_",
    "\r",
    "\n",
    "\r\n",
    "\t",
    "\u0001",
    "\u001f",
    "\0",
    "\ud83c",
    "\udfa5",
    "🎥",
    "é",
    "\ufffe",
  ];
  const arbitrary = fc
    .array(fc.constantFrom(...parts), { minLength: 1, maxLength: 12 })
    .map((drawn) => drawn.join(""));
  const samples = fc.sample(arbitrary, { seed: 20261120, numRuns: 2000 });
  const file = await texts(...samples);
  const expected = samples.map(shown);
  expect((await rowsOf(file)).slice(1).map((row) => row[1])).toEqual(expected);
  const read = exceljsRows((await workbookOf(file)).worksheets[0]);
  expect(read.slice(1).map((row) => row[1])).toEqual(expected);
});

describe("a text that is too long for a cell is truncated:", () => {
  const ends: [string, string][] = [
    ["within a surrogate pair", "🎥".repeat(20_000)],
    ["after a character that is written as an escape", `${"x".repeat(32_760)}_x0041_${"y".repeat(100)}`],
    ...upTo(9).map((gap): [string, string] => [
      `${gap} characters before the end of an escape`,
      `${"x".repeat(32_768 - gap)}_x0041_`,
    ]),
  ];
  it.each(ends)("cut %s", async (_what, text) => {
    const [, [, cell] = []] = await rowsOf(await texts(text));
    const whole = String(cell).replace(/\ufffd$/, "");
    expect(text.startsWith(whole)).toBe(true);
    expect(whole.length).toBeGreaterThan(32_750);
    expect(String(cell).length).toBeLessThanOrEqual(32_767);
    expect(String(cell).isWellFormed()).toBe(true);
  });
});

describe("an invalid link does not corrupt the file:", () => {
  const links: [string, string][] = [
    ["with control characters", "https://pictures.example/\u0001\u001f"],
    ["with noncharacters", "https://pictures.example/\ufffe\uffff"],
    ["with a lone surrogate", "https://pictures.example/\ud83c"],
    ["with markup", "https://pictures.example/\"><a>'&amp;"],
  ];
  it.each(links)("%s", async (_what, link) => {
    const file = await written(
      { name: "Links", columns: [{ header: "Link", width: 10, value: () => ({ link, text: "Open" }) }] },
      [1],
    );
    const relations = await partOf(file, "xl/worksheets/_rels/sheet1.xml.rels");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: matches the characters that XML does not allow.
    expect(relations).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/);
    expect(await rowsOf(file)).toEqual([["Link"], ["Open"]]);
  });

  it("longer than the maximum becomes a text", async () => {
    const link = `https://pictures.example/${"x".repeat(2100)}`;
    const file = await written(
      { name: "Links", columns: [{ header: "Link", width: 10, value: () => ({ link, text: "Open" }) }] },
      [1],
    );
    expect(await rowsOf(file)).toEqual([["Link"], [link]]);
  });
});

describe("writeSpreadsheet", () => {
  it("reports the number of rows after each page and at the end", async () => {
    const target = new PassThrough();
    target.resume();
    const reported: number[] = [];
    const rows = await writeSpreadsheet(target, numbered(), pagesOf([1, 2], [], [3]), (soFar) =>
      reported.push(soFar),
    );
    expect({ rows, reported }).toEqual({ rows: 3, reported: [2, 2, 3] });
  });

  /** An endless supply of pages that counts how many were requested. */
  function endless() {
    const state = { requested: 0, ended: false };
    const pages = async function* () {
      try {
        while (state.requested < 500) {
          state.requested += 1;
          yield upTo(1000);
        }
      } finally {
        state.ended = true;
      }
    };
    return { state, pages: pages() };
  }

  it.each([
    ["a sheet", {}],
    ["sheets", { maxRowsPerSheet: 1500 }],
  ])(
    "requests no more pages of %s while the target is not read, and none after it is destroyed",
    async (_of, layout) => {
      const { state, pages } = endless();
      const target = new Writable({ write: () => {} });
      const outcome = writeSpreadsheet(target, numbered(layout), pages).catch((error: Error) => error);
      await waitUntilStable(() => state.requested);
      expect(state).toEqual({ requested: expect.any(Number), ended: false });
      expect(state.requested).toBeLessThan(200);
      const requested = state.requested;
      target.destroy();
      expect(await outcome).toBeInstanceOf(Error);
      expect(state).toEqual({ requested, ended: true });
    },
  );

  it("leaves the file unfinished if the rows cannot be read", async () => {
    const failing = async function* () {
      yield upTo(10);
      throw new Error("the database is gone");
    };
    const target = new PassThrough();
    target.resume();
    await expect(writeSpreadsheet(target, numbered(), failing())).rejects.toThrow("the database is gone");
    await waitUntilStable(() => target.writableEnded);
    expect(target.writableEnded).toBe(false);
  });

  it.each([
    ["the first page", 0],
    ["another page", 1],
    ["the end of the pages", 2],
  ])("fails if the target is destroyed while it waits for %s", async (_which, when) => {
    const target = new PassThrough();
    target.resume();
    const disconnecting = async function* () {
      for (let page = 0; page <= 2; page += 1) {
        if (page === when) await new Promise((resolve) => target.once("close", resolve).destroy());
        if (page < 2) yield upTo(10);
      }
    };
    expect(
      await writeSpreadsheet(target, numbered(), disconnecting()).catch((error: Error) => error),
    ).toBeInstanceOf(Error);
  });
});

/** Waits until a value has been unchanged for a while. */
async function waitUntilStable<Value>(read: () => Value): Promise<Value> {
  let last = read();
  for (let unchanged = 0; unchanged < 10; ) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    const next = read();
    unchanged = next === last ? unchanged + 1 : 0;
    last = next;
  }
  return last;
}
