import { PassThrough, Writable } from "node:stream";
import type exceljs from "exceljs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CellValue, type Spreadsheet, writeSpreadsheet } from "../../src/http/spreadsheet.js";
import { type Cell, exceljsRows, partOf, rowsOf, workbookOf } from "./workbook.js";

type Sheets<Row> = Partial<Spreadsheet<Row>>;

const pagesOf = async function* <Row>(...pages: Row[][]) {
  yield* pages;
};

/** The workbook that is made of pages of rows. */
async function written<Row>(spreadsheet: Spreadsheet<Row>, ...pages: Row[][]): Promise<Buffer> {
  const target = new PassThrough();
  const [chunks] = await Promise.all([target.toArray(), writeSpreadsheet(target, spreadsheet, pagesOf(...pages))]);
  return Buffer.concat(chunks);
}

const linkOf = (row: number) => `https://pictures.example/${row}?a=1&b=2`;

/** Rows by their numbers, each with a link. */
const numbered = (values: Sheets<number> = {}): Spreadsheet<number> => ({
  name: "Rows",
  columns: [
    { header: "Number", width: 12, value: (row) => row },
    { header: "Picture", width: 20, value: (row) => ({ link: linkOf(row), text: "Open" }) },
  ],
  ...values,
});

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe("rows beyond those of a sheet go on with the next:", () => {
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
    const file = await written(numbered({ rowsOfSheet: 3 }), ...pages.map((size) => rows.splice(0, size)));
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
      expect([1, 2].map((column) => [sheet.getColumn(column).width, sheet.getCell(1, column).font?.bold])).toEqual([
        [12, true],
        [20, true],
      ]);
    }
  });
});

describe("links are links as far as a sheet may have them, and the addresses themselves after that:", () => {
  const linked = (sheet: exceljs.Worksheet | undefined) => {
    const cells = sheet?.getColumn(2).values.slice(2) ?? [];
    return cells.map((cell) => (typeof cell === "string" ? cell : (cell as exceljs.CellHyperlinkValue)));
  };
  const link = (row: number) => ({ text: "Open", hyperlink: linkOf(row) });

  it("two of each sheet", async () => {
    const [first, second] = (await workbookOf(await written(numbered({ rowsOfSheet: 4, linkedRowsOfSheet: 2 }), upTo(7)))).worksheets;
    expect(linked(first)).toEqual([link(1), link(2), linkOf(3), linkOf(4)]);
    expect(linked(second)).toEqual([link(5), link(6), linkOf(7)]);
  });

  it("65,000 of each sheet, unless it is said how many", async () => {
    const { columns } = numbered();
    const file = await written({ name: "Rows", columns: columns.slice(1) }, upTo(65_001));
    const links = (await partOf(file, "xl/worksheets/sheet1.xml")).match(/<hyperlink /g);
    expect(links).toHaveLength(65_000);
    const rows = await rowsOf(file);
    expect([rows.length, rows.at(-2), rows.at(-1)]).toEqual([65_002, ["Open"], [linkOf(65_001)]]);
  });
});

describe("a cell is what its value is:", () => {
  const values: [string, CellValue][] = [
    ["a text", "text"],
    ["a whole number", 42],
    ["a number below zero", -1.5],
    ["zero", 0],
    ["the largest number without gaps", Number.MAX_SAFE_INTEGER],
    ["true", true],
    ["false", false],
    ["a moment to the millisecond", new Date("2026-11-20T12:34:56.789Z")],
    ["nothing", null],
  ];
  const format = (value: CellValue) => (value instanceof Date ? { format: "yyyy-mm-dd hh:mm:ss" } : {});
  it.each(values)("%s", async (_what, value) => {
    const edge = { header: "Edge", width: 10, value: () => "x" };
    const file = await written({ name: "Cells", columns: [{ header: "Cell", width: 10, value: () => value, ...format(value) }, edge] }, [1]);
    const [sheet] = (await workbookOf(file)).worksheets;
    expect(exceljsRows(sheet)[1]).toEqual([value, "x"]);
    const [cell] = (await rowsOf(file))[1] as Cell[];
    if (value instanceof Date) expect([0, 1]).toContain(value.getTime() - (cell as Date).getTime());
    else expect(cell).toBe(value);
  });
});

/** How a text is shown by a spreadsheet, as it is documented. */
const shown = (text: string) =>
  text
    .toWellFormed()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: those that XML does not allow are meant.
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufffe\uffff]/g, "\ufffd")
    .replace(/\r\n?/g, "\n");

const texts = (...values: string[]) =>
  written({ name: "Texts", columns: [column("x"), { header: "Text", width: 10, value: (row: string) => row }] }, values);
const column = (value: string) => ({ header: "Edge", width: 10, value: () => value });

describe("a text is shown as it is, but for characters that cannot be:", () => {
  const halves: [string, string, string][] = [
    ["the first half of a pair", "a\ud83cb", "a\ufffdb"],
    ["the second half of a pair", "a\udfa5b", "a\ufffdb"],
    ["halves the wrong way round", "\udfa5\ud83c", "\ufffd\ufffd"],
    ["half a pair at the end", "x\ud83c", "x\ufffd"],
    ["a NUL", "a\0b", "a\ufffdb"],
  ];
  it.each(halves)("%s", async (_what, text, expected) => {
    const file = await texts(text);
    for (const rows of [await rowsOf(file), exceljsRows((await workbookOf(file)).worksheets[0])]) expect(rows[1]?.[1]).toBe(expected);
  });

  it("whatever it is put together of", async () => {
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
      "\ud83c",
      "\udfa5",
      "🎥",
      "é",
      "\ufffe",
    ];
    const arbitrary = fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength: 12 }).map((found) => found.join(""));
    const samples = fc.sample(arbitrary, { seed: 20261120, numRuns: 2000 });
    const file = await texts(...samples);
    const expected = samples.map(shown);
    expect((await rowsOf(file)).slice(1).map((row) => row[1])).toEqual(expected);
    const read = exceljsRows((await workbookOf(file)).worksheets[0]);
    expect(read.slice(1).map((row) => row[1])).toEqual(expected);
  });
});

describe("a text that is too long for a cell is shown as far as it fits:", () => {
  const ends: [string, string][] = [
    ["in the middle of a pair", "🎥".repeat(20_000)],
    ["behind a character that takes more room than it shows", `${"x".repeat(32_760)}_x0041_${"y".repeat(100)}`],
    ...upTo(9).map((gap): [string, string] => [`${gap} before such a character ends`, `${"x".repeat(32_768 - gap)}_x0041_`]),
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

describe("a link that spreadsheets do not take as one leaves the file whole:", () => {
  const links: [string, string][] = [
    ["with control characters", "https://pictures.example/\u0001\u001f"],
    ["with characters that are none", "https://pictures.example/\ufffe\uffff"],
    ["with half a pair", "https://pictures.example/\ud83c"],
    ["with markup", "https://pictures.example/\"><a>'&amp;"],
  ];
  it.each(links)("%s", async (_what, link) => {
    const file = await written({ name: "Links", columns: [{ header: "Link", width: 10, value: () => ({ link, text: "Open" }) }] }, [1]);
    const relations = await partOf(file, "xl/worksheets/_rels/sheet1.xml.rels");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: those that XML does not allow are meant.
    expect(relations).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/);
    expect(await rowsOf(file)).toEqual([["Link"], ["Open"]]);
  });

  it("with more characters than a link may have: it is a text", async () => {
    const link = `https://pictures.example/${"x".repeat(2100)}`;
    const file = await written({ name: "Links", columns: [{ header: "Link", width: 10, value: () => ({ link, text: "Open" }) }] }, [1]);
    expect(await rowsOf(file)).toEqual([["Link"], [link]]);
  });
});

describe("the one who writes", () => {
  it("says after each page how many rows there are, and how many in the end", async () => {
    const target = new PassThrough();
    target.resume();
    const said: number[] = [];
    const rows = await writeSpreadsheet(target, numbered(), pagesOf([1, 2], [], [3]), (soFar) => said.push(soFar));
    expect({ rows, said }).toEqual({ rows: 3, said: [2, 2, 3] });
  });

  /** More pages than anybody takes, and how many were asked for. */
  function endless() {
    const state = { asked: 0, ended: false };
    const pages = async function* () {
      try {
        while (state.asked < 500) {
          state.asked += 1;
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
    ["sheets", { rowsOfSheet: 1500 }],
  ])("asks for no more pages of %s while nobody takes what there is, and for none when they have gone", async (_of, layout) => {
    const { state, pages } = endless();
    const target = new Writable({ write: () => {} });
    const outcome = writeSpreadsheet(target, numbered(layout), pages).catch((error: Error) => error);
    await settled(() => state.asked);
    expect(state).toEqual({ asked: expect.any(Number), ended: false });
    expect(state.asked).toBeLessThan(200);
    const asked = state.asked;
    target.destroy();
    expect(await outcome).toBeInstanceOf(Error);
    expect(state).toEqual({ asked, ended: true });
  });

  it("fails when whoever takes it fails", async () => {
    const { state, pages } = endless();
    const target = new Writable({ write: (_chunk, _encoding, done) => done(new Error("the disk is full")) });
    target.on("error", () => {});
    await expect(writeSpreadsheet(target, numbered(), pages)).rejects.toThrow();
    expect(state.ended).toBe(true);
  });

  it("leaves the file unfinished when the rows cannot be read", async () => {
    const broken = async function* () {
      yield upTo(10);
      throw new Error("the database is gone");
    };
    const target = new PassThrough();
    target.resume();
    await expect(writeSpreadsheet(target, numbered(), broken())).rejects.toThrow("the database is gone");
    await settled(() => target.writableEnded);
    expect(target.writableEnded).toBe(false);
  });

  it.each([
    ["the first page", 0],
    ["another page", 1],
    ["the end of the pages", 2],
  ])("fails when whoever takes it goes while it waits for %s", async (_which, when) => {
    const target = new PassThrough();
    target.resume();
    const parting = async function* () {
      for (let page = 0; page <= 2; page += 1) {
        if (page === when) await new Promise((resolve) => target.once("close", resolve).destroy());
        if (page < 2) yield upTo(10);
      }
    };
    expect(await writeSpreadsheet(target, numbered(), parting()).catch((error: Error) => error)).toBeInstanceOf(Error);
  });

  it("fails when it has written everything and nobody takes the end", async () => {
    const target = new Writable({ write: () => {} });
    const outcome = writeSpreadsheet(target, numbered(), pagesOf(upTo(10))).catch((error: Error) => error);
    await settled(() => target.writableLength);
    target.destroy();
    expect(await outcome).toBeInstanceOf(Error);
  });
});

/** Waits until something has stayed the same for a while. */
async function settled<Value>(look: () => Value): Promise<Value> {
  let last = look();
  for (let same = 0; same < 10; ) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    const next = look();
    same = next === last ? same + 1 : 0;
    last = next;
  }
  return last;
}
