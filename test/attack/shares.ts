import { setTimeout as sleep } from "node:timers/promises";
import { encodeBody, formType } from "../uploads/multipart.js";
import type { Attack } from "./attack-case.js";
import { numbers } from "./attack-requests.js";
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

/** An attack of users that each do something a number of times, and wait. */
const held = (
  description: Omit<Attack, "prepare">,
  { users, each, permissions }: { users: number; each: number; permissions: "all" | "none" },
  act: (attacker: Attacker, authorization: string) => Promise<unknown>,
): Attack => ({
  ...description,
  prepare: async (attacker) => {
    const all = await Promise.all(numbers(users).map(() => attacker.newUser(permissions)));
    return async () => {
      await Promise.all(all.flatMap((user) => numbers(each).map(() => act(attacker, user))));
      await sleep(durationMs);
      return "held for 4 s";
    };
  },
});

/** Attacks that hold scarce resources. */
export const shareAttacks: Attack[] = [
  held(
    {
      name: "slow-uploads",
      description: "32 uploads of a byte a second by one user without any permission",
      isShort: true,
      alsoProbed: ["upload"],
    },
    { users: 1, each: 32, permissions: "none" },
    uploadSlowly,
  ),
  held(
    {
      name: "slow-uploads-of-many",
      description: "64 uploads of a byte a second by 16 users of one workspace",
      alsoProbed: ["upload"],
    },
    { users: 16, each: 4, permissions: "none" },
    uploadSlowly,
  ),
  held(
    {
      name: "slow-exports",
      description: "4 exports by 2 callers, read at 200 B/s",
      isShort: true,
      alsoProbed: ["export"],
    },
    { users: 2, each: 2, permissions: "all" },
    exportSlowly,
  ),
  held(
    {
      name: "slow-exports-of-many",
      description: "32 exports by 16 callers of one workspace, read at 200 B/s",
      alsoProbed: ["export"],
    },
    { users: 16, each: 2, permissions: "all" },
    exportSlowly,
  ),
];
