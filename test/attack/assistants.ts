import type { RawRequest } from "../http/raw-request.js";
import { listOf } from "../support/list-of.js";
import type { Attack } from "./attack-case.js";

const headersOf = (authorization: string, session?: string) => ({
  authorization,
  "content-type": "application/json",
  ...(session !== undefined && { "mcp-session-id": session }),
});

const message = (headers: Record<string, string>, method: string, params: object): RawRequest => ({
  method: "POST",
  path: "/mcp",
  headers,
  body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
});

const beginning = (authorization: string, name = "attacker") =>
  message(headersOf(authorization), "initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name, version: "1" },
  });

/** Attacks by assistants. */
export const assistantAttacks: Attack[] = [
  {
    name: "assistant-sessions",
    description: "10,000 sessions of one caller at /mcp, with client names of 3 KB",
    isShort: true,
    prepare: async (attacker) => {
      const authorization = await attacker.newUser();
      const requests = Array<RawRequest>(10_000).fill(beginning(authorization, "x".repeat(3_000)));
      return async () => {
        const answers = await attacker.sendAll(requests, 20);
        if (!answers.includes("100 × 200")) throw new Error(`not 100 sessions were begun: ${answers}`);
        return answers;
      };
    },
  },
  {
    name: "unread-assistants",
    description: "1,000 calls of tools on each of 10 connections, whose answers nobody reads",
    prepare: async (attacker) => {
      const authorization = await attacker.newUser();
      const answer = await attacker.send(beginning(authorization));
      const session = String(answer?.headers["mcp-session-id"]);
      const call = message(headersOf(authorization, session), "tools/call", {
        name: "list_alerts",
        arguments: { period: "last_30_days" },
      });
      return async () => {
        const outcomes = await Promise.all(
          listOf(10, () =>
            attacker.pipeline(Array<RawRequest>(1_000).fill(call), { reads: false, patienceMs: 75_000 }),
          ),
        );
        return outcomes.join(", ");
      };
    },
  },
];
