import type { GraphQLObjectType, GraphQLSchema } from "graphql";
import { WebSocket } from "ws";
import type { SeededRandom } from "../../src/programs/demo/seeded-random.js";
import { listOf } from "../support/list-of.js";
import { answerTimeoutMs, type FuzzGenerator } from "./fuzz-case.js";
import { DocumentGenerator } from "./graphql-documents.js";
import { mutateText } from "./mutation.js";
import { brokenValue, callerOf, type World } from "./world.js";

/**
 * Codes for faults of the client, or for a normal end. Any other code is a fault of the
 * gateway.
 */
const expectedCloseCodes = [
  1000, 1002, 1003, 1005, 1007, 1009, 1013, 4400, 4401, 4403, 4404, 4406, 4408, 4409, 4429,
];
const lastPing = "the last ping";

/**
 * Generates conversations by graphql-transport-ws, in the right order or in any other.
 */
export function socketMessages(schema: GraphQLSchema): FuzzGenerator {
  return (random, world) => {
    const messages = conversation(schema, random, world).map((message) => {
      const text = typeof message === "string" ? message : JSON.stringify(message);
      return random.chance(0.1) ? mutateText(text, random) : text;
    });
    const text = messages.map((message) => message.slice(0, 2_000)).join("\n");
    return {
      text: text.replaceAll(/("authorization":"\w+) [^"]+/g, "$1 …"),
      run: (url) => converse(url, messages),
    };
  };
}

function conversation(schema: GraphQLSchema, random: SeededRandom, world: World): unknown[] {
  const init = () => ({
    type: "connection_init",
    payload: random.chance(0.9) ? { authorization: callerOf(random, world) } : brokenValue(random),
  });
  const id = () => (random.chance(0.9) ? String(random.integer(1, 3)) : brokenValue(random));
  const subscribe = () => {
    const kind = random.chance(0.9) ? "subscription" : "query";
    const root = (
      kind === "subscription" ? schema.getSubscriptionType() : schema.getQueryType()
    ) as GraphQLObjectType;
    const payload = new DocumentGenerator(random, world, schema).operation(root, kind);
    return {
      type: "subscribe",
      id: id(),
      payload: random.chance(0.9) ? payload : { ...payload, variables: brokenValue(random) },
    };
  };
  const others = [
    subscribe,
    subscribe,
    () => ({ type: "complete", id: id() }),
    () => ({ type: "ping", payload: brokenValue(random) }),
    () => ({ type: "pong" }),
    () => ({ type: "next", id: id(), payload: { data: {} } }),
    () => ({ type: brokenValue(random), id: id() }),
    () => ({ type: "subscribe", id: id(), payload: brokenValue(random) }),
    init,
    () => brokenValue(random),
  ];
  const first = random.chance(0.85) ? [init()] : [];
  return [...first, ...listOf(random.integer(0, 6), () => random.pick(others)())].map(
    (message) => message ?? null,
  );
}

/** Sends the messages, then a ping; the gateway must answer that or close the socket. */
function converse(url: string, messages: readonly string[]): Promise<string | undefined> {
  const socket = new WebSocket(`${url.replace("http", "ws")}/graphql`, ["graphql-transport-ws"]);
  let acknowledged = false;
  return new Promise<string | undefined>((resolve) => {
    const timer = setTimeout(() => resolve(`no pong within ${answerTimeoutMs / 1000} s`), answerTimeoutMs);
    const finish = (fault: string | undefined) => {
      clearTimeout(timer);
      resolve(fault);
    };
    socket.once("error", (error) => finish(error.message));
    socket.once("close", (code) =>
      finish(expectedCloseCodes.includes(code) ? undefined : `closed with ${code}`),
    );
    socket.on("message", (message) => {
      const text = String(message);
      if (text.includes('"INTERNAL"')) finish(text.slice(0, 500));
      else if (text.includes('"connection_ack"')) sendRest();
      else if (text.includes(`"${lastPing}"`) && text.includes('"pong"')) finish(undefined);
    });
    // Subscribing before the acknowledgement closes the socket: the rest waits for it in
    // most cases.
    const sendRest = () => {
      if (acknowledged) return;
      acknowledged = true;
      for (const message of messages.slice(1)) socket.send(message);
      socket.send(JSON.stringify({ type: "ping", payload: { lastPing } }));
    };
    socket.once("open", () => {
      const [first = "", ...rest] = messages;
      socket.send(first);
      if (first.startsWith('{"type":"connection_init","payload":{"authorization":"')) return;
      acknowledged = true;
      for (const message of rest) socket.send(message);
      socket.send(JSON.stringify({ type: "ping", payload: { lastPing } }));
    });
  }).finally(() => socket.terminate());
}
