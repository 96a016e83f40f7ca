// Needs no gateway.
import { setImmediate } from "node:timers/promises";
import { Worker } from "../../src/engine/leases/worker.js";
import { createLog } from "../../src/platform/telemetry/log.js";

it("a worker that is woken again and again logs why it fails once, and another reason as well", async () => {
  const lines: string[] = [];
  let reason = "connection refused";
  const step = () => Promise.reject(new Error(reason));
  const worker = new Worker(
    "sending",
    step,
    createLog("warn", { write: (line) => void lines.push(JSON.parse(line).err.message) }),
  );
  for (const next of ["connection refused", "connection refused", "starting up", "starting up"]) {
    reason = next;
    worker.wake();
    await worker.idle();
  }
  await worker.close();
  expect(lines).toEqual(["connection refused", "starting up"]);
});

it("a worker looks for work once for all that it is woken for in a moment", async () => {
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
  let steps = 0;
  const step = async () => {
    steps += 1;
    return "nothing" as const;
  };
  const worker = new Worker("sending", step, createLog("silent"));
  worker.wake();
  await worker.idle();
  for (let events = 0; events < 10; events += 1) {
    worker.wake();
    await setImmediate();
  }
  expect(steps).toBe(1);
  await vi.advanceTimersByTimeAsync(100);
  await worker.idle();
  expect(steps).toBe(2);
  // Other tests take back the clock that they have put forward.
  const clock = vi.spyOn(performance, "now").mockReturnValue(-1e9);
  onTestFinished(() => clock.mockRestore());
  worker.wake();
  await vi.advanceTimersByTimeAsync(100);
  await worker.idle();
  expect(steps).toBe(3);
  await worker.close();
});
