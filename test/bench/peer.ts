import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { onServer } from "../support/databases.js";
import type { HttpRequest } from "./load.js";
import { cpuSeconds, type MeasuredServer } from "./measured-process.js";

/**
 * A request to a PostGraphile that runs `postgraphile-server.mjs`, for one of the
 * operations there.
 */
export const persisted = (documentId: string, variables: object): HttpRequest => ({
  method: "POST",
  path: "/graphql",
  body: JSON.stringify({ documentId, variables }),
});

/** Describes the relations without foreign keys to PostGraphile, with smart comments. */
export async function describeRelations(database: string): Promise<void> {
  const tags = [
    '@foreignKey ("workspaceId", "cameraId") references "Camera" ("workspaceId", id)',
    '@foreignKey ("workspaceId", "facilityId") references "Facility" ("workspaceId", id)',
    '@foreignKey ("workspaceId") references "Workspace" (id)',
  ];
  await onServer(database, `COMMENT ON TABLE "Alert" IS E'${tags.join("\\n")}'`);
}

/** The process of this machine that listens at the URL of a GraphQL endpoint. */
export function listeningPeer(url: string): MeasuredServer {
  const { origin, port } = new URL(url);
  const pid = processListeningOn(Number(port));
  if (pid === undefined) throw new Error(`No process of this user listens on port ${port}`);
  return {
    url: origin,
    get cpu() {
      return cpuSeconds(pid);
    },
  };
}

function processListeningOn(port: number): number | undefined {
  const sockets = new Set(listeningSockets(port).map((inode) => `socket:[${inode}]`));
  const processes = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return processes.map(Number).find((pid) => openFiles(pid).some((file) => sockets.has(file)));
}

/** The inodes of the sockets that listen on a port. */
function listeningSockets(port: number): string[] {
  const listening = "0A";
  const hexadecimalPort = port.toString(16).toUpperCase().padStart(4, "0");
  return ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((file) =>
    readFileSync(file, "utf8")
      .split("\n")
      .map((line) => line.trim().split(/\s+/))
      .filter(([, address, , state]) => address?.endsWith(`:${hexadecimalPort}`) && state === listening)
      .map((columns) => columns[9] as string),
  );
}

function openFiles(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((descriptor) => readlinkSync(`/proc/${pid}/fd/${descriptor}`));
  } catch (error) {
    // The process belongs to another user, or has ended or closed a file since it was
    // listed.
    if (["EACCES", "ENOENT", "ESRCH"].includes(String((error as NodeJS.ErrnoException).code))) return [];
    throw error;
  }
}

/**
 * The comparable part of answers that differ only in keys and forms of values: the ids of
 * all objects, and the total.
 */
export function comparableAnswer(answer: unknown): { ids: string[]; total?: number } {
  const ids: string[] = [];
  let total: number | undefined;
  JSON.stringify(answer, (key, value) => {
    if (key === "id" || key === "rowId") ids.push(value);
    if (key === "total" || key === "totalCount") total = value;
    return value;
  });
  return { ids: ids.sort(), ...(total !== undefined && { total }) };
}
