import { once } from "node:events";
import type { Writable } from "node:stream";
import { finished } from "node:stream/promises";
import exceljs from "exceljs";

/** What a cell shows: a text, a number, a moment, a yes or no, a link, or nothing. */
export type CellValue = string | number | boolean | Date | { link: string; text: string } | null;

/** A column of a spreadsheet. */
export interface SpreadsheetColumn<Row> {
  header: string;
  /** In characters. */
  width: number;
  /** How numbers and moments are shown, in the notation of spreadsheets. */
  format?: string;
  value: (row: Row) => CellValue;
}

/** What is written, and how much of it goes where. */
export interface Spreadsheet<Row> {
  /** The name of the first sheet; those behind it are numbered. */
  name: string;
  columns: readonly SpreadsheetColumn<Row>[];
  /** Rows of one sheet, the header not counted. */
  rowsOfSheet?: number;
  /** Rows of one sheet whose links are links; they are plain texts after that, because spreadsheets allow no more. */
  linkedRowsOfSheet?: number;
}

const font = { name: "Calibri", size: 11, family: 2 } as const;
const headerStyle = { font: { ...font, bold: true } };
const linkStyle = { font: { ...font, underline: true, color: { argb: "FF0563C1" } } };
/** The first moment that a spreadsheet's calendar can tell rightly. */
const firstMoment = Date.UTC(1900, 2, 1);
const longestText = 32_767;
const longestLink = 2_079;
/** Bytes that may wait to be sent, and to be packed, so that the making and the packing of rows go on side by side. */
const mostPacked = 128 * 1024;
const mostWaiting = 2 * 1024 * 1024;

/**
 * Writes pages of rows as an xlsx workbook to a stream, and waits for whoever reads it; answers how many rows it wrote.
 * A stream that closes early ends the work with an error.
 */
export async function writeSpreadsheet<Row>(
  target: Writable,
  spreadsheet: Spreadsheet<Row>,
  pages: AsyncIterable<Row[]>,
  onProgress: (rows: number) => void = () => {},
): Promise<number> {
  const rest = pages[Symbol.asyncIterator]();
  // Nothing is sent before something was read: until then a failure can still be told.
  let page = await rest.next();
  const writer = new SpreadsheetWriter(target, spreadsheet);
  try {
    for (; !page.done; page = await rest.next()) {
      await writer.write(page.value);
      onProgress(writer.count);
    }
    await writer.end();
    return writer.count;
  } catch (error) {
    writer.abort();
    await rest.return?.();
    throw error;
  }
}

/**
 * What of exceljs has no type: the names of ranges, of which it would otherwise keep every cell, and where the rows go that
 * nobody has taken yet. Its streams are of an old make.
 */
interface Internals {
  zip: { abort(): void; unpipe(): void; on(event: "error", listener: (error: Error) => void): void };
  _definedNames: { model: { name: string; localSheetId: number; ranges: string[] }[] };
  stream: { pipes: (Writable & { _writableState: { needDrain: boolean; length: number } })[] };
}

class SpreadsheetWriter<Row> {
  count = 0;
  readonly #spreadsheet: Required<Spreadsheet<Row>>;
  readonly #workbook: exceljs.stream.xlsx.WorkbookWriter;
  readonly #closed = new AbortController();
  /** One for all cells of a column: exceljs takes long over each style that it has not met before. */
  readonly #styles: Partial<exceljs.Style>[];
  #sheet: exceljs.Worksheet;
  #sheets = 0;
  #rows = 0;

  constructor(target: Writable, spreadsheet: Spreadsheet<Row>) {
    this.#spreadsheet = { rowsOfSheet: 1_000_000, linkedRowsOfSheet: 65_000, ...spreadsheet };
    this.#styles = spreadsheet.columns.map(({ format }) => (format ? { numFmt: format } : {}));
    this.#workbook = new exceljs.stream.xlsx.WorkbookWriter({
      stream: target,
      useStyles: true,
      useSharedStrings: false,
      zip: { highWaterMark: mostPacked },
    } as Partial<exceljs.stream.xlsx.WorkbookStreamWriterOptions>);
    this.#internals._definedNames = { model: [] };
    this.#internals.zip.on("error", (error) => this.#closed.abort(error));
    const gone = () => this.#closed.abort(new Error("Whoever read the spreadsheet has gone"));
    if (target.closed) gone();
    else target.once("close", gone);
    this.#sheet = this.#addSheet();
  }

  async write(rows: Row[]): Promise<void> {
    this.#closed.signal.throwIfAborted();
    for (const row of rows) {
      if (this.#rows === this.#spreadsheet.rowsOfSheet) {
        this.#endSheet();
        // Sheets are packed one after the other: what the next one holds would wait as a whole.
        await finished(this.#entry as Writable, { signal: this.#closed.signal });
        this.#sheet = this.#addSheet();
      }
      this.#rows += 1;
      const isLinked = this.#rows <= this.#spreadsheet.linkedRowsOfSheet;
      const written = this.#sheet.addRow(this.#spreadsheet.columns.map(({ value }) => toCell(value(row), isLinked)));
      written.eachCell((cell, column) => {
        cell.style = cell.type === exceljs.ValueType.Hyperlink ? linkStyle : (this.#styles[column - 1] as Partial<exceljs.Style>);
      });
      written.commit();
    }
    this.count += rows.length;
    await this.#drained();
  }

  async end(): Promise<void> {
    this.#closed.signal.throwIfAborted();
    this.#endSheet();
    // The library waits for the end of a stream that may have been closed.
    const closed = once(this.#closed.signal, "abort").then(() => this.#closed.signal.throwIfAborted());
    await Promise.race([this.#workbook.commit(), closed]);
  }

  abort(): void {
    const { zip } = this.#internals;
    // What was broken off must not look like an end.
    zip.unpipe();
    zip.abort();
  }

  get #internals(): Internals {
    return this.#workbook as unknown as Internals;
  }

  /** Where the rows of the sheet go. */
  get #entry() {
    return (this.#sheet as unknown as Internals).stream.pipes[0];
  }

  /** exceljs hands its rows on without asking whether anybody takes them. */
  async #drained(): Promise<void> {
    const { signal } = this.#closed;
    signal.throwIfAborted();
    const entry = this.#entry;
    if (entry?._writableState.needDrain && entry._writableState.length > mostWaiting) await once(entry, "drain", { signal });
  }

  #addSheet(): exceljs.Worksheet {
    this.#sheets += 1;
    this.#rows = 0;
    const { name, columns } = this.#spreadsheet;
    const sheet = this.#workbook.addWorksheet(this.#sheets === 1 ? name : `${name} ${this.#sheets}`, { views: [{ state: "frozen", ySplit: 1 }] });
    sheet.columns = columns.map(({ width }, index) => ({ width, style: this.#styles[index] as Partial<exceljs.Style> }));
    const header = sheet.addRow(columns.map((column) => column.header));
    header.eachCell((cell) => {
      cell.style = headerStyle;
    });
    header.commit();
    return sheet;
  }

  #endSheet(): void {
    const { columns } = this.#spreadsheet;
    const lastRow = this.#rows + 1;
    this.#sheet.autoFilter = { from: { row: 1, column: 1 }, to: { row: lastRow, column: columns.length } };
    // LibreOffice finds the filter by this name.
    const range = `'${this.#sheet.name}'!$A$1:$${this.#sheet.getColumn(columns.length).letter}$${lastRow}`;
    this.#internals._definedNames.model.push({ name: "_xlnm._FilterDatabase", localSheetId: this.#sheets - 1, ranges: [range] });
    this.#sheet.commit();
  }
}

function toCell(value: CellValue, isLinked: boolean): exceljs.CellValue {
  if (typeof value === "string") return toText(value);
  if (value instanceof Date) return toMoment(value);
  if (value === null || typeof value !== "object") return value;
  const { link } = value;
  if (!isLinked || link.length > longestLink || !URL.canParse(link)) return legalText(link);
  return { text: legalText(value.text), hyperlink: new URL(link).href };
}

/** Only rich texts keep the spaces around them. */
function toText(text: string): exceljs.CellValue {
  const legal = legalText(text);
  return legal === legal.trim() ? legal : { richText: [{ text: legal }] };
}

/** A moment as the calendar of spreadsheets has it; as a text what it has not, and nothing where there is no such year. */
function toMoment(moment: Date): Date | string | null {
  if (Number.isNaN(moment.getTime())) return null;
  const isKnown = moment.getTime() >= firstMoment && moment.getUTCFullYear() <= 9999;
  return isKnown ? moment : moment.toISOString().slice(0, -1);
}

const usualText = /^[\x20-\x5e\x60-\x7e]*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: those that XML does not allow are what is looked for.
const illegal = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufffe\uffff]/g;
/** What spreadsheets would read as the number of a character, such as _x0041_. */
const encodedCharacter = /_(?=x[0-9a-f]{4}_)/gi;

/** A text as a spreadsheet can hold it and shows it: characters that cannot stand in one are replaced. */
function legalText(text: string): string {
  if (usualText.test(text) && text.length <= longestText) return text;
  // Encoded characters count as what they stand for.
  const shown = text.replace(/\r\n?/g, "\n").slice(0, longestText).toWellFormed();
  return shown.replace(illegal, "\ufffd").replace(encodedCharacter, "_x005F_");
}
