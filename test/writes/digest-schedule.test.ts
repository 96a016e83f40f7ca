// Needs no gateway.
import { nextDigestAt } from "../../src/features/digest/digest-schedule.js";

const next = (at: string, timeZoneId: string, after: string, lastDueAt: string | null = null) =>
  nextDigestAt(
    { at, timeZoneId, lastDueAt: lastDueAt === null ? null : new Date(lastDueAt) },
    new Date(after),
  ).toISOString();

/** The instants of a digest in a row, each found from the one before. */
function nextDays(count: number, at: string, timeZoneId: string, after: string): string[] {
  const found: string[] = [];
  for (let previous = after; found.length < count; previous = found.at(-1) as string)
    found.push(next(at, timeZoneId, previous, found.at(-1)));
  return found;
}

describe("a digest is due", () => {
  it.each([
    [
      "later the same day",
      "07:00",
      "Europe/Istanbul",
      "2026-11-20T03:59:59.999Z",
      "2026-11-20T04:00:00.000Z",
    ],
    [
      "the next day from its time on",
      "07:00",
      "Europe/Istanbul",
      "2026-11-20T04:00Z",
      "2026-11-21T04:00:00.000Z",
    ],
    [
      "by the day of its zone, east",
      "00:30",
      "Pacific/Kiritimati",
      "2026-11-20T10:00Z",
      "2026-11-20T10:30:00.000Z",
    ],
    [
      "by the day of its zone, west",
      "23:59",
      "Pacific/Pago_Pago",
      "2026-11-20T10:00Z",
      "2026-11-20T10:59:00.000Z",
    ],
    ["in quarters of an hour", "07:00", "Asia/Kathmandu", "2026-11-20T00:00Z", "2026-11-20T01:15:00.000Z"],
  ])("%s", (_what, at, timeZoneId, after, due) => {
    expect(next(at, timeZoneId, after)).toBe(due);
  });

  it("once on the day on which the clocks show its time twice, the first time", () => {
    expect(nextDays(3, "02:30", "Europe/Berlin", "2026-10-24T12:00Z")).toEqual([
      "2026-10-25T00:30:00.000Z",
      "2026-10-26T01:30:00.000Z",
      "2026-10-27T01:30:00.000Z",
    ]);
    // Between the two times.
    expect(next("02:30", "Europe/Berlin", "2026-10-25T01:00Z")).toBe("2026-10-26T01:30:00.000Z");
  });

  it("once on the day on which the clocks skip its time, as much later as they skip", () => {
    expect(nextDays(3, "02:30", "Europe/Berlin", "2026-03-28T12:00Z")).toEqual([
      "2026-03-29T01:30:00.000Z",
      "2026-03-30T00:30:00.000Z",
      "2026-03-31T00:30:00.000Z",
    ]);
    expect(nextDays(2, "00:00", "America/Havana", "2026-03-07T12:00Z")).toEqual([
      "2026-03-08T05:00:00.000Z",
      "2026-03-09T04:00:00.000Z",
    ]);
    expect(nextDays(2, "02:15", "Australia/Lord_Howe", "2026-10-03T00:00Z")).toEqual([
      "2026-10-03T15:45:00.000Z",
      "2026-10-04T15:15:00.000Z",
    ]);
  });

  it("not again on the day on which it was due, whatever its new time and zone", () => {
    const last = "2026-11-20T04:00Z";
    expect(next("18:00", "Europe/Istanbul", "2026-11-20T05:00Z", last)).toBe("2026-11-21T15:00:00.000Z");
    expect(next("07:00", "America/New_York", "2026-11-20T05:00Z", last)).toBe("2026-11-20T12:00:00.000Z");
  });
});
