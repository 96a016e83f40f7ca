import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { unusedPort } from "../support/unused-port.js";
import { pgbouncerPath } from "./pgbouncer-version.js";

/** PgBouncer refuses to run as root. */
const nobody = 65_534;

/**
 * Starts a PgBouncer before the server of a database's URL; it ends with the running
 * test. Answers the database's URL through it.
 */
export async function startPgbouncer(target: string, settings: Record<string, string>): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), ".gateway-pgbouncer-"));
  const { hostname, port, username, password } = new URL(target);
  const listenPort = await unusedPort();
  const login = `user=${decodeURIComponent(username)}${password && ` password=${decodeURIComponent(password)}`}`;
  const all = {
    listen_addr: "127.0.0.1",
    listen_port: String(listenPort),
    unix_socket_dir: "",
    // Connect to the server as configured, whatever the name of the client.
    auth_type: "any",
    ...settings,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
  const file = path.join(directory, "pgbouncer.ini");
  await writeFile(
    file,
    ["[databases]", `* = host=${hostname} port=${port || 5432} ${login}`, "[pgbouncer]", ...lines, ""].join(
      "\n",
    ),
  );
  const isRoot = process.getuid?.() === 0;
  if (isRoot) {
    await chown(directory, nobody, nobody);
    await chmod(file, 0o644);
  }
  const child = spawn(pgbouncerPath, [file], {
    stdio: ["ignore", "ignore", "pipe"],
    ...(isRoot && { uid: nobody, gid: nobody }),
  });
  onTestFinished(async () => {
    if (child.exitCode === null) {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    }
    await rm(directory, { recursive: true, force: true });
  });
  await new Promise<void>((resolve, reject) => {
    let said = "";
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`PgBouncer ended with ${code}: ${said}`)));
    child.stderr.setEncoding("utf8").on("data", (text) => {
      said += text;
      if (said.includes("process up")) resolve();
    });
  });
  const url = new URL(target);
  url.host = `127.0.0.1:${listenPort}`;
  return url.href;
}
