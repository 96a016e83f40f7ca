import { tools } from "../../src/api/mcp/tools.js";
import type { SeededRandom } from "../../src/programs/demo/seeded-random.js";
import { sendRaw } from "../http/raw-request.js";
import { listOf } from "../support/list-of.js";
import type { FuzzGenerator } from "./fuzz-case.js";
import { mutateText } from "./mutation.js";
import { sentRequest } from "./sent-request.js";
import { argumentFor } from "./tool-arguments.js";
import { authorizationOf, brokenValue, type World } from "./world.js";

const methods = [
  "initialize",
  "ping",
  "tools/list",
  "resources/list",
  "notifications/cancelled",
  "",
  "__proto__",
];

/** Generates messages of assistants, mostly calls of tools, in a session of their caller. */
export const mcpMessages: FuzzGenerator = (random, world) => {
  const headers = { "content-type": "application/json", ...authorizationOf(random, world) };
  const text = JSON.stringify(messageOf(random, world));
  const body = random.chance(0.1) ? mutateText(text, random) : text;
  const hasSession = random.chance(0.95);
  const request = { method: "POST", path: "/mcp", headers, body };
  return {
    text: sentRequest(request).text,
    run: async (url) => {
      const session = hasSession ? await sessionOf(url, headers) : "nonsense";
      const sent = { ...request, headers: { ...headers, ...(session && { "mcp-session-id": session }) } };
      return sentRequest(sent, ({ status, text }) =>
        text === "" || isMessage(text)
          ? undefined
          : `${status}: no message of JSON-RPC: ${text.slice(0, 500)}`,
      ).run(url);
    },
  };
};

/** One session for each caller, who may have 100. */
const sessions = new Map<string | undefined, Promise<string | undefined>>();

function sessionOf(url: string, headers: Record<string, string>): Promise<string | undefined> {
  const { authorization } = headers;
  const known = sessions.get(authorization) ?? beginSession(url, headers);
  sessions.set(authorization, known);
  return known;
}

/** Begins a session, and returns its id; undefined without valid credentials. */
export async function beginSession(
  url: string,
  headers: Record<string, string>,
): Promise<string | undefined> {
  const params = {
    protocolVersion: "2025-03-26",
    capabilities: {},
    clientInfo: { name: "fuzz", version: "1" },
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params });
  const { headers: answered } = await sendRaw(url, { method: "POST", path: "/mcp", headers, body });
  const session = answered["mcp-session-id"];
  return typeof session === "string" ? session : undefined;
}

function isMessage(text: string): boolean {
  const messages = [JSON.parse(text)].flat() as { jsonrpc?: unknown }[];
  return messages.length > 0 && messages.every((message) => message.jsonrpc === "2.0");
}

function messageOf(random: SeededRandom, world: World): unknown {
  if (random.chance(0.05)) return listOf(random.integer(0, 12), () => callOf(random, world));
  if (random.chance(0.85)) return callOf(random, world);
  const params = random.chance(0.5)
    ? { name: brokenValue(random), arguments: brokenValue(random) }
    : brokenValue(random);
  return {
    jsonrpc: random.pick(["2.0", "1.0", 2]),
    id: random.pick([1, "x", null, {}]),
    method: random.pick(methods),
    params,
  };
}

function callOf(random: SeededRandom, world: World): unknown {
  const { name, input } = random.pick(tools);
  const given = Object.keys(input.shape)
    .filter(() => random.chance(0.5))
    .map((argument) => [
      argument,
      random.chance(0.15) ? brokenValue(random) : argumentFor(argument, random, world),
    ]);
  return {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name, arguments: Object.fromEntries(given) },
  };
}
