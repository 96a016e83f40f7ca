import type { Writable } from "node:stream";
import exceljs from "exceljs";

/*
 * Everything here relies on private fields of exceljs, because its types and documentation offer no other way. A test asserts
 * their shape, so that an upgrade of exceljs which changes them fails there and not in a download.
 */

/** exceljs's streaming workbook writer. */
export type WorkbookWriter = exceljs.stream.xlsx.WorkbookWriter;

interface WorkbookInternals {
  /** The archiver that packs the sheets into the file. */
  zip: { abort(): void; unpipe(): void; on(event: "error", listener: (error: Error) => void): void };
  _definedNames: { model: { name: string; localSheetId: number; ranges: string[] }[] };
}

interface SheetInternals {
  /** The archive entries that the XML of the sheet is piped to: always one. */
  stream: { pipes: (Writable & { _writableState: { needDrain: boolean; length: number } })[] };
}

const internalsOf = (workbook: WorkbookWriter) => workbook as unknown as WorkbookInternals;
const entryOf = (sheet: exceljs.Worksheet) => (sheet as unknown as SheetInternals).stream.pipes[0];

/**
 * Opens a workbook that is written to a stream while rows are added, with at most so many
 * compressed bytes buffered.
 */
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

/** Calls a listener with errors of the archive, which exceljs does not report. */
export function onArchiveError(workbook: WorkbookWriter, listener: (error: Error) => void): void {
  internalsOf(workbook).zip.on("error", listener);
}

/**
 * Stops writing without completing the archive, so that a truncated file cannot pass for
 * a complete one.
 */
export function abortArchive(workbook: WorkbookWriter): void {
  const { zip } = internalsOf(workbook);
  zip.unpipe();
  zip.abort();
}

/** The archive entry that a sheet is written to. */
export function archiveEntryOf(sheet: exceljs.Worksheet): Writable {
  return entryOf(sheet) as Writable;
}

/**
 * The archive entry of a sheet if more than so many of its bytes wait to be compressed:
 * exceljs itself ignores backpressure.
 */
export function congestedEntryOf(sheet: exceljs.Worksheet, maxPendingBytes: number): Writable | undefined {
  const entry = entryOf(sheet);
  return entry?._writableState.needDrain && entry._writableState.length > maxPendingBytes ? entry : undefined;
}
