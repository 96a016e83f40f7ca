import { alertRuleById } from "../../alert-rule/alert-rule.loader.js";
import { cameraById } from "../../camera/camera.loader.js";
import { facilityById } from "../../facility/facility.loader.js";
import type { RequestContext } from "../../operation/request-context.js";
import { columnsOnly } from "../../reading/selection.js";
import type { CellValue } from "../../spreadsheet/cell.js";
import type { Fact } from "../../spreadsheet/spreadsheet.js";
import type { AlertFilter } from "../alert.input.js";
import type { OpenedExport } from "./alert-export.service.js";

/**
 * The facts that the spreadsheet states about itself: its creation time, the expiry of
 * its links, and each condition of the filter.
 */
export async function exportFacts({ context, filter, askedAt }: OpenedExport): Promise<Fact[]> {
  const { links, now } = context.services;
  const conditions = await conditionsInWords(context, filter);
  return [
    ["Exported (UTC)", now()],
    ["Links valid until (UTC)", links.expiryOf("week")],
    ...(filter.relativeDays == null ? [] : [["Relative days counted from (UTC)", askedAt] satisfies Fact]),
    ...Object.values(conditions).flatMap(([name, values]): Fact[] =>
      values ? values.map((value) => [name, value]) : [[name, "All"]],
    ),
  ];
}

/** The name of a condition, and the values that it allows; null if it allows all. */
type Condition = readonly [name: string, values: readonly CellValue[] | null];

/** All conditions of the filter, given or not. */
async function conditionsInWords(
  context: RequestContext,
  filter: AlertFilter,
): Promise<Record<keyof AlertFilter, Condition>> {
  const nameOnly = columnsOnly(["id", "name"]);
  const facility = await namesOf(facilityById(context, nameOnly), single(filter.facilityId));
  const facilities = await namesOf(facilityById(context, nameOnly), filter.facilityIds);
  const cameras = await namesOf(cameraById(context, nameOnly), filter.cameraIds);
  const rules = await namesOf(alertRuleById(context, nameOnly), filter.alertRuleIds);
  return {
    start: ["From (UTC)", single(filter.start)],
    end: ["Before (UTC)", single(filter.end)],
    facilityId: ["Facility", facility],
    facilityIds: ["One of the facilities", facilities],
    cameraIds: ["Camera", cameras],
    alertRuleIds: ["Rule", rules],
    types: ["Type", listed(filter.types)],
    severities: ["Severity", listed(filter.severities)],
    bookmark: ["Bookmark", single(filter.bookmark)],
    falsePositive: ["False positive", listed(filter.falsePositive)],
    observation: ["Observation", single(filter.observation)],
    acknowledged: ["Acknowledged", single(filter.acknowledged)],
    areaId: ["Area id", single(filter.areaId)],
    areaIds: ["One of the area ids", listed(filter.areaIds)],
    localDays: ["Local days", span(filter.localDays)],
    relativeDays: ["Relative days", span(filter.relativeDays)],
    localTimes: ["Local times", span(filter.localTimes)],
    hoursOfDay: ["Hour of the day", listed(filter.hoursOfDay)],
    daysOfWeek: ["Day of the week (0 is Sunday)", listed(filter.daysOfWeek)],
  };
}

const single = <Value>(value: Value | null | undefined) => (value == null ? null : [value]);

const span = (values: { from: string | number; to: string | number } | null | undefined) =>
  values == null ? null : [`${values.from} to ${values.to}`];

/** An empty list matches nothing. */
function listed(values: readonly CellValue[] | null | undefined): readonly CellValue[] | null {
  if (values == null) return null;
  return values.length === 0 ? ["None"] : values;
}

interface ByIds {
  loadMany(ids: readonly string[]): Promise<readonly (Error | { name?: string | undefined } | null)[]>;
}

/**
 * The names of facilities, cameras or rules. Names that the caller may not see are
 * replaced by the requested ids.
 */
async function namesOf(
  loader: ByIds,
  ids: readonly string[] | null | undefined,
): Promise<readonly CellValue[] | null> {
  if (ids == null) return null;
  const found = await loader.loadMany(ids);
  const names = found.map((each, index) => {
    if (each instanceof Error) throw each;
    return each?.name ?? (ids[index] as string);
  });
  return listed(names);
}
