// Needs no gateway.
import { noteServerDate, serverLead, serverTime } from "../../src/console/data/server-time.js";
import { Formats } from "../../src/console/language/formats.js";
import { localDay, readersTimeZone } from "../../src/console/language/time-zones.js";
import { usableTimeZone } from "../../src/platform/time.js";

const { DateTimeFormat } = Intl;
afterEach(() => {
  Intl.DateTimeFormat = DateTimeFormat;
});

/** The number of formatters that are made while a function runs. */
function formattersMadeBy(run: () => void): number {
  let made = 0;
  Intl.DateTimeFormat = new Proxy(DateTimeFormat, {
    construct: (target, given) => {
      made += 1;
      return new target(...given);
    },
  });
  run();
  return made;
}

const zones = Intl.supportedValuesOf("timeZone").slice(0, 100);

describe("times of facilities", () => {
  const writeAll = (formats: Formats, zone: string, instant: number) => [
    formats.moment(instant, zone),
    formats.timeOfDay(instant, zone),
    formats.zone(instant, zone),
    localDay(instant, zone),
  ];

  test("take one formatter for the clock and one for the name of each time zone, however often they are written", () => {
    const formats = new Formats("en-GB");
    const made = formattersMadeBy(() => {
      for (let day = 0; day < 10; day += 1)
        for (const zone of zones) writeAll(formats, zone, day * 86_400_000);
    });
    expect(made).toBeGreaterThan(0);
    expect(made).toBeLessThanOrEqual(2 * zones.length + 6);
    expect(formattersMadeBy(() => zones.map((zone) => writeAll(formats, zone, 0)))).toBe(0);
  });

  test("are written as their own formatter would write them", () => {
    const formats = new Formats("de-AT");
    const instant = Date.UTC(2026, 9, 25, 0, 59, 59);
    for (const timeZone of zones) {
      expect(formats.timeOfDay(instant, timeZone)).toBe(
        new DateTimeFormat("de-AT", { timeStyle: "short", timeZone }).format(instant),
      );
    }
    const written = new DateTimeFormat("de-AT", { dateStyle: "medium", timeStyle: "short" }).format(instant);
    expect(formats.moment(instant).startsWith(`${written} `)).toBe(true);
  });

  test("are not kept for any number of time zones", () => {
    const zone = "Europe/Amsterdam";
    const day = 86_400_000;
    localDay(0, zone);
    expect(formattersMadeBy(() => localDay(10 * day, zone))).toBe(0);
    for (let bits = 0; bits < 2_400; bits += 1)
      localDay(
        0,
        [..."europe/paris"]
          .map((letter, index) => ((bits >> index) & 1 ? letter.toUpperCase() : letter))
          .join(""),
      );
    expect(formattersMadeBy(() => localDay(20 * day, zone))).toBe(1);
  });

  test("are in UTC where the browser does not know the time zone", () => {
    const formats = new Formats("en-GB");
    expect(writeAll(formats, "Mars/Olympus_Mons", 0)).toEqual(writeAll(formats, "UTC", 0));
    expect(["Mars/Olympus_Mons", "UTC", readersTimeZone].map(usableTimeZone)).toEqual([
      "UTC",
      "UTC",
      readersTimeZone,
    ]);
  });
});

test("numbers have the separators of the reader's language", () => {
  const written = ["en-GB", "de"].map((locale) => new Formats(locale).number(1_234_567.5));
  expect(written).toEqual(["1,234,567.5", "1.234.567,5"]);
});

test("lengths of time are rounded, in the largest unit that this makes whole", () => {
  const formats = new Formats("en-GB");
  const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
  const second = 1_000;
  const written: [milliseconds: number, text: string][] = [
    [minute, "1 minute"],
    [90 * second - 1, "1 minute"],
    [90 * second, "2 minutes"],
    [hour - second, "1 hour"],
    [50 * hour, "2 days"],
    [3 * day - second, "3 days"],
    [3 * day + second, "3 days"],
    [day - second, "1 day"],
    [7 * day - second, "1 week"],
    [365 * day - second, "12 months"],
    [365 * day, "1 year"],
  ];
  for (const [milliseconds, text] of written) expect(formats.duration(milliseconds)).toBe(text);
});

describe("the gateway's clock", () => {
  const hour = 3_600_000;
  /**
   * Simulates an answer that took a while, from a gateway whose clock is ahead of this
   * computer's.
   */
  const answer = (ahead: number, took = 100) => {
    const receivedAt = Date.now();
    noteServerDate(new Date(receivedAt - took / 2 + ahead).toUTCString(), receivedAt - took, receivedAt);
  };

  test("is this computer's as long as that may be right", () => {
    for (const ahead of [0, 900, -900]) answer(ahead, 2_000);
    expect(serverLead()).toBe(0);
  });

  test("is followed where it is another, and also when one of the clocks is set", () => {
    for (const ahead of [-3 * hour, 400 * 24 * hour, 90_000]) {
      answer(ahead);
      expect(Math.abs(serverLead() - ahead)).toBeLessThan(3_000);
      expect(Math.abs(serverTime() - Date.now() - ahead)).toBeLessThan(3_000);
    }
    answer(0);
    expect(serverLead()).toBe(0);
  });

  test("is not read from answers that do not say it", () => {
    noteServerDate(null, Date.now(), Date.now());
    noteServerDate("yesterday", Date.now(), Date.now());
    const now = Date.now();
    noteServerDate(new Date(now + hour).toUTCString(), now, now - 10 * hour);
    expect(serverLead()).toBe(0);
  });
});
