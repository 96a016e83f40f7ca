import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { MeasuredProcess } from "./measured-process.js";

/** Lets a server listen, as the program that {@link startServer} starts. */
export function announce(server: Server): void {
  server.listen(0, "127.0.0.1", () =>
    console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`),
  );
  process.on("SIGTERM", () => process.exit(0));
}

/** Starts a program of this directory that announces its server. */
export const startServer = (name: string, ...parameters: string[]): Promise<MeasuredProcess> =>
  MeasuredProcess.start(
    ["--import", "tsx", `test/bench/${name}.ts`, ...parameters],
    {},
    /listening on (\S+)/,
  );
