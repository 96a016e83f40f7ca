// Needs no gateway.
import { SharedWork } from "../../src/platform/queues/shared-work.js";

/** Work that can be ended by a test, started through one {@link SharedWork}. */
function workload() {
  const shared = new SharedWork<number>();
  const started: { signal: AbortSignal; end: (result: number) => void }[] = [];
  const run = (signal?: AbortSignal) =>
    shared.run(
      "key",
      (workSignal) => new Promise<number>((resolve) => started.push({ signal: workSignal, end: resolve })),
      { signal },
    );
  return { started, run };
}

it("work is done once for all who ask at the same time, and again afterwards", async () => {
  const { started, run } = workload();
  const results = [run(), run()];
  started[0]?.end(1);
  expect(await Promise.all(results)).toEqual([1, 1]);
  const later = run();
  started[1]?.end(2);
  expect(await later).toBe(2);
  expect(started).toHaveLength(2);
});

it("work continues when one of two waiting callers leaves", async () => {
  const { started, run } = workload();
  const leaving = new AbortController();
  const [left, staying] = [run(leaving.signal), run()];
  leaving.abort(new Error("gone"));
  await expect(left).rejects.toThrow("gone");
  expect(started[0]?.signal.aborted).toBe(false);
  started[0]?.end(1);
  expect(await staying).toBe(1);
});

it("work is aborted when nobody waits any longer, and starts again for the next caller", async () => {
  const { started, run } = workload();
  const leaving = new AbortController();
  const left = run(leaving.signal);
  leaving.abort(new Error("gone"));
  await expect(left).rejects.toThrow("gone");
  expect(started[0]?.signal.aborted).toBe(true);
  const next = run();
  started[1]?.end(2);
  expect(await next).toBe(2);
});
