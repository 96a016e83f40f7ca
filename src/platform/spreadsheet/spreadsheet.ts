import { once } from "node:events";
import type { Writable } from "node:stream";
import { finished } from "node:stream/promises";
import exceljs from "exceljs";
import { parsedUrl } from "../network/parsed-url.js";
import { takeSlice } from "../queues/slices.js";
import { type CellValue, replaceControlCharacters, type SpreadsheetColumn, timeFormat } from "./cell.js";
import {
  abortArchive,
  archiveEntryOf,
  congestedEntryOf,
  defineName,
  onArchiveError,
  openWorkbook,
  type WorkbookWriter,
} from "./exceljs-internals.js";

/** The columns of a spreadsheet, and the rules for continuing on another sheet. */
export interface Spreadsheet<Row> {
  /** The name of the first sheet. The following sheets are numbered. */
  name: string;
  columns: readonly SpreadsheetColumn<Row>[];
  /** The maximum number of rows on a sheet, without the header. */
  maxRowsPerSheet?: number;
  /**
   * The rows per sheet with real links. Later ones show links as plain text: spreadsheets limit the number of links.
   */
  maxLinkedRowsPerSheet?: number;
  /** A last sheet with facts about the others. */
  facts?: FactSheet;
}

interface FactSheet {
  name: string;
  facts: readonly Fact[];
}

export type Fact = readonly [name: string, value: CellValue];

const font = { name: "Calibri", size: 11, family: 2 } as const;
const headerStyle = { font: { ...font, bold: true } };
const linkStyle = { font: { ...font, underline: true, color: { argb: "FF0563C1" } } };
const factStyle = { alignment: { horizontal: "left", vertical: "top", wrapText: true } } as const;
const timeFactStyle = { ...factStyle, numFmt: timeFormat };
/** Print each sheet as wide as a landscape page, over as many pages as it needs. */
const tablePages = { orientation: "landscape", fitToPage: true, fitToWidth: 1, fitToHeight: 0 } as const;
/** Spreadsheet calendars are wrong before this date: they contain February 29, 1900. */
const earliestDate = Date.UTC(1900, 2, 1);
const maxTextLength = 32_767;
const maxLinkLength = 2_079;
/** The most bytes that wait to be sent or compressed: enough to generate rows while others are compressed. */
const maxCompressedBytes = 128 * 1024;
const maxPendingBytes = 2 * 1024 * 1024;
/**
 * The rows per slice, and the work per row. With this many units, there is one slice per iteration of the event loop.
 */
const rowsPerSlice = 20;
const unitsPerRow = 16;

/**
 * Writes pages of rows as an xlsx workbook to a stream, respects its backpressure, and returns the number of
 * rows. Rejects if the stream closes early.
 */
export async function writeSpreadsheet<Row>(
  target: Writable,
  spreadsheet: Spreadsheet<Row>,
  pages: AsyncIterable<Row[]>,
  onProgress: (rows: number) => void = () => {},
): Promise<number> {
  const rest = pages[Symbol.asyncIterator]();
  // Read the first page before sending anything: until then, a failure can still set the status code.
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

class SpreadsheetWriter<Row> {
  count = 0;
  readonly #spreadsheet: Spreadsheet<Row> &
    Required<Pick<Spreadsheet<Row>, "maxRowsPerSheet" | "maxLinkedRowsPerSheet">>;
  readonly #workbook: WorkbookWriter;
  readonly #closed = new AbortController();
  /** One object for all cells of a column: exceljs is slow for each new style object. */
  readonly #styles: Partial<exceljs.Style>[];
  #sheet: exceljs.Worksheet;
  #sheets = 0;
  #rows = 0;

  constructor(target: Writable, spreadsheet: Spreadsheet<Row>) {
    this.#spreadsheet = { maxRowsPerSheet: 1_000_000, maxLinkedRowsPerSheet: 65_000, ...spreadsheet };
    this.#styles = spreadsheet.columns.map(({ format }) => (format ? { numFmt: format } : {}));
    this.#workbook = openWorkbook(target, maxCompressedBytes);
    onArchiveError(this.#workbook, (error) => this.#closed.abort(error));
    const onClose = () =>
      this.#closed.abort(new Error("The stream that the spreadsheet is written to was closed"));
    if (target.closed) onClose();
    else target.once("close", onClose);
    this.#sheet = this.#addSheet();
  }

  async write(rows: Row[]): Promise<void> {
    this.#closed.signal.throwIfAborted();
    for (const row of rows) {
      if (this.#rows === this.#spreadsheet.maxRowsPerSheet) {
        this.#endSheet();
        // Finish each sheet first. The archive compresses sheets one after the other, so all rows of the next one would
        // be buffered.
        await finished(archiveEntryOf(this.#sheet), { signal: this.#closed.signal });
        this.#sheet = this.#addSheet();
      }
      this.#rows += 1;
      const hasLink = this.#rows <= this.#spreadsheet.maxLinkedRowsPerSheet;
      const written = this.#sheet.addRow(
        // An empty cell costs as much as another, unless it is undefined.
        this.#spreadsheet.columns.map(({ value }) => toCell(value(row), hasLink) ?? undefined),
      );
      written.eachCell((cell, column) => {
        cell.style = cell.type === exceljs.ValueType.Hyperlink ? linkStyle : (this.#styles[column - 1] ?? {});
      });
      written.commit();
      if (this.#rows % rowsPerSlice > 0) continue;
      await takeSlice(this, rowsPerSlice * unitsPerRow);
      this.#closed.signal.throwIfAborted();
    }
    this.count += rows.length;
    await this.#drained();
  }

  async end(): Promise<void> {
    this.#closed.signal.throwIfAborted();
    this.#endSheet();
    if (this.#spreadsheet.facts) this.#addFacts(this.#spreadsheet.facts);
    // exceljs would wait for the stream to finish even after the stream was closed.
    const closed = once(this.#closed.signal, "abort").then(() => this.#closed.signal.throwIfAborted());
    await Promise.race([this.#workbook.commit(), closed]);
  }

  abort(): void {
    abortArchive(this.#workbook);
  }

  async #drained(): Promise<void> {
    const { signal } = this.#closed;
    signal.throwIfAborted();
    const congested = congestedEntryOf(this.#sheet, maxPendingBytes);
    if (congested) await once(congested, "drain", { signal });
  }

  #addSheet(): exceljs.Worksheet {
    this.#sheets += 1;
    this.#rows = 0;
    const { name, columns } = this.#spreadsheet;
    const sheet = this.#workbook.addWorksheet(this.#sheets === 1 ? name : `${name} ${this.#sheets}`, {
      views: [{ state: "frozen", ySplit: 1 }],
      pageSetup: tablePages,
    });
    sheet.columns = columns.map(({ width }, index) => ({
      width,
      style: this.#styles[index] ?? {},
    }));
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
    defineName(this.#workbook, "_xlnm._FilterDatabase", this.#sheets - 1, range);
    // Print the header on each page.
    defineName(this.#workbook, "_xlnm.Print_Titles", this.#sheets - 1, `'${this.#sheet.name}'!$1:$1`);
    this.#sheet.commit();
  }

  #addFacts({ name, facts }: FactSheet): void {
    const sheet = this.#workbook.addWorksheet(name);
    sheet.columns = [{ width: 24 }, { width: 60 }];
    for (const [label, value] of facts) {
      const row = sheet.addRow([label, toCell(value, true)]);
      row.getCell(1).style = headerStyle;
      row.getCell(2).style = value instanceof Date ? timeFactStyle : factStyle;
      row.commit();
    }
    sheet.commit();
  }
}

function toCell(value: CellValue, hasLink: boolean): exceljs.CellValue {
  if (typeof value === "string") return toTextCell(value);
  if (value instanceof Date) return toDateCell(value);
  if (value === null || typeof value !== "object") return value;
  const { link } = value;
  const url = hasLink && link.length <= maxLinkLength ? parsedUrl(link) : undefined;
  return url ? { text: legalText(value.text), hyperlink: url.href } : legalText(link);
}

/** Only rich text keeps leading and trailing spaces. */
function toTextCell(text: string): exceljs.CellValue {
  const legal = legalText(text);
  return legal === legal.trim() ? legal : { richText: [{ text: legal }] };
}

/** A date cell; text for dates outside of spreadsheet calendars, and null for an invalid date. */
function toDateCell(date: Date): Date | string | null {
  if (Number.isNaN(date.getTime())) return null;
  const isRepresentable = date.getTime() >= earliestDate && date.getUTCFullYear() <= 9999;
  return isRepresentable ? date : date.toISOString().slice(0, -1);
}

const plainText = /^[\x20-\x5e\x60-\x7e]*$/;
/** Text that spreadsheets would decode as an escaped character, such as _x0041_. */
const encodedCharacter = /_(?=x[0-9a-f]{4}_)/gi;

/** Adapts a text to a cell: truncates it, and replaces characters that XML does not allow. */
function legalText(text: string): string {
  if (plainText.test(text) && text.length <= maxTextLength) return text;
  // The length limit applies to the text before escaping.
  const shown = text.replace(/\r\n?/g, "\n").slice(0, maxTextLength).toWellFormed();
  return replaceControlCharacters(shown).replace(encodedCharacter, "_x005F_");
}
