import { type SlicedWork, unitsPerSlice } from "../queues/slices.js";
import { comma } from "./json-characters.js";
import { JsonText } from "./json-text.js";
import { countValues, type ValueCounting } from "./value-count.js";
import { endOfValue } from "./value-end.js";

/** The number of characters to parse at once, about ten milliseconds' work. Slices would take longer in total. */
const charactersAtOnce = 1024 * 1024;
const charactersPerSlice = 256 * 1024;
const charactersPerValue = 64;
/** The values to write at once, for the same reason. */
const atOnce: ValueCounting = { maximum: 100_000, charactersPerValue };
/** The values to write without looking for slices inside. */
const perText: ValueCounting = { maximum: 4_000, charactersPerValue };
/** The number of characters, and of values, that are as much work as a row. */
const charactersPerUnit = charactersPerSlice / unitsPerSlice;
const valuesPerUnit = 40;
/** The number of values to write without a slice: waiting for one would take as long as a short answer. */
const unslicedValues = 80;

/**
 * `JSON.parse` of valid text, in slices if it is long. Parsing 16 MB at once would hold up everybody for 190 ms. The
 * longest slice takes 33 ms, but all of them take four times as long.
 */
export function* parseInSlices(text: string): SlicedWork<unknown> {
  if (text.length > charactersAtOnce) return yield* new SlicedParser(text).value();
  yield text.length / charactersPerUnit;
  return JSON.parse(text);
}

class SlicedParser {
  readonly #text: string;
  #position = 0;
  #sliceEnd = 0;

  constructor(text: string) {
    this.#text = text;
  }

  *value(): SlicedWork<unknown> {
    this.#skipSpace();
    const start = this.#text[this.#position];
    const end = endOfValue(
      this.#text,
      this.#position,
      start === "[" || start === "{" ? charactersPerSlice : Number.POSITIVE_INFINITY,
    );
    if (end === undefined) return start === "[" ? yield* this.#array() : yield* this.#object();
    if (end >= this.#sliceEnd) {
      yield unitsPerSlice;
      this.#sliceEnd = end + charactersPerSlice;
    }
    const value: unknown = JSON.parse(this.#text.slice(this.#position, end));
    this.#position = end;
    return value;
  }

  *#array(): SlicedWork<unknown[]> {
    const items: unknown[] = [];
    do {
      this.#position += 1;
      items.push(yield* this.value());
    } while (this.#isComma());
    return items;
  }

  *#object(): SlicedWork<Record<string, unknown>> {
    const members: [string, unknown][] = [];
    do {
      this.#position += 1;
      const name = (yield* this.value()) as string;
      this.#skipSpace();
      this.#position += 1;
      members.push([name, yield* this.value()]);
    } while (this.#isComma());
    return Object.fromEntries(members);
  }

  /** Whether another item or member follows. If not, skips the closing bracket or brace. */
  #isComma(): boolean {
    this.#skipSpace();
    if (this.#text.charCodeAt(this.#position) === comma) return true;
    this.#position += 1;
    return false;
  }

  #skipSpace(): void {
    while (this.#text.charCodeAt(this.#position) <= 0x20) this.#position += 1;
  }
}

/**
 * `JSON.stringify` for plain data, in slices if the text is long. Inserts each {@link JsonText} as it is. Calls
 * `checkLength` with the length so far, and expects it to throw if that is too long.
 */
export function* stringifyInSlices(data: unknown, checkLength: (length: number) => void): SlicedWork<string> {
  const values = countValues(data, atOnce);
  if (values > unslicedValues && values < Number.POSITIVE_INFINITY)
    yield Math.min(values / valuesPerUnit, unitsPerSlice);
  if (values <= atOnce.maximum) return JSON.stringify(data);
  const texts: string[] = [];
  let slice = 0;
  let length = 0;
  for (const text of textsOf(data)) {
    texts.push(text);
    slice += text.length;
    length += text.length;
    checkLength(length);
    if (slice < charactersPerSlice) continue;
    slice = 0;
    yield unitsPerSlice;
  }
  return texts.join("");
}

function* textsOf(value: unknown): Generator<string> {
  if (value instanceof JsonText) {
    yield value.text;
    return;
  }
  const isWhole =
    typeof value !== "object" ||
    value === null ||
    writesItself(value) ||
    countValues(value, perText) <= perText.maximum;
  if (isWhole) yield JSON.stringify(value) ?? "null";
  else if (Array.isArray(value)) yield* textsOfList(value);
  else yield* textsOfObject(value);
}

/** Clients may name a member `toJSON`, too, as an alias or in free JSON. */
const writesItself = (value: object) => typeof (value as { toJSON?: unknown }).toJSON === "function";

/** Writes items together while they hold few values in total. */
function* textsOfList(items: unknown[]): Generator<string> {
  let separator = "[";
  for (let start = 0; start < items.length; separator = ",") {
    let end = start;
    for (let count = 0; end < items.length; end += 1) {
      count = countValues(items[end], perText, count);
      if (count > perText.maximum) break;
    }
    yield separator;
    if (end > start) yield JSON.stringify(items.slice(start, end)).slice(1, -1);
    else yield* textsOf(items[start]);
    start = Math.max(end, start + 1);
  }
  yield "]";
}

function* textsOfObject(members: object): Generator<string> {
  let separator = "{";
  for (const [name, member] of Object.entries(members)) {
    if (member === undefined) continue;
    yield `${separator}${JSON.stringify(name)}:`;
    yield* textsOf(member);
    separator = ",";
  }
  yield separator === "," ? "}" : "{}";
}
