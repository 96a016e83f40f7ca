// Needs no gateway.

import fc from "fast-check";
import { groupBy } from "../../src/platform/group-by.js";
import { FairQueue, type FairQueueLimits, type ShareHolder } from "../../src/platform/queues/fair-queue.js";
import { listOf } from "../support/list-of.js";

const limits: FairQueueLimits = {
  what: "tests",
  slots: { total: 4, perWorkspace: 3, perCaller: 2 },
  waiting: { total: 8, perWorkspace: 6, perCaller: 4 },
  maxWaitMs: 1_000,
};
/** Work whose turn it is never meets its own limit. */
const oneSlot: FairQueueLimits = {
  ...limits,
  slots: { total: 1, perWorkspace: 2, perCaller: 2 },
  waiting: { total: 100, perWorkspace: 100, perCaller: 100 },
};
/** Callers of three workspaces, which their names begin with. */
const callers = ["a1", "a2", "a3", "b1", "b2", "c1"];
const holderOf = (id: string): ShareHolder => ({ id, workspaceId: id.slice(0, 1) });

/** Work in a queue, with its outcome. */
class Work {
  state: "waiting" | "active" | "done" | "refused" = "waiting";
  error: unknown;
  finish = () => {};
  readonly #leaving = new AbortController();

  constructor(
    queue: FairQueue,
    readonly caller: string,
  ) {
    const work = async () => {
      this.state = "active";
      await new Promise<void>((resolve) => {
        this.finish = resolve;
      });
      this.state = "done";
    };
    queue.run(holderOf(caller), work, { signal: this.#leaving.signal }).catch((error) => {
      this.state = "refused";
      this.error = error;
    });
  }

  get workspace(): string {
    return this.caller.slice(0, 1);
  }

  leave(): void {
    this.#leaving.abort(new Error("left"));
  }
}

/** Lets everything happen that takes no time. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

const inState = (works: readonly Work[], state: Work["state"]) =>
  works.filter((work) => work.state === state);
const refusedWith = (code: string) => ({
  state: "refused",
  error: expect.objectContaining({ code, headers: { "retry-after": "1" } }),
});

const groupings = [
  ["perCaller", (work: Work) => work.caller],
  ["perWorkspace", (work: Work) => work.workspace],
  ["total", () => "all"],
] as const;

/**
 * The limits that work meets, given the counted other work: the caller's own limits
 * first.
 */
function limitsMet(work: Work, others: readonly Work[], counted: "slots" | "waiting"): string[] {
  const met = groupings.filter(
    ([name, groupOf]) =>
      others.filter((other) => groupOf(other) === groupOf(work)).length >= limits[counted][name],
  );
  return met.map(([name]) => name);
}

type Step = ["arrive", string] | ["finish" | "leave", number];
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.tuple(fc.constant("arrive" as const), fc.constantFrom(...callers)) },
    { weight: 2, arbitrary: fc.tuple(fc.constant("finish" as const), fc.nat()) },
    { weight: 1, arbitrary: fc.tuple(fc.constant("leave" as const), fc.nat()) },
  ),
  { minLength: 20, maxLength: 80 },
);

/**
 * Work that has just arrived is refused where there is neither a slot for it nor room to
 * wait, and only there.
 */
function checkArrival(work: Work, active: readonly Work[], waiting: readonly Work[]): void {
  const [full] = limitsMet(work, active, "slots").length > 0 ? limitsMet(work, waiting, "waiting") : [];
  if (full) expect(work).toMatchObject(refusedWith(full === "total" ? "UNAVAILABLE" : "RATE_LIMITED"));
  else expect(work.state).not.toBe("refused");
}

function checkSlots(works: readonly Work[]): void {
  const active = inState(works, "active");
  for (const work of active) {
    const others = active.filter((other) => other !== work);
    expect(limitsMet(work, others, "slots")).toEqual([]);
  }
  for (const work of inState(works, "waiting")) {
    expect(limitsMet(work, active, "slots")).not.toEqual([]);
    const later = works.slice(works.indexOf(work) + 1);
    expect(later.filter(({ caller, state }) => caller === work.caller && state === "active")).toEqual([]);
  }
}

it("keeps every limit and no slot empty, and starts a caller's work in order, whatever arrives, finishes and leaves", async () => {
  const check = async (steps: Step[]) => {
    const queue = new FairQueue(limits);
    const works: Work[] = [];
    for (const [kind, subject] of steps) {
      const [active, waiting] = [inState(works, "active"), inState(works, "waiting")];
      if (kind === "arrive") works.push(new Work(queue, subject));
      else if (kind === "finish") active[subject % active.length]?.finish();
      else waiting[subject % waiting.length]?.leave();
      await settle();
      if (kind === "arrive") checkArrival(works.at(-1) as Work, active, waiting);
      checkSlots(works);
    }
  };
  await fc.assert(fc.asyncProperty(steps, check), { numRuns: 150 });
});

/** The first of each list, then the second of each, and so on. */
const inTurns = <Item>(lists: Item[][]): Item[] =>
  listOf(Math.max(0, ...lists.map(({ length }) => length)), (index) =>
    lists.flatMap((list) => list.slice(index, index + 1)),
  ).flat();

it("takes turns between workspaces, and within each between its callers, however much of each is waiting", async () => {
  const check = async (arrivals: string[]) => {
    const queue = new FairQueue(oneSlot);
    const first = new Work(queue, "x1");
    const works = arrivals.map((caller) => new Work(queue, caller));
    const ofWorkspaces = [...groupBy(works, ({ workspace }) => workspace).values()];
    const expected = inTurns(
      ofWorkspaces.map((ofOne) => inTurns([...groupBy(ofOne, ({ caller }) => caller).values()])),
    );
    const order: string[] = [];
    let current: Work | undefined = first;
    while (current) {
      current.finish();
      await settle();
      [current] = inState(works, "active");
      if (current) order.push(`${works.indexOf(current)} ${current.caller}`);
    }
    expect(order).toEqual(expected.map((work) => `${works.indexOf(work)} ${work.caller}`));
  };
  await fc.assert(fc.asyncProperty(fc.array(fc.constantFrom(...callers), { maxLength: 30 }), check), {
    numRuns: 100,
  });
});

it("refuses work that has waited too long, and says whether the caller, the workspace or everybody has too much", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const waitInVain = async (busy: string[], caller: string) => {
    const queue = new FairQueue(limits);
    for (const each of busy) new Work(queue, each);
    const work = new Work(queue, caller);
    await vi.advanceTimersByTimeAsync(limits.maxWaitMs - 1);
    expect(work.state).toBe("waiting");
    await vi.advanceTimersByTimeAsync(1);
    return work;
  };
  expect(await waitInVain(["a1", "a1"], "a1")).toMatchObject(refusedWith("RATE_LIMITED"));
  expect(await waitInVain(["a1", "a1", "a2"], "a3")).toMatchObject(refusedWith("RATE_LIMITED"));
  expect(await waitInVain(["a1", "a1", "b1", "b1"], "c1")).toMatchObject(refusedWith("UNAVAILABLE"));
});

it("gives the error of work to its caller, and its slot to the next", async () => {
  const queue = new FairQueue(oneSlot);
  const failing = queue.run(holderOf("a1"), async () => Promise.reject(new Error("failed")));
  const next = new Work(queue, "a1");
  await expect(failing).rejects.toThrow("failed");
  await settle();
  expect(next.state).toBe("active");
});

it("never starts work whose signal was aborted while or before it waited", async () => {
  const queue = new FairQueue(oneSlot);
  const first = new Work(queue, "a1");
  const [left, stays] = [new Work(queue, "a1"), new Work(queue, "a1")];
  left.leave();
  const late = queue.run(holderOf("a1"), async () => "started", {
    signal: AbortSignal.abort(new Error("gone")),
  });
  await expect(late).rejects.toThrow("gone");
  expect(left).toMatchObject({ state: "refused", error: { message: "left" } });
  first.finish();
  await settle();
  expect(stays.state).toBe("active");
});
