import { randomUUID } from "node:crypto";
import { rename, rm } from "node:fs/promises";
import net from "node:net";
import path from "node:path";
import { text } from "node:stream/consumers";
import { codeOf } from "../../platform/thrown.js";

const replyTimeoutMs = 5_000;

type Reply = (question: string) => Promise<string>;

const socketOf = (directory: string): string =>
  path.relative(process.cwd(), path.join(directory, "lock.sock"));

/** Asks the process that has locked a directory. Undefined if none has. */
export async function askHolder(directory: string, question: string): Promise<string | undefined> {
  const connection = net.connect({ path: socketOf(directory), allowHalfOpen: true });
  try {
    return await text(connection.end(question));
  } catch (error) {
    if (["ENOENT", "ECONNREFUSED"].includes(codeOf(error))) return undefined;
    throw new Error(`The process that uses ${directory} did not reply`, { cause: error });
  }
}

/**
 * Locks a directory for this process, and returns a function that unlocks it. The lock is a listening Unix socket. The
 * kernel closes the socket when the process ends, however it ends. A failed connection therefore proves that a lock is
 * stale.
 */
export async function lockDirectory(directory: string, reply: Reply): Promise<() => Promise<void>> {
  const socket = socketOf(directory);
  if (Buffer.byteLength(socket) > 100)
    throw new Error(`The path of DATA_DIR is too long for a Unix socket in it: ${directory}`);
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const server = await listen(socket, reply);
    if (server) return () => new Promise((resolve) => server.close(() => resolve()));
    if (await isListening(socket)) break;
    await removeStale(socket);
  }
  throw new Error(
    `Another process is using ${directory}. Stop it first, or set DATA_DIR to another directory.`,
  );
}

async function listen(socket: string, reply: Reply): Promise<net.Server | undefined> {
  const server = net.createServer({ allowHalfOpen: true }, (connection) => {
    // Whoever only looks whether the directory is locked hangs up without a reply.
    connection.on("error", () => {}).setTimeout(replyTimeoutMs, () => connection.destroy());
    // Reading to the end would destroy the connection before it is answered.
    text(connection.iterator({ destroyOnReturn: false }))
      .then(async (question) => connection.end(question && (await reply(question))))
      .catch(() => connection.destroy());
  });
  return new Promise((resolve, reject) => {
    server.on("error", (error: NodeJS.ErrnoException) =>
      error.code === "EADDRINUSE" ? resolve(undefined) : reject(error),
    );
    server.listen(socket, () => resolve(server.unref()));
  });
}

async function isListening(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = net.connect(socket, () => {
      connection.destroy();
      resolve(true);
    });
    connection.once("error", () => resolve(false));
  });
}

/** Renames the socket before deleting it: if several processes find it stale, only one succeeds. */
async function removeStale(socket: string): Promise<void> {
  const aside = `${socket}.${randomUUID().slice(0, 8)}`;
  try {
    await rename(socket, aside);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return;
    throw error;
  }
  // Another process may have replaced the stale socket before the rename. Restore its socket then.
  if (await isListening(aside)) await rename(aside, socket);
  else await rm(aside, { force: true });
}
