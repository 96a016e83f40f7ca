import { setTimeout as sleep } from "node:timers/promises";
import { encodeBody, formType } from "../uploads/multipart.js";
import type { Attack } from "./attack-case.js";
import type { Attacker } from "./attacker.js";
import { wholePeriod } from "./target.js";

const durationMs = 4_000;

/** Begins an upload and sends a byte of it each second. */
async function uploadSlowly(attacker: Attacker, authorization: string): Promise<string> {
  const socket = await attacker.connect();
  if (!socket) return "refused";
  socket.resume();
  const body = encodeBody([
    { name: "image", filename: "picture.png", type: "image/png", content: Buffer.alloc(1024 * 1024) },
  ]);
  const head = [
    "PATCH /user/picture HTTP/1.1",
    "host: gateway.example",
    `authorization: ${authorization}`,
    `content-type: ${formType}`,
  ];
  socket.write(`${head.join("\r\n")}\r\ncontent-length: ${body.length}\r\n\r\n`);
  socket.write(body.subarray(0, 1_000));
  const timer = setInterval(() => socket.write(Buffer.alloc(1)), 1_000);
  socket.once("close", () => clearInterval(timer));
  return "sent";
}

/** Requests an export and reads 200 bytes of it each second. */
async function exportSlowly(attacker: Attacker, authorization: string): Promise<void> {
  const socket = await attacker.connect({ reads: 200 });
  const path = `/alerts/export?start=0&end=${new Date(wholePeriod.end).getTime()}`;
  socket?.write(`GET ${path} HTTP/1.1\r\nhost: gateway.example\r\nauthorization: ${authorization}\r\n\r\n`);
}

const count = (number: number) => Array.from({ length: number }, (_, n) => n);

/** Attacks that hold scarce resources. */
export const shareAttacks: Attack[] = [
  {
    name: "slow-uploads",
    description: "32 uploads of a byte a second by one user without any permission",
    isShort: true,
    alsoProbed: ["upload"],
    prepare: async (attacker) => {
      const authorization = await attacker.newUser("none");
      return async () => {
        await Promise.all(count(32).map(() => uploadSlowly(attacker, authorization)));
        await sleep(durationMs);
        return "held for 4 s";
      };
    },
  },
  {
    name: "slow-uploads-of-many",
    description: "64 uploads of a byte a second by 16 users of one workspace",
    alsoProbed: ["upload"],
    prepare: async (attacker) => {
      const users = await Promise.all(count(16).map(() => attacker.newUser("none")));
      return async () => {
        await Promise.all(users.flatMap((user) => count(4).map(() => uploadSlowly(attacker, user))));
        await sleep(durationMs);
        return "held for 4 s";
      };
    },
  },
  {
    name: "slow-exports",
    description: "4 exports by 2 callers, read at 200 B/s",
    isShort: true,
    alsoProbed: ["export"],
    prepare: async (attacker) => {
      const users = await Promise.all(count(2).map(() => attacker.newUser()));
      return async () => {
        await Promise.all(users.flatMap((user) => count(2).map(() => exportSlowly(attacker, user))));
        await sleep(durationMs);
        return "held for 4 s";
      };
    },
  },
  {
    name: "slow-exports-of-many",
    description: "32 exports by 16 callers of one workspace, read at 200 B/s",
    alsoProbed: ["export"],
    prepare: async (attacker) => {
      const users = await Promise.all(count(16).map(() => attacker.newUser()));
      return async () => {
        await Promise.all(users.flatMap((user) => count(2).map(() => exportSlowly(attacker, user))));
        await sleep(durationMs);
        return "held for 4 s";
      };
    },
  },
];
