// The thread of an embedded database. Plain JavaScript, because Node.js runs this file as
// it is, in tests, too.
import { parentPort, workerData } from "node:worker_threads";
import { PGlite } from "@electric-sql/pglite";

const port = /** @type {import("node:worker_threads").MessagePort} */ (parentPort);
const { directory, sharedBuffers } = workerData;
const server = await PGlite.create(directory, {
  startParams: [...PGlite.defaultStartParams, "-c", `shared_buffers=${sharedBuffers}`],
});

/**
 * Runs a script, or messages of the protocol, whose answers are returned.
 * @param {string | Uint8Array<ArrayBuffer>} sent
 */
const run = (sent) =>
  typeof sent === "string" ? server.exec(sent).then(() => undefined) : server.execProtocolRaw(sent);

let last = Promise.resolve();
port.on("message", (sent) => {
  last = last.then(async () => {
    if (sent === "close") {
      await server.close();
      port.close();
      return;
    }
    try {
      const answer = await run(sent);
      port.postMessage({ answer }, answer ? [/** @type {ArrayBuffer} */ (answer.buffer)] : []);
    } catch (error) {
      port.postMessage({ error });
    }
  });
});
port.postMessage({});
