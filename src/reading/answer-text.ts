import { JsonText } from "../platform/json-text.js";
import { endOfValue } from "../platform/sliced-json.js";
import { inTurns, type SlicedWork, unitsPerTurn } from "../platform/turns.js";
import type { Answer, ComputedGap, Gap, LeafList, LeafType, Part, PartGap } from "./answer.js";
import { notWritten, startOfGap } from "./answer-statement.js";
import type { ReadingContext } from "./loader.js";
import type { Relation } from "./relation.js";
import type { JsonPerParent } from "./visibility.js";

type Row = Record<string, unknown>;

/** An answer could not be completed: a value is not what its type allows, or could not be worked out. The executor has the error for that. */
export class IncompleteAnswerError extends Error {}

/** How many gaps are filled in a slice. */
const gapsPerSlice = unitsPerTurn;

/** Receives the answers for many parents, and puts in what only the gateway can tell. */
export async function receiveAnswers<Args>(
  context: ReadingContext,
  { isToOne }: Relation<Args>,
  { gaps, hasFreeJson }: Answer,
  results: JsonPerParent["results"],
): Promise<Map<string, unknown>> {
  const answers = new Map<string, unknown>();
  for (const [parentId, json] of results) {
    if (json?.includes(notWritten) || (hasFreeJson && json !== null && hasInexactNumber(json)))
      throw new IncompleteAnswerError("A value cannot be written");
    if (json === null) answers.set(parentId, isToOne ? null : []);
    else answers.set(parentId, new JsonText(gaps.length === 0 ? json : await filled(context, gaps, json)));
  }
  return answers;
}

/** A number with more digits than all have that are exact, as PostgreSQL writes numbers in JSON: without an exponent. */
const longNumber = /[ [-](\d\d\d\d\d\d\d\d\d\d\d\d\d\d\d\d+)/g;

/** Whether JSON may have a number, beyond those of its columns, that an executor would write otherwise. */
function hasInexactNumber(json: string): boolean {
  longNumber.lastIndex = 0;
  for (let match = longNumber.exec(json); match; match = longNumber.exec(json)) if (String(Number(match[1])) !== match[1]) return true;
  return false;
}

async function filled(context: ReadingContext, gaps: readonly Gap[], json: string): Promise<string> {
  try {
    const pieces = await inTurns(context, piecesOf(context, gaps, json));
    return pieces.some((piece) => piece instanceof Promise) ? (await Promise.all(pieces)).join("") : pieces.join("");
  } catch (error) {
    throw new IncompleteAnswerError("The answer could not be completed", { cause: error });
  }
}

/** The pieces between the gaps, and what fills these. */
function* piecesOf(context: ReadingContext, gaps: readonly Gap[], json: string): SlicedWork<(string | Promise<string>)[]> {
  const pieces: (string | Promise<string>)[] = [];
  let position = 0;
  let gapsInSlice = 0;
  for (;;) {
    startOfGap.lastIndex = position;
    const start = startOfGap.exec(json);
    if (!start) break;
    const gap = gaps[Number(start[1])] as Gap;
    const { text, end } = "part" in gap ? partText(gap, json, startOfGap.lastIndex) : computedText(context, gap, json, startOfGap.lastIndex);
    pieces.push(json.slice(position, start.index), text);
    position = end + 1;
    gapsInSlice += 1;
    if (gapsInSlice < gapsPerSlice) continue;
    gapsInSlice = 0;
    yield unitsPerTurn;
  }
  pieces.push(json.slice(position));
  return pieces;
}

/** What fills a gap, and where its content ends. */
interface Filling {
  text: string | Promise<string>;
  end: number;
}

/** A value that is worked out of columns of its row. */
function computedText(context: ReadingContext, { columns, type, resolve }: ComputedGap, json: string, start: number): Filling {
  const end = endOfValue(json, start) as number;
  const values = JSON.parse(json.slice(start, end)) as unknown[];
  const row: Row = {};
  for (const [index, { name, isDate }] of columns.entries()) {
    const value = values[index];
    row[name] = isDate && value !== null ? new Date(value as string) : value;
  }
  const value = resolve(row, context);
  if (!(value instanceof Promise)) return { text: JSON.stringify(leafOf(value, type)), end };
  const text = value.then((settled) => JSON.stringify(leafOf(settled, type)));
  // Where several fail, the others are nobody's.
  text.catch(() => {});
  return { text, end };
}

/** The selected members of a value that is kept as JSON: mostly all of them, as they are. */
function partText({ part, pattern }: PartGap, json: string, start: number): Filling {
  if (pattern) {
    pattern.lastIndex = start;
    if (pattern.test(json)) return { text: json.slice(start, pattern.lastIndex), end: pattern.lastIndex };
  }
  const end = endOfValue(json, start) as number;
  return { text: JSON.stringify(partValue(JSON.parse(json.slice(start, end)), part)), end };
}

const unexpected = () => new Error("The value is not what its type allows");

function leafOf(value: unknown, { leaf, isNullable }: LeafType): unknown {
  if (value == null) {
    if (!isNullable) throw unexpected();
    return null;
  }
  return leaf.serialize(value);
}

function partValue(value: unknown, part: PartGap["part"]): unknown {
  if ("leaf" in part) return leafOf(value, part);
  return "items" in part ? leavesOf(value, part) : selectedPart(value, part);
}

function leavesOf(value: unknown, { items, isNullable }: LeafList): unknown {
  if (value == null && isNullable) return null;
  if (!Array.isArray(value)) throw unexpected();
  return value.map((item) => leafOf(item, items));
}

function selectedPart(value: unknown, part: Part): unknown {
  if (value == null) {
    if (!part.isNullable) throw unexpected();
    return null;
  }
  if (!part.isList) return membersOf(value, part);
  if (!Array.isArray(value)) throw unexpected();
  return value.map((item) => membersOf(item, part));
}

function membersOf(value: unknown, { fields }: Part): Row {
  if (typeof value !== "object" || value === null) throw unexpected();
  // Without a prototype, as they have names from clients.
  const members: Row = Object.create(null);
  for (const { name, member, value: type } of fields) {
    const found = (value as Row)[member];
    members[name] = "leaf" in type ? leafOf(found, type) : selectedPart(found, type);
  }
  return members;
}
