import { columnsOnly } from "../../reading/selection.js";
import type { CellValue } from "../../spreadsheet/cell.js";
import type { Fact } from "../../spreadsheet/spreadsheet.js";
import type { AlertFilter } from "../alert.input.js";
import { type NamedEntities, namedFields } from "../alert-filter-fields.js";
import type { OpenedExport } from "./alert-export.service.js";

/**
 * The facts that the spreadsheet states about itself: its creation time, the expiry of
 * its links, and each condition of the filter, given or not.
 */
export async function exportFacts({ context, filter, askedAt }: OpenedExport): Promise<Fact[]> {
  const { links, now } = context.services;
  const facts: Fact[] = [
    ["Exported (UTC)", now()],
    ["Links valid until (UTC)", links.expiryOf("week")],
    ...(filter.relativeDays == null ? [] : [["Relative days counted from (UTC)", askedAt] satisfies Fact]),
  ];
  for (const [name, { label, entities }] of namedFields) {
    const values = await inWords(filter[name], entities?.(context, columnsOnly(["id", "name"])));
    facts.push(...values.map((value): Fact => [label, value]));
  }
  return facts;
}

/** The values that a condition allows. */
async function inWords(
  value: AlertFilter[keyof AlertFilter],
  entities: ReturnType<NamedEntities> | undefined,
): Promise<readonly CellValue[]> {
  if (value == null) return ["All"];
  // An empty list matches nothing.
  if (Array.isArray(value) && value.length === 0) return ["None"];
  if (entities) return namesOf(entities, [value].flat() as string[]);
  if (Array.isArray(value)) return value;
  return typeof value === "object" && "from" in value ? [`${value.from} to ${value.to}`] : [value];
}

/**
 * The names of facilities, cameras or rules. Names that the caller may not see are
 * replaced by the requested ids.
 */
async function namesOf(entities: ReturnType<NamedEntities>, ids: readonly string[]): Promise<string[]> {
  const found = await entities.loadMany(ids);
  return found.map((each, index) => {
    if (each instanceof Error) throw each;
    return each?.name ?? (ids[index] as string);
  });
}
