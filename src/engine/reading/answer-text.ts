import { JsonText } from "../../platform/json/json-text.js";
import { endOfValue } from "../../platform/json/value-end.js";
import { inSlices, type SlicedWork, unitsPerSlice } from "../../platform/queues/slices.js";
import { assertAnswerLength, isTooLarge } from "./answer-size.js";
import { notWritten, startOfGap } from "./answer-statement.js";
import type { ReadingContext } from "./loader.js";
import { completedText } from "./selection/completion.js";
import type { Answer, Gap, PartGap, Relation, RowGap } from "./selection/selection.js";
import type { JsonPerParent } from "./visibility.js";

/**
 * An answer could not be completed: a value is not allowed by its type, or its resolver failed. Executing the operation
 * by graphql-js produces the proper error.
 */
export class IncompleteAnswerError extends Error {}

/** The number of characters that take as much work as a gap. */
const charactersPerGap = 1024;

/** Receives the answers for many parents, and fills their gaps. */
export async function receiveAnswers<Args>(
  context: ReadingContext,
  { isToOne }: Relation<Args>,
  { gaps, hasFreeJson }: Answer,
  results: JsonPerParent["results"],
): Promise<Map<string, unknown>> {
  const answers = new Map<string, unknown>();
  const written: string[] = [];
  for (const [parentId, json] of results) {
    if (json?.includes(notWritten) || (hasFreeJson && json !== null && hasInexactNumber(json)))
      throw new IncompleteAnswerError("A value cannot be written");
    if (json === null) answers.set(parentId, isToOne ? null : []);
    else written.push(json);
  }
  const texts = gaps.length === 0 ? written : await filled(context, gaps, written);
  let index = 0;
  for (const [parentId, json] of results) {
    if (json === null) continue;
    answers.set(parentId, new JsonText(texts[index] as string));
    index += 1;
  }
  return answers;
}

/** A number with more digits than JavaScript always keeps. In JSON, PostgreSQL writes numbers without an exponent. */
const longNumber = /[ [-](\d\d\d\d\d\d\d\d\d\d\d\d\d\d\d\d+)/g;

/** Whether free JSON has a number that graphql-js would write differently. */
function hasInexactNumber(json: string): boolean {
  longNumber.lastIndex = 0;
  for (let match = longNumber.exec(json); match; match = longNumber.exec(json))
    if (String(Number(match[1])) !== match[1]) return true;
  return false;
}

type Piece = string | Promise<string>;

/**
 * Fills the gaps of all answers together, so that one statement reads the rows that a resolver loads for all of them.
 */
async function filled(
  context: ReadingContext,
  gaps: readonly Gap[],
  answers: readonly string[],
): Promise<string[]> {
  try {
    const pieces = await inSlices(context, piecesOf(context, gaps, answers));
    let length = 0;
    const joined = (each: readonly string[]): string => {
      // The same rows may fill many gaps.
      length += each.reduce((sum, piece) => sum + piece.length, 0);
      assertAnswerLength(length);
      return each.join("");
    };
    if (!pieces.some((each) => each.some((piece) => piece instanceof Promise)))
      return (pieces as string[][]).map(joined);
    return await Promise.all(pieces.map(async (each) => joined(await Promise.all(each))));
  } catch (error) {
    if (isTooLarge(error)) throw error;
    throw new IncompleteAnswerError("The answer could not be completed", { cause: error });
  }
}

/** The pieces of each answer: the texts between the gaps, and the values of the gaps. */
function* piecesOf(
  context: ReadingContext,
  gaps: readonly Gap[],
  answers: readonly string[],
): SlicedWork<Piece[][]> {
  let units = 0;
  const pieces: Piece[][] = [];
  for (const json of answers) {
    const ofAnswer: Piece[] = [];
    let position = 0;
    for (;;) {
      startOfGap.lastIndex = position;
      const start = startOfGap.exec(json);
      if (!start) break;
      const gap = gaps[Number(start[1])] as Gap;
      const { text, end } =
        "resolve" in gap
          ? rowText(context, gap, json, startOfGap.lastIndex)
          : partText(gap, json, startOfGap.lastIndex);
      // If several fail, nobody awaits the others.
      if (text instanceof Promise) text.catch(() => {});
      ofAnswer.push(json.slice(position, start.index), text);
      units += Math.max(1, (end - position) / charactersPerGap);
      position = end + 1;
      if (units < unitsPerSlice) continue;
      units = 0;
      yield unitsPerSlice;
    }
    ofAnswer.push(json.slice(position));
    pieces.push(ofAnswer);
  }
  return pieces;
}

/** The value of a gap, and the end of the gap's content. */
interface Filling {
  text: Piece;
  end: number;
}

/** A value that a resolver computes from columns of the row, or loads by them. */
function rowText(
  context: ReadingContext,
  { columns, resolve, completion }: RowGap,
  json: string,
  start: number,
): Filling {
  const end = endOfValue(json, start) as number;
  const values = JSON.parse(json.slice(start, end)) as unknown[];
  const row: Record<string, unknown> = {};
  for (const [index, { name, isDate }] of columns.entries()) {
    const value = values[index];
    row[name] = isDate && value !== null ? new Date(value as string) : value;
  }
  return { text: completedText(resolve(row, context), completion), end };
}

/** The selected members of a value that is stored as JSON: usually all of them, unchanged. */
function partText({ completion, pattern }: PartGap, json: string, start: number): Filling {
  if (pattern) {
    pattern.lastIndex = start;
    if (pattern.test(json)) return { text: json.slice(start, pattern.lastIndex), end: pattern.lastIndex };
  }
  const end = endOfValue(json, start) as number;
  return { text: completedText(JSON.parse(json.slice(start, end)), completion), end };
}
