// Needs no gateway.
import fc from "fast-check";
import {
  addressOfAlerts,
  alertFilterOf,
  alertSelectionOf,
} from "../../src/console/alerts/filter/alert-filter.js";
import { countedAlerts, filtersOf } from "../../src/console/today/counted-alerts.js";
import { isCut, presentVisit } from "../../src/console/today/visit.js";

const hour = 3_600_000;
const instant = fc
  .date({ min: new Date("2000-01-01T00:00:00Z"), max: new Date("2100-01-01T00:00:00Z"), noInvalidDate: true })
  .map((at) => at.toISOString());

test("the link behind each number asks for the alerts that were counted, whenever it is opened", () => {
  fc.assert(
    fc.property(instant, instant, (since, opened) => {
      const filters = filtersOf({ start: since }, Date.parse(since));
      for (const [name, counted] of Object.entries(countedAlerts({ start: since }))) {
        const query = new URLSearchParams();
        for (const [parameter, values] of Object.entries(addressOfAlerts(counted)))
          for (const value of [values ?? []].flat()) query.append(parameter, value);
        expect(alertFilterOf(alertSelectionOf(query), new Date(opened))).toEqual(
          filters[name as keyof typeof filters],
        );
      }
    }),
  );
});

test("a visit goes on for eight hours, and belongs to one user", () => {
  const now = Date.parse("2026-11-26T08:00:00Z");
  const ada = { id: "ada", seenAt: "2026-11-25T16:30:00.000Z" };
  const visit = presentVisit(ada, now);
  expect(visit).toEqual({ since: ada.seenAt, seenAt: ada.seenAt });
  const later = { ...ada, seenAt: "2026-11-26T08:00:10.000Z" };
  expect(presentVisit(later, now + 8 * hour - 1)).toEqual(visit);
  expect(presentVisit(later, now + 8 * hour)).toEqual({ since: later.seenAt, seenAt: later.seenAt });
  expect(presentVisit({ id: "ben", seenAt: null }, now + 8 * hour)).toEqual({
    since: "2026-11-25T16:00:00.000Z",
    seenAt: null,
  });
  const glanced = { id: "gus", seenAt: new Date(now - 60_000).toISOString() };
  expect(presentVisit(glanced, now)).toEqual({ since: "2026-11-25T08:00:00.000Z", seenAt: null });
  expect(presentVisit(undefined, now)).toEqual({ since: "2026-11-25T08:00:00.000Z", seenAt: null });
});

test("a period is at most 31 days long", () => {
  const now = Date.parse("2026-11-26T08:00:00Z");
  const visit = presentVisit({ id: "eva", seenAt: "2026-06-01T00:00:00.000Z" }, now);
  expect(visit.since).toBe("2026-10-26T08:00:00.000Z");
  expect(isCut(visit)).toBe(true);
  expect(isCut(presentVisit({ id: "fay", seenAt: "2026-11-20T00:00:00.000Z" }, now))).toBe(false);
});
