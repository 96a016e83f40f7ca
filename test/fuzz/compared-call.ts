import { print } from "graphql";
import { positionIn } from "../../src/api/mcp/cursor.js";
import {
  type CallCircumstances,
  type FixedTool,
  maxItems,
  maxTextBytes,
  type ToolResult,
} from "../../src/api/mcp/tool.js";
import { tools } from "../../src/api/mcp/tools.js";
import { toServiceError } from "../../src/platform/errors/errors.js";
import type { SeededRandom } from "../../src/programs/demo/seeded-random.js";
import { type Answer, type Asked, Difference } from "./compared-answer.js";
import { argumentFor } from "./tool-arguments.js";
import type { World } from "./world.js";

/** A call of a tool, with arguments that its rules accept. */
interface DrawnCall {
  tool: FixedTool;
  given: Record<string, unknown>;
}

/** How one caller calls a tool, and asks for its operation level by level. */
interface Ways {
  now: Date;
  who: string;
  ask(asked: Asked): Promise<Answer>;
  call(message: object): Promise<Answer>;
}

/** What a tool told. */
interface ToldContent {
  notice: string;
  items?: object[];
  next_cursor?: string;
}

const maxDraws = 500;
/** A tool is asked to go on this often. */
const maxAnswers = 5;
/** As many items as those answers may have together. */
const longPage = maxAnswers * maxItems;
/** Room for what an answer says besides its items. */
const maxSlack = 1_500;

const readingTools = tools.filter(({ writes }) => !writes);

/** Draws a call of a tool that reads. */
export function drawCall(random: SeededRandom, world: World): DrawnCall {
  const tool = random.pick(readingTools);
  const { shape } = tool.input;
  const names = Object.keys(shape).filter((name) => name !== "cursor");
  const isRequired = (name: string) => !shape[name]?.safeParse(undefined).success;
  // Most arguments leave too little for a second answer.
  const chance = random.chance(0.4) ? 0 : 0.2;
  for (let draws = 0; draws < maxDraws; draws += 1) {
    const taken = names.filter((name) => isRequired(name) || random.chance(chance));
    const given = Object.fromEntries(taken.map((name) => [name, argumentFor(name, random, world)]));
    if (tool.input.safeParse(given).success) return { tool, given };
  }
  throw new Error(`No valid call of ${tool.name} in ${maxDraws}`);
}

/**
 * Compares the answers of a tool, one after the other, with what its operation answers
 * level by level: each with the same page, and all together with one long page. Returns
 * the number of answers.
 */
export async function compareCall(drawn: DrawnCall, ways: Ways): Promise<number> {
  const shown: object[] = [];
  let cursor: string | undefined;
  let answers = 0;
  do {
    const told = await comparePage(drawn, cursor, ways);
    answers += 1;
    if ("code" in told) return answers;
    shown.push(...(told.items ?? []));
    cursor = told.next_cursor;
  } while (cursor !== undefined && answers < maxAnswers);
  const whole = await wholeByTwin(drawn, ways);
  if (whole)
    assertSame(drawn, ways, whole, {
      expected: whole.items.slice(0, cursor === undefined ? undefined : shown.length),
      actual: shown,
    });
  return answers;
}

async function comparePage(
  drawn: DrawnCall,
  cursor: string | undefined,
  ways: Ways,
): Promise<ToldContent | { code: string }> {
  const { tool, given } = drawn;
  const valid = validOf(drawn);
  const position = cursor === undefined ? undefined : positionIn(cursor, tool.name, valid);
  const twin = await toldByTwin(tool, valid, { position, now: ways.now }, ways);
  const answer = await ways.call({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: tool.name, arguments: { ...given, ...(cursor !== undefined && { cursor }) } },
  });
  const told = contentOf(answer);
  const isRefused = "code" in twin || "code" in told;
  assertSame(
    drawn,
    ways,
    { ...twin, actual: answer },
    isRefused
      ? { expected: "code" in twin ? { code: twin.code } : twin.told, actual: told }
      : { expected: expectedOf(twin.told, told), actual: partsOf(told) },
  );
  return told;
}

const validOf = ({ tool, given }: DrawnCall) => tool.input.parse(given) as never;

/** The compared parts of what a tool told. */
function partsOf({ notice: _, items, next_cursor, ...facts }: ToldContent) {
  return { facts, items, goesOn: next_cursor !== undefined };
}

/** The parts that the twin's answer makes. */
function expectedOf({ facts = {}, items, hasMore = false }: ToolResult, told: ToldContent) {
  const all = items?.map(({ item }) => item);
  const count = all ? countOf(told, all) : 0;
  return { facts, items: all?.slice(0, count), goesOn: hasMore || count < (all?.length ?? 0) };
}

function assertSame(
  { tool, given }: DrawnCall,
  { who }: Ways,
  { asked, answer, actual: received = answer }: { asked: Asked; answer: Answer; actual?: Answer },
  { expected, actual }: { expected: unknown; actual: unknown },
): void {
  const [one, other] = [JSON.stringify(expected), JSON.stringify(actual)];
  if (one === other) return;
  throw new Difference(
    `What ${tool.name} tells ${who} of ${JSON.stringify(given)} differs`,
    asked,
    { ...answer, text: one },
    { ...received, text: other },
  );
}

/** The number of items that an answer must have: all that fit. */
function countOf(told: ToldContent, all: readonly object[]): number {
  const shown = told.items?.length ?? 0;
  const next = all[shown];
  const most = Math.min(all.length, maxItems);
  if (next === undefined || shown >= most) return most;
  const isFull = byteLength(told) + byteLength(next) + maxSlack > maxTextBytes;
  return isFull && byteLength(told) <= maxTextBytes ? shown : most;
}

const byteLength = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

type Twin = { asked: Asked; answer: Answer } & ({ told: ToolResult } | { code: string });

async function toldByTwin(
  tool: FixedTool,
  valid: never,
  circumstances: CallCircumstances,
  { ask }: Pick<Ways, "ask">,
  variablesOfPage: object = {},
): Promise<Twin> {
  const asked: Asked = { query: print(tool.operation), variables: {} };
  const answer: Answer = { text: "", parsed: undefined, statements: [], executions: [] };
  try {
    asked.variables = { ...tool.variables(valid, circumstances), ...variablesOfPage };
    Object.assign(answer, await ask(asked));
    const { data, errors } = answer.parsed ?? {};
    if (errors) return { asked, answer, code: String(errors[0]?.extensions.code) };
    return { asked, answer, told: tool.toResult(data, valid, circumstances) };
  } catch (error) {
    const { code } = toServiceError(error, (cause) => {
      throw cause;
    });
    return { asked, answer, code };
  }
}

/** All items by one page of the operation; undefined if it has no pages. */
async function wholeByTwin(drawn: DrawnCall, ways: Ways) {
  const { tool } = drawn;
  const valid = validOf(drawn);
  const circumstances = { position: undefined, now: ways.now };
  if (!("first" in tool.variables(valid, circumstances))) return undefined;
  const whole = await toldByTwin(tool, valid, circumstances, ways, { first: longPage });
  if ("code" in whole) throw new Error(`The operation of ${tool.name} has no long page: ${whole.code}`);
  return { ...whole, items: whole.told.items?.map(({ item }) => item) ?? [] };
}

/** What a tool told, or the code of its failure. */
function contentOf({ text }: Answer): ToldContent | { code: string } {
  const { result } = JSON.parse(text) as {
    result: { isError?: boolean; content: { text: string }[]; structuredContent: ToldContent };
  };
  if (!result.isError) return result.structuredContent;
  return { code: String(result.content[0]?.text.split(":", 1)[0]) };
}
