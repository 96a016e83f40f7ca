// Runs once: no database is involved.
import { expect, it } from "vitest";
import { createLog } from "../../src/platform/log.js";
import { Worker } from "../../src/platform/worker.js";

it("a worker that is woken again and again logs why it fails once, and another reason as well", async () => {
  const lines: string[] = [];
  let reason = "connection refused";
  const step = () => Promise.reject(new Error(reason));
  const worker = new Worker("sending", step, createLog("warn", { write: (line) => void lines.push(JSON.parse(line).err.message) }));
  for (const next of ["connection refused", "connection refused", "starting up", "starting up"]) {
    reason = next;
    worker.wake();
    await worker.idle();
  }
  await worker.close();
  expect(lines).toEqual(["connection refused", "starting up"]);
});
