import { randomUUID } from "node:crypto";
import { isDigit, isInNumber, quote } from "./json-characters.js";
import { endOfText } from "./value-end.js";

/**
 * Numbers up to this length without an exponent keep their value: they have at most 15
 * digits.
 */
export const maxPlainLength = 15;
/** JavaScript never writes a number with more digits. */
const maxDigits = 17;

/** The message about a number whose value would change. */
export const changedNumber = "has more digits than a number keeps, or is too large";

/**
 * Whether JavaScript keeps the value of a decimal number. JavaScript reads numbers with a
 * precision of 53 bits.
 */
export function isKept(number: string): boolean {
  if (number.length <= maxPlainLength && !/e/i.test(number)) return true;
  const read = Number(number);
  if (String(read) === number) return true;
  if (!Number.isFinite(read)) return false;
  const given = decimalOf(number);
  if (given.digits.length > maxDigits) return false;
  const kept = decimalOf(read.toExponential());
  return given.digits === kept.digits && (given.digits === "" || given.exponent === kept.exponent);
}

/**
 * The digits of a number without leading and trailing zeros, and the number of digits
 * before the point.
 */
function decimalOf(number: string): { digits: string; exponent: number } {
  const [mantissa = "", exponent = "0"] = number.replace(/^-/, "").toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const all = whole + fraction;
  let start = 0;
  while (all[start] === "0") start += 1;
  let end = all.length;
  while (end > start && all[end - 1] === "0") end -= 1;
  return { digits: all.slice(start, end), exponent: whole.length - start + Number(exponent) };
}

/** Replaces a number whose value JSON.parse changes. Clients cannot guess it. */
const mark = randomUUID();

/**
 * Parses valid JSON, and puts a mark in place of each number whose value JSON.parse
 * changes (see {@link changedNumbers}). Returns undefined if there is no such number.
 */
export function parseMarked(text: string): unknown {
  const parts: string[] = [];
  let copied = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === quote) at = endOfText(text, at);
    else if (isDigit(character)) {
      const end = endOfNumber(text, at);
      if (!isKept(text.slice(at, end))) {
        parts.push(text.slice(copied, text[at - 1] === "-" ? at - 1 : at), `"${mark}"`);
        copied = end;
      }
      at = end - 1;
    }
  }
  return parts.length > 0 ? JSON.parse(parts.join("") + text.slice(copied)) : undefined;
}

function endOfNumber(text: string, start: number): number {
  let end = start;
  while (isInNumber(text.charCodeAt(end))) end += 1;
  return end;
}

const readers = new WeakMap<object, () => unknown>();

/** Remembers the text of a parsed value, for {@link readMarked}. */
export function rememberText(value: unknown, text: string): void {
  if (isNested(value)) readers.set(value, () => parseMarked(text));
}

/** Remembers the text of a member of the value, too. */
export function rememberMember(value: object, name: string): void {
  const read = readers.get(value);
  const member = read && (value as Record<string, unknown>)[name];
  if (read && isNested(member))
    readers.set(member, () => (read() as Record<string, unknown> | undefined)?.[name]);
}

/** Whether the text of a value is remembered: its numbers may have changed. */
export const isTextKnown = (value: object): boolean => readers.has(value);

/**
 * The value with marks, as from {@link parseMarked}; undefined also if nobody remembered
 * its text.
 */
export function readMarked(value: object): unknown {
  return readers.get(value)?.();
}

/** Whether a value, or anything in it, is a number. */
export function hasNumbers(value: unknown): boolean {
  if (!isNested(value)) return typeof value === "number";
  return Object.values(value).some(hasNumbers);
}

const isNested = (value: unknown): value is object => typeof value === "object" && value !== null;

type Path = readonly (string | number)[];

/** The paths of marks in a marked value, up to a maximum. */
export function changedNumbers(marked: unknown, maximum: number): Path[] {
  const paths: Path[] = [];
  const find = (value: unknown, path: Path): void => {
    if (value === mark) paths.push(path);
    if (!isNested(value)) return;
    for (const [name, inner] of Object.entries(value)) {
      if (paths.length >= maximum) return;
      find(inner, [...path, name]);
    }
  };
  find(marked, []);
  return paths;
}
