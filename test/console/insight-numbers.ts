import {
  type AlertSelection,
  addressOfAlerts,
  alertFilterOf,
} from "../../src/console/alerts/filter/alert-filter.js";
import {
  comparedDays,
  countedAlerts,
  countsOfDay,
  daysAndPast,
} from "../../src/console/insight/counted-alerts.js";
import { daysOfWeek, hourSumsOf, hoursOfDay } from "../../src/console/insight/hour-sums.js";
import {
  countedSelection,
  daysIn,
  lastDayOver,
  possibleUnits,
  suitableUnit,
  type Unit,
} from "../../src/console/insight/insight-period.js";
import { type Colouring, countsOf } from "../../src/console/insight/series.js";
import type { QueryChanges } from "../../src/console/navigation/location.js";
import type { AlertFilter } from "../../src/generated/console.js";

/** A group of alerts, as far as Insight asks for it. */
export interface Group {
  count: number;
  period: string | null;
  hourOfDay: number | null;
  dayOfWeek: number | null;
  type: string | null;
  severity: string | null;
  facility: { id: string; name: string } | null;
  camera: { id: string; name: string } | null;
}

/** A dimension that Insight counts by. */
export type Dimension = Unit | "SEVERITY" | "TYPE" | "FACILITY" | "CAMERA" | "DAY_OF_WEEK" | "HOUR_OF_DAY";

/** A number on the page, and the query of the address behind it. */
export interface LinkedNumber {
  name: string;
  count: number;
  query: URLSearchParams;
}

/** What the page is asked for. */
export interface Shown {
  selection: AlertSelection;
  /** The end of what is counted. */
  until: number;
  timeZones: readonly string[];
  colouring: Colouring;
  unit?: Unit;
}

const usualPeriod = "30d";

export function queryOf(address: QueryChanges): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, values] of Object.entries(address))
    for (const value of [values ?? []].flat()) query.append(name, value);
  return query;
}

/** Counts alerts as the API does. */
type Answer = (filter: AlertFilter, groupBy: Dimension[]) => Promise<Group[]> | Group[];

/** The selections of a page, and the numbers that it shows. */
class Page {
  readonly numbers: LinkedNumber[] = [];
  readonly counted: AlertSelection;
  readonly alerts: ReturnType<typeof countedAlerts>;

  constructor(
    readonly shown: Shown,
    readonly answer: Answer,
  ) {
    this.counted = countedSelection(shown.selection, usualPeriod, shown.until);
    this.alerts = countedAlerts(this.counted, shown.until);
  }

  filterOf(selected: AlertSelection): AlertFilter {
    return alertFilterOf(selected, new Date(this.shown.until));
  }

  countsOf(selected: AlertSelection, ...groupBy: Dimension[]): Promise<Group[]> | Group[] {
    return this.answer(this.filterOf(selected), groupBy);
  }

  add(name: string, count: number, selected: AlertSelection, narrower: Partial<AlertSelection> = {}): void {
    const query = queryOf(addressOfAlerts({ ...selected, ...narrower }));
    this.numbers.push({ name, count, query });
  }
}

/**
 * The numbers of Insight, by the page's own functions, with their links. `answer` counts
 * alerts as the API does.
 */
export async function numbersOfInsight(shown: Shown, answer: Answer): Promise<LinkedNumber[]> {
  const page = new Page(shown, answer);
  await addChart(page);
  await addHours(page);
  await addPlaces(page);
  await addDays(page);
  return page.numbers;
}

async function addChart(page: Page): Promise<void> {
  const { alerts, shown } = page;
  const { colouring } = shown;
  const days = daysIn(page.filterOf(alerts.all));
  const unit = possibleUnits(days).find((each) => each === shown.unit) ?? suitableUnit(days);
  const dimension: Dimension = colouring === "type" ? "TYPE" : "SEVERITY";
  const { periods, series, total, totalBefore } = countsOf(
    {
      counts: await page.countsOf(alerts.all, unit, dimension),
      barsBefore: await page.countsOf(alerts.before, unit),
      seriesBefore: await page.countsOf(alerts.before, dimension),
    },
    colouring,
    { isByDay: unit === "DAY", days },
  );
  page.add("total", total, alerts.all);
  page.add("total before", totalBefore, alerts.before);
  // Those without a link are of too many types.
  const linked = series.filter(({ selection }) => selection !== undefined);
  for (const { value, selection, total, totalBefore } of linked) {
    page.add(`${value}`, total, alerts.all, selection);
    page.add(`${value} before`, totalBefore, alerts.before, selection);
  }
  for (const [index, period] of periods.entries()) {
    const sum = series.reduce((sum, { counts }) => sum + (counts[index] ?? 0), 0);
    page.add(period, sum, alerts.inBar(period));
    for (const { value, selection, counts } of linked)
      page.add(`${period} ${value}`, counts[index] ?? 0, alerts.inBar(period), selection);
  }
}

async function addHours(page: Page): Promise<void> {
  const { alerts } = page;
  const sums = hourSumsOf({ alertStatistics: await page.countsOf(alerts.all, "DAY_OF_WEEK", "HOUR_OF_DAY") });
  const add = (name: string, count: number, at: { hour?: number; weekday?: number }) => {
    // A 0 has no link.
    if (count > 0) page.add(name, count, alerts.at(at));
  };
  for (const hour of hoursOfDay) add(`hour ${hour}`, sums.ofHour(hour), { hour });
  for (const day of daysOfWeek) {
    const weekday = day % 7;
    add(`weekday ${day}`, sums.ofDay(day), { weekday });
    for (const hour of hoursOfDay) add(`weekday ${day}, hour ${hour}`, sums.of(day, hour), { weekday, hour });
  }
}

async function addPlaces(page: Page): Promise<void> {
  const { all, before } = page.alerts;
  for (const [name, selected] of [
    ["", all],
    [" before", before],
  ] as const)
    for (const { facility, count } of await page.countsOf(selected, "FACILITY"))
      if (facility) page.add(`${facility.name}${name}`, count, selected, { facilityIds: [facility.id] });
  for (const { camera, count } of await page.countsOf(all, "CAMERA"))
    if (camera) page.add(camera.name, count, all, { cameraIds: [camera.id] });
}

async function addDays(page: Page): Promise<void> {
  const { counted, alerts, shown } = page;
  const lastDay = lastDayOver(page.filterOf(alerts.all), shown.timeZones, shown.until - 1);
  const groups = await page.countsOf(comparedDays(counted, lastDay), "DAY");
  const counts = new Map(groups.map(({ period, count }) => [period as string, count]));
  for (const each of daysAndPast(counted, lastDay)) {
    const { count, pastCount } = countsOfDay(each, counts);
    page.add(each.day, count, each.selection);
    page.add(`past of ${each.day}`, pastCount, each.pastSelection);
  }
}
