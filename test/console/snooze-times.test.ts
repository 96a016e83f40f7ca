// Needs no gateway.
import { localInputValue } from "../../src/console/language/time-zones.js";
import { endOf, type SnoozeChoice } from "../../src/console/snooze/snooze-times.js";

const end = (choice: SnoozeChoice, now: string, timeZone: string, time = "") =>
  endOf(choice, { time, now: Date.parse(now), timeZone })?.toISOString();

test.each<[choice: SnoozeChoice, now: string, timeZone: string, expected: string]>([
  ["hour", "2026-11-27T08:00:00Z", "Asia/Tokyo", "2026-11-27T09:00:00.000Z"],
  ["day", "2026-11-27T08:00:00Z", "Asia/Tokyo", "2026-11-28T08:00:00.000Z"],
  ["tomorrow", "2026-11-27T08:00:00Z", "Asia/Tokyo", "2026-11-27T21:00:00.000Z"],
  // It is tomorrow there.
  ["tomorrow", "2026-11-27T15:00:00Z", "Asia/Tokyo", "2026-11-28T21:00:00.000Z"],
  ["tomorrow", "2026-11-27T08:00:00Z", "Asia/Kathmandu", "2026-11-28T00:15:00.000Z"],
  // The clocks change in the night.
  ["tomorrow", "2026-10-24T20:00:00Z", "Europe/Berlin", "2026-10-25T05:00:00.000Z"],
  ["tomorrow", "2026-03-28T20:00:00Z", "Europe/Berlin", "2026-03-29T04:00:00.000Z"],
])("a snooze (%s) that begins at %s in %s ends at %s", (choice, now, timeZone, expected) => {
  expect(end(choice, now, timeZone)).toBe(expected);
});

test.each([
  ["2026-11-28T10:30", "2026-11-28T09:30:00.000Z"],
  // The first of the two, and what the clocks skip.
  ["2026-10-25T02:30", "2026-10-25T00:30:00.000Z"],
  ["2026-03-29T02:30", "2026-03-29T01:30:00.000Z"],
  ["", undefined],
])("the chosen time %s in Berlin is %s", (time, expected) => {
  expect(end("time", "2026-03-01T00:00:00Z", "Europe/Berlin", time)).toBe(expected);
});

test("a time is shown on the clock of the facility", () => {
  expect(localInputValue("2026-11-27T20:45:10Z", "Asia/Kathmandu")).toBe("2026-11-28T02:30");
});
