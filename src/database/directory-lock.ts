import { randomUUID } from "node:crypto";
import { rename, rm } from "node:fs/promises";
import net from "node:net";
import path from "node:path";

/**
 * Takes a directory for this process alone and answers how to give it back. The lock is a listening socket: the kernel
 * closes it with the process, however that ends, so that a lock is never stale for longer than one failed connection.
 */
export async function lockDirectory(directory: string): Promise<() => Promise<void>> {
  const socket = path.relative(process.cwd(), path.join(directory, "lock.sock"));
  if (Buffer.byteLength(socket) > 100) throw new Error(`The path of DATA_DIR is too long for its lock: ${directory}`);
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const server = await listen(socket);
    if (server) return () => new Promise((resolve) => server.close(() => resolve()));
    if (await answers(socket)) break;
    await removeStale(socket);
  }
  throw new Error(`Another process is using ${directory}. Stop it first, or set DATA_DIR to another directory.`);
}

async function listen(socket: string): Promise<net.Server | undefined> {
  const server = net.createServer((connection) => connection.destroy());
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => (error.code === "EADDRINUSE" ? resolve(undefined) : reject(error)));
    server.listen(socket, () => resolve(server.unref()));
  });
}

async function answers(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = net.connect(socket, () => {
      connection.destroy();
      resolve(true);
    });
    connection.once("error", () => resolve(false));
  });
}

/** Moves the socket aside before deleting it: of several processes that found it stale only one wins the move. */
async function removeStale(socket: string): Promise<void> {
  const aside = `${socket}.${randomUUID().slice(0, 8)}`;
  try {
    await rename(socket, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  // Between our look and our move another process may have made the socket its own: then it gets it back.
  if (await answers(aside)) await rename(aside, socket);
  else await rm(aside, { force: true });
}
