import type { RequestContext } from "../access/request-context.js";
import type { Facility } from "../generated/prisma/client.js";
import { defineLoader, groupBy } from "../platform/loader.js";
import { type Selected, selectOf } from "../platform/selection.js";

/** What is read of a facility whatever was asked. */
export const facilityKeys = ["id", "workspaceId"] as const;

export type FacilityRow = Selected<Facility, (typeof facilityKeys)[number]>;

/** All visible facilities by name, under the id of the workspace. */
export const facilitiesOfWorkspace = defineLoader<RequestContext, FacilityRow[], string[]>(
  async (context, _workspaceIds, columns) => {
    const rows = await context.visible.facility.findMany({ select: selectOf(columns), orderBy: [{ name: "asc" }, { id: "asc" }] });
    return groupBy(rows as unknown as FacilityRow[], (facility) => facility.workspaceId);
  },
  () => [],
);

/** Facilities by id, with the columns that the variant names. */
export const facilityById = defineLoader<RequestContext, FacilityRow | undefined, string[]>(
  async (context, ids, columns) => {
    const rows = await context.visible.facility.findMany({ where: { id: { in: [...ids] } }, select: selectOf(columns) });
    return new Map((rows as unknown as FacilityRow[]).map((row) => [row.id, row]));
  },
  () => undefined,
);
