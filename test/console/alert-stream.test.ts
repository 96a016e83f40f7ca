// Needs no gateway.

import fc from "fast-check";
import type { AlertStream } from "../../src/console/alerts/list/alert-stream.js";
import type {
  AlertFilter,
  AlertItemFragment,
  AlertsPageQueryVariables,
} from "../../src/generated/console.js";
import { listOf } from "../support/list-of.js";
import { AlertGateway, page, settled } from "./alert-gateway.js";
import { type AlertList, alertOf, CountedAlerts, cursorOf, idOf, SortedAlerts } from "./alert-lists.js";

// On loading, one of the console's modules listens to the window, which Node.js lacks.
// Modules that other files of this process load would take it for a browser's window.
vi.stubGlobal("window", new EventTarget());
const { AlertStream: Stream } = await import("../../src/console/alerts/list/alert-stream.js");
vi.unstubAllGlobals();

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const all: AlertFilter = { start: "1970-01-01T00:00:00.000Z", end: "9999-12-31T00:00:00.000Z" };

async function follow<List extends AlertList>(list: List, filter = all) {
  const gateway = new AlertGateway(list);
  const stream = new Stream(gateway.client, filter);
  stop = stream.start();
  stream.show(0, 40);
  await settled();
  await gateway.answerAll();
  return { list, gateway, stream };
}
const followCounted = (length: number, filter?: AlertFilter) => follow(new CountedAlerts(length), filter);
let stop = () => {};
afterEach(() => stop());

const idsIn = (stream: AlertStream, first: number, last: number) =>
  listOf(last - first + 1, (index) => stream.at(first + index)?.id);
const idsOf = (list: AlertList, first: number, last: number) =>
  listOf(last - first + 1, (index) => list.at(first + index).id);

/**
 * The number of alerts that a stream still holds, of all alerts that the gateway has
 * sent.
 */
const heldOf = (stream: AlertStream, { sent }: AlertGateway) =>
  [...sent].filter((id) => stream.get(id)).length;

/** Goes through a long list during many changes. Returns the costs. */
async function journey(length: number) {
  const { list, gateway, stream } = await followCounted(length);
  const wrong: number[] = [];
  const look = async (first: number) => {
    stream.show(first, first + 39);
    await gateway.answerAll();
    if (idsIn(stream, first, first + 39).join() !== idsOf(list, first, first + 39).join()) wrong.push(first);
  };
  const selected = list.at(30).id;
  stream.retains = (id) => id === selected;
  let most = 0;
  for (const from of [0, 0.4 * length, length - 2_000]) {
    for (let step = 0; step < 50; step += 1) {
      await look(from + step * 40);
      most = Math.max(most, heldOf(stream, gateway));
    }
  }
  expect(stream.indexOf(selected)).toBe(30);
  for (let step = 1; step < 25; step += 1) await look(length - step * 40);
  await look(0);
  const raise = () => {
    list.length += 1;
    gateway.raised(list.at(0));
  };
  for (let count = 0; count < 5_000; count += 1) {
    raise();
    gateway.changed(idOf(length - 1_000 - count), "MARKED", {
      id: idOf(length - 1_000 - count),
      bookmark: true,
    });
    gateway.changed(`another ${count}`, "DELETED");
  }
  await settled();
  most = Math.max(most, heldOf(stream, gateway));
  await gateway.answerAll();
  await look(0);
  stream.holdsBack = true;
  for (let count = 0; count < 2_000; count += 1) raise();
  expect(stream.waiting).toBe(2_000);
  stream.holdsBack = false;
  stream.release();
  await gateway.answerAll();
  await look(0);
  await look(list.length - 40);
  expect(stream.total).toBe(list.length);
  return { held: heldOf(stream, gateway), most, reads: gateway.reads, wrong };
}

test("ten million alerts take no more memory and no more reads than ten thousand", async () => {
  const few = await journey(10_000);
  expect(few.wrong).toEqual([]);
  expect(few.most).toBeLessThanOrEqual(3_200);
  expect(await journey(10_000_000)).toEqual(few);
}, 60_000);

describe("answers that do not fit together", () => {
  const contradiction = "The list of alerts contradicts their number.";

  test.each<[string, (list: AlertList, variables: AlertsPageQueryVariables) => AlertItemFragment[], number]>([
    [
      "empty pages",
      (list, variables) =>
        variables.offset || variables.after || variables.before ? [] : page(list, variables),
      10,
    ],
    ["one page for all places", (list) => page(list, { filter: all, first: 100 }), 20],
    ["pages of one alert", (list) => page(list, { filter: all, first: 1 }), 20],
    ["pages in the reverse order", (list, variables) => page(list, variables).reverse(), 20],
  ])("end in an error or in another number, not in reading for ever: %s", async (_, pageOf, most) => {
    for (const first of [60, 500, 5_000_000, 9_999_960]) {
      const { gateway, stream } = await followCounted(10_000_000);
      const before = gateway.reads;
      gateway.pageOf = pageOf;
      stream.show(first, first + 90);
      await gateway.answerAll();
      expect(gateway.reads - before).toBeLessThanOrEqual(most);
      if (stream.failure) expect(stream.failure.message).toContain(contradiction);
      else if (stream.at(first) === undefined) expect(stream.total).toBeLessThanOrEqual(first);
      stop();
    }
  });

  test("are read again if the reader asks for that", async () => {
    const { list, gateway, stream } = await followCounted(1_000);
    gateway.pageOf = () => [];
    stream.show(500, 540);
    await gateway.answerAll();
    expect(stream.failure?.message).toContain(contradiction);
    gateway.pageOf = page;
    await Promise.all([stream.reload(), gateway.answerAll()]);
    expect(stream.failure).toBeUndefined();
    expect(idsIn(stream, 500, 540)).toEqual(idsOf(list, 500, 540));
  });

  test("shorten the list if alerts were deleted without an event", async () => {
    const { list, gateway, stream } = await followCounted(1_000);
    list.oldest = 750;
    list.length = 250;
    stream.show(500, 540);
    await gateway.answerAll();
    expect([stream.total, stream.failure]).toEqual([250, undefined]);
    stream.show(210, 249);
    await gateway.answerAll();
    expect(idsIn(stream, 210, 249)).toEqual(idsOf(list, 210, 249));
    const before = gateway.reads;
    list.oldest = 850;
    list.length = 150;
    stream.show(90, 140);
    await gateway.answerAll();
    expect([stream.total, stream.failure, gateway.reads - before]).toEqual([150, undefined, 2]);
    expect(idsIn(stream, 90, 149)).toEqual(idsOf(list, 90, 149));
  });
});

describe("a list with large gaps", () => {
  async function followSorted(length: number) {
    const list = new SortedAlerts();
    list.alerts = listOf(length, (place) => alertOf(length - place, 2 * (length - place)));
    const { gateway, stream } = await follow(list);
    const look = async (first: number) => {
      stream.show(first, first + 60);
      await gateway.answerAll();
    };
    /** Raises an alert between the one in a place and the one above. */
    const raise = (place: number) => {
      const before = list.alerts[place];
      const alert = alertOf(
        length + list.length,
        (Date.parse(before?.createdAt as string) - Date.UTC(2020, 0, 1)) / 1000 + 1,
      );
      list.add(alert);
      return alert;
    };
    return { list, gateway, stream, look, raise };
  }

  test("believes the alerts above rather than numbers", async () => {
    const { list, stream, look, raise } = await followSorted(1_000);
    await look(250);
    // No event reports this alert.
    raise(200);
    for (const first of [90, 120, 220, 270]) await look(first);
    expect(idsIn(stream, 0, 330)).toEqual(idsOf(list, 0, 330));
  });

  test.each([0, 500])(
    "is counted when others are deleted while the alerts from %i on are shown",
    async (first) => {
      const { list, gateway, stream, look } = await followSorted(1_000);
      await look(first);
      for (const place of [200, 300, 800])
        gateway.changed(list.alerts.splice(place, 1)[0]?.id as string, "DELETED");
      await gateway.answerAll();
      expect(stream.total).toBe(997);
      expect(idsIn(stream, first, first + 60)).toEqual(idsOf(list, first, first + 60));
    },
  );

  test("is read as if it did not contain waiting alerts", async () => {
    const { list, gateway, stream, look, raise } = await followSorted(5_000);
    await look(3_000);
    await Promise.all([stream.reload(), gateway.answerAll()]);
    stream.holdsBack = true;
    for (let count = 0; count < 3; count += 1) gateway.raised(raise(0));
    await look(1_000);
    expect([stream.total, stream.waiting]).toEqual([5_000, 3]);
    expect(idsIn(stream, 1_000, 1_060)).toEqual(idsOf(list, 1_003, 1_063));
  });

  test("is read again once a waiting alert turns out to be below", async () => {
    const { list, gateway, stream, look, raise } = await followSorted(5_000);
    await look(3_000);
    await Promise.all([stream.reload(), gateway.answerAll()]);
    stream.holdsBack = true;
    gateway.raised(raise(3_050));
    await look(500);
    stream.holdsBack = false;
    stream.release();
    await gateway.answerAll();
    expect(idsIn(stream, 500, 560)).toEqual(idsOf(list, 500, 560));
  });

  test("has a waiting alert in its place once its neighbours are read", async () => {
    const { list, gateway, stream, look, raise } = await followSorted(5_000);
    await look(3_000);
    stream.holdsBack = true;
    gateway.raised(raise(2_950));
    stream.show(2_940, 3_000);
    await settled();
    await gateway.answer();
    expect([stream.total, stream.waiting]).toEqual([5_001, 0]);
    expect(idsIn(stream, 2_940, 3_060)).toEqual(idsOf(list, 2_940, 3_060));
  });
});

test("alerts that leave a period ending now disappear from the end", async () => {
  const { list, gateway, stream } = await followCounted(1_000);
  gateway.countOf = () => 990;
  const before = gateway.reads;
  await Promise.all([stream.moveOn({ ...all, start: "2020-01-01T00:00:10.000Z" }), gateway.answerAll()]);
  expect([stream.total, gateway.reads - before]).toEqual([990, 1]);
  expect(idsIn(stream, 0, 40)).toEqual(idsOf(list, 0, 40));
});

test("an alert that a mark takes out of the filter stays where it is, and the others are counted", async () => {
  const { list, gateway, stream } = await followCounted(1_000, { ...all, acknowledged: false });
  const mark = (place: number) => {
    const { id } = list.at(place);
    gateway.changed(id, "MARKED", {
      id,
      bookmark: false,
      falsePositive: false,
      acknowledgedAt: "2026-11-25T12:00:00.000Z",
    });
  };
  mark(3);
  await gateway.answerAll();
  gateway.countOf = () => 998;
  mark(700);
  await gateway.answerAll();
  expect(stream.total).toBe(999);
  expect(idsIn(stream, 0, 40)).toEqual(idsOf(list, 0, 40));
});

test("the neighbours of an alert that a link has opened are read", async () => {
  const { list, gateway, stream } = await followCounted(10_000_000);
  gateway.countOf = (_, { start }) =>
    10_000_000 - (Date.parse(start as string) - Date.UTC(2020, 0, 1)) / 1000;
  await Promise.all([stream.locate(list.at(7_000_000)), gateway.answerAll()]);
  expect(stream.indexOf(list.at(7_000_000).id)).toBe(7_000_000);
  expect(idsIn(stream, 6_999_990, 7_000_010)).toEqual(idsOf(list, 6_999_990, 7_000_010));
});

/**
 * A stream, its list, and possible changes of both. Two numbers choose the affected
 * alerts.
 */
class Life {
  readonly #list = new SortedAlerts();
  readonly #gateway = new AlertGateway(this.#list);
  readonly #stream = new Stream(this.#gateway.client, all);
  readonly #isTold: (event: number) => boolean;
  #events: (() => void)[] = [];
  #told = 0;
  #raised: number;
  #first = 0;

  /**
   * Delivers only events for which `isTold` returns true, given the number of the event.
   */
  constructor(length: number, isTold: (event: number) => boolean) {
    this.#list.alerts = listOf(length, (place) => alertOf(length - place, 2 * (length - place)));
    this.#raised = length;
    this.#isTold = isTold;
    // Events arrive before the answer whose count includes them. Pages may arrive before
    // events.
    this.#gateway.onCounted = () => this.tell();
    stop = this.#stream.start();
  }

  raise(one: number, other: number): void {
    this.#add(2 * this.#raised + 2 - (other % 3 === 0 ? one % (2 * this.#raised + 2) : 0));
    if (one % 2 === 0) this.tell();
  }

  #add(second: number): void {
    this.#raised += 1;
    const alert = alertOf(this.#raised, second);
    this.#list.add(alert);
    this.#events.push(() => this.#gateway.raised(alert));
  }

  delete(one: number, other: number): void {
    const [alert] = this.#list.alerts.splice(one % (this.#list.length || 1), 1);
    if (alert) this.#events.push(() => this.#gateway.changed(alert.id, "DELETED"));
    if (other % 2 === 0) this.tell();
  }

  mark(one: number): void {
    const place = one % (this.#list.length || 1);
    const alert = this.#list.alerts[place];
    if (!alert) return;
    const bookmark = !alert.bookmark;
    this.#list.alerts[place] = { ...alert, bookmark };
    this.#events.push(() => this.#gateway.changed(alert.id, "MARKED", { id: alert.id, bookmark }));
  }

  tell(): void {
    for (const event of this.#events.splice(0)) {
      if (this.#isTold(this.#told)) event();
      this.#told += 1;
    }
  }

  show(one: number, other: number): void {
    this.#first = one % (this.#stream.total || 1);
    this.#stream.show(this.#first, this.#first + (other % 80));
  }

  showTop(_: number, other: number): void {
    this.show(0, other);
  }

  scroll(one: number, other: number): void {
    this.show(Math.max(0, this.#first + (one % 200) - 100), other);
  }

  holdBack(one: number): void {
    this.#stream.holdsBack = one % 2 === 0;
    if (!this.#stream.holdsBack) this.#stream.release();
  }

  reload(one: number): void {
    if (one % 4 === 0) void this.#stream.reload();
  }

  work(): void {
    this.#gateway.workAll();
  }

  answer(one: number): Promise<void> {
    return this.#gateway.answer(one % (this.#gateway.requests.length || 1));
  }

  pause(): void {
    vi.runOnlyPendingTimers();
  }

  async live(story: readonly Happening[]): Promise<void> {
    for (const [name, one, other] of story) {
      await this[name](one, other);
      await settled();
      expectOrder(this.#stream);
    }
    this.tell();
    await this.#gateway.answerAll();
    this.holdBack(1);
    this.show(this.#first, 60);
    await this.#gateway.answerAll();
    this.#compare();
    stop();
  }

  #compare(): void {
    const [stream, list, first] = [this.#stream, this.#list, this.#first];
    expect(stream.failure).toBeUndefined();
    expect(stream.total).toBe(list.length);
    expect(stream.at(Math.min(first + 60, list.length - 1)) === undefined).toBe(list.length === 0);
    for (const [place, { id, bookmark }] of list.alerts.entries()) {
      const alert = stream.at(place);
      if (alert || (place >= first && place <= first + 60))
        expect([place, alert?.id, alert?.bookmark]).toEqual([place, id, bookmark]);
    }
  }
}

const happenings = [
  "raise",
  "delete",
  "mark",
  "tell",
  "show",
  "showTop",
  "scroll",
  "holdBack",
  "reload",
  "work",
  "answer",
  "pause",
] as const;
type Happening = readonly [(typeof happenings)[number], number, number];
const story: fc.Arbitrary<Happening[]> = fc.array(
  fc.tuple(fc.constantFrom(...happenings), fc.nat(), fc.nat()),
  { minLength: 5, maxLength: 60 },
);

/** Expects that the loaded alerts are in order, each in one place. */
function expectOrder(stream: AlertStream): void {
  let previous: string | undefined;
  for (const alert of stream.between(0, stream.total)) {
    const position = cursorOf(alert);
    if (previous !== undefined && position >= previous)
      throw new Error(`${position} comes after ${previous}`);
    if (stream.at(stream.indexOf(alert.id)) !== alert) throw new Error(`${alert.id} is not in its place`);
    previous = position;
  }
}

describe("whatever happens during reads, the list", () => {
  const length = fc.oneof(fc.nat(120), fc.integer({ min: 500, max: 1_500 }));
  const lives = (isTold: (event: number) => boolean) =>
    fc.asyncProperty(length, story, (alerts, happened) => new Life(alerts, isTold).live(happened));
  const seed = 20_261_125;

  test("matches the gateway's", async () => {
    const begin: Happening[] = [
      ["answer", 0, 0],
      ["answer", 0, 0],
    ];
    const examples: [number, Happening[]][] = [
      // The shown places change while the list, which has other alerts by then, is read
      // again.
      [
        500,
        [...begin, ["raise", 1, 1], ["reload", 0, 0], ["raise", 0, 1], ["raise", 0, 1], ["scroll", 121, 83]],
      ],
      // The waiting alert is not the newest.
      [
        13,
        [...begin, ["holdBack", 0, 0], ["raise", 21, 0], ["show", 12, 0], ["reload", 0, 0], ["tell", 0, 0]],
      ],
    ];
    await fc.assert(
      lives(() => true),
      { seed, numRuns: 200, examples },
    );
  }, 120_000);

  test("would not match if an event were lost", async () => {
    const { failed } = await fc.check(
      lives((event) => event !== 3),
      { seed, numRuns: 100, endOnFailure: true },
    );
    expect(failed).toBe(true);
  }, 120_000);
});
