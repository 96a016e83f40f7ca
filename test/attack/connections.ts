import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pLimit from "p-limit";
import { datasetEnd } from "../bench/dataset.js";
import { idKinds, idOf } from "../bench/dataset-ids.js";
import type { Attack } from "./attack-case.js";
import { numbers, operation, requests } from "./attack-requests.js";
import type { Attacker } from "./attacker.js";

/**
 * Opens a number of connections, sockets or the like, 50 at a time. Returns the number of
 * accepted ones.
 */
async function openMany<Opened>(
  number: number,
  open: (n: number) => Promise<Opened | undefined>,
): Promise<Opened[]> {
  const limit = pLimit(50);
  const opened = await Promise.all(numbers(number).map((n) => limit(() => open(n))));
  return opened.filter((each) => each !== undefined);
}

const holdMs = 2_000;
/** The maximum number of connections from one address that may stay open. */
const maxOpen = 1_000;

/** Opens connections and sends the beginning of something on each, or nothing. */
const idle = (name: string, description: string, beginning: string): Attack => ({
  name,
  description,
  isShort: true,
  prepare: async (attacker) => async () => {
    const sockets = await openMany(3_000, async () => {
      const socket = await attacker.connect();
      if (beginning) socket?.write(beginning);
      return socket;
    });
    await sleep(holdMs);
    const open = sockets.filter((socket) => !socket.destroyed).length;
    if (open > maxOpen) throw new Error(`${open} connections of one address stay open`);
    return `${sockets.length} accepted, ${open} still open`;
  },
});

async function record(attacker: Attacker, authorization: string, alerts: number): Promise<void> {
  const query = "mutation ($input: [RecordAlertInput!]!) { recordAlerts(input: $input) { recorded } }";
  const input = numbers(alerts).map(() => ({
    id: randomUUID(),
    cameraId: idOf(idKinds.camera, 1),
    name: "NO_HELMET",
    createdAt: datasetEnd.toISOString(),
  }));
  const answer = await attacker.send(operation(query, authorization, { input }));
  if (answer?.status !== 200 || !answer.text.includes('"recorded"'))
    throw new Error(`recordAlerts gets ${answer?.status}: ${answer?.text}`);
}

/** Attacks by connections, WebSockets and subscriptions. */
export const connectionAttacks: Attack[] = [
  idle("idle-connections", "3,000 connections of one address on which nothing is sent", ""),
  idle(
    "unfinished-heads",
    "3,000 connections of one address with half a request each",
    "GET /facilities HTTP/1.1\r\nhost: gateway.example\r\n",
  ),
  requests(
    {
      name: "short-connections",
      description: "3,000 connections of one address with one anonymous request each, 50 at once",
    },
    () => Array(3_000).fill({ path: "/facilities" }),
    { concurrency: 50 },
  ),
  {
    name: "idle-sockets",
    description: "1,500 WebSockets of one address without connection_init",
    isShort: true,
    prepare: async (attacker) => async () => {
      const sockets = await openMany(1_500, () => attacker.openSocket());
      await sleep(holdMs);
      return `${sockets.length} accepted`;
    },
  },
  {
    name: "subscriptions",
    description:
      "5,000 different subscriptions of one caller on 100 WebSockets, then 10 alerts for all of them",
    prepare: async (attacker) => {
      const authorization = await attacker.newUser();
      return async () => {
        const sockets = await openMany(100, () => attacker.openSocket(authorization));
        for (const [n, socket] of sockets.entries())
          for (const id of numbers(50)) {
            const query = `subscription { alertRaised { id alias${n}x${id}: name camera { name facility { name } } } }`;
            socket.send(JSON.stringify({ type: "subscribe", id: String(id), payload: { query } }));
          }
        await sleep(holdMs);
        await record(attacker, authorization, 10);
        await sleep(2 * holdMs);
        return `${sockets.length} WebSockets accepted`;
      };
    },
  },
  {
    name: "socket-messages",
    description: "20,000 messages on one WebSocket, half of them of 200 KB that is no JSON",
    prepare: async (attacker) => {
      const authorization = await attacker.newUser();
      const long = "x".repeat(200_000);
      return async () => {
        const socket = await attacker.openSocket(authorization);
        if (!socket) return "refused";
        const closed = new Promise<string>((resolve) =>
          socket.once("close", (code) => resolve(`closed with ${code}`)),
        );
        for (const n of numbers(10_000)) {
          socket.send('{"type":"ping"}');
          // A message that cannot be read closes the socket.
          if (n > 100 && n % 100 === 0) socket.send(JSON.stringify({ type: "ping", payload: { long } }));
        }
        return Promise.race([closed, sleep(holdMs, "left open")]);
      };
    },
  },
];
