import type { Writable } from "node:stream";
import exceljs from "exceljs";
import { defined } from "../defined.js";

// This file relies on private fields of exceljs, because its types and documentation offer no other way. A test asserts
// their shape: an upgrade of exceljs that changes the fields fails in the test, not in a download.

/** The streaming workbook writer of exceljs. */
export type WorkbookWriter = exceljs.stream.xlsx.WorkbookWriter;

interface WorkbookInternals {
  /** The archiver that packs the sheets into the file. */
  zip: { abort(): void; unpipe(): void; on(event: "error", listener: (error: Error) => void): void };
  _definedNames: { model: { name: string; localSheetId: number; ranges: string[] }[] };
}

interface SheetInternals {
  /** The archive entries that receive the XML of the sheet: always one. */
  stream: { pipes: (Writable & { _writableState: { needDrain: boolean; length: number } })[] };
}

const internalsOf = (workbook: WorkbookWriter) => workbook as WorkbookWriter & WorkbookInternals;
const entryOf = (sheet: exceljs.Worksheet) => (sheet as exceljs.Worksheet & SheetInternals).stream.pipes[0];

/** Opens a workbook that streams to its target while rows are added. Limits the number of buffered compressed bytes. */
export function openWorkbook(target: Writable, maxCompressedBytes: number): WorkbookWriter {
  const options = {
    stream: target,
    useStyles: true,
    useSharedStrings: false,
    zip: { highWaterMark: maxCompressedBytes },
  };
  const workbook = new exceljs.stream.xlsx.WorkbookWriter(
    options as Partial<exceljs.stream.xlsx.WorkbookStreamWriterOptions>,
  );
  // The original object keeps every cell of every named range in memory.
  internalsOf(workbook)._definedNames = { model: [] };
  return workbook;
}

/** Names a range of the sheet with this zero-based index. */
export function defineName(
  workbook: WorkbookWriter,
  name: string,
  localSheetId: number,
  range: string,
): void {
  internalsOf(workbook)._definedNames.model.push({ name, localSheetId, ranges: [range] });
}

/** Calls the listener with errors of the archive. exceljs does not report them. */
export function onArchiveError(workbook: WorkbookWriter, listener: (error: Error) => void): void {
  internalsOf(workbook).zip.on("error", listener);
}

/** Stops writing without completing the archive, so that nobody mistakes a truncated file for a complete one. */
export function abortArchive(workbook: WorkbookWriter): void {
  const { zip } = internalsOf(workbook);
  zip.unpipe();
  zip.abort();
}

export function archiveEntryOf(sheet: exceljs.Worksheet): Writable {
  return defined(entryOf(sheet));
}

/**
 * The archive entry of a sheet, if more than n of its bytes wait for compression. exceljs itself ignores backpressure.
 */
export function congestedEntryOf(sheet: exceljs.Worksheet, maxPendingBytes: number): Writable | undefined {
  const entry = entryOf(sheet);
  return entry?._writableState.needDrain && entry._writableState.length > maxPendingBytes ? entry : undefined;
}
