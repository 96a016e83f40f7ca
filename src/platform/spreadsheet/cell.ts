/** The content of a cell: text, a number, a time, a Boolean, a link, or nothing. */
export type CellValue = string | number | boolean | Date | { link: string; text: string } | null;

export interface SpreadsheetColumn<Row> {
  header: string;
  /** The width in characters. */
  width: number;
  /** The number format for numbers and times, in spreadsheet notation. */
  format?: string;
  value: (row: Row) => CellValue;
}

/** The number format of times, with seconds. */
export const timeFormat = "yyyy-mm-dd hh:mm:ss";

// biome-ignore lint/suspicious/noControlCharactersInRegex: matches the characters that XML does not allow.
const illegal = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufffe\uffff]/g;

/** Replaces the characters that files for spreadsheet programs must not contain. Keeps tabs and line breaks. */
export function replaceControlCharacters(text: string): string {
  return text.replace(illegal, "\ufffd");
}
