// @ts-check
// Preloaded into the gateway under attack: answers each connection to the Unix socket at
// MEMORY_REPORT_SOCKET with the memory that is in use after a collection. Plain
// JavaScript, because the gateway is started without a compiler.
import { createServer } from "node:net";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { isMainThread } from "node:worker_threads";

if (isMainThread) {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc");
  const server = createServer(async (socket) => {
    socket.on("error", () => {});
    collect();
    // The second collection frees memory that finalizers released.
    await setImmediate();
    collect();
    socket.end(JSON.stringify(process.memoryUsage()));
  });
  server.listen(process.env.MEMORY_REPORT_SOCKET).unref();
}
