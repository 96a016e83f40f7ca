import { defineEntityType, type Selected } from "../../../engine/reading/entity-type.js";
import { newestFirst } from "../../../engine/reading/list-order.js";
import { defineToMany, defineToOne } from "../../../engine/reading/relation.js";
import { type AnalysisJob, Prisma } from "../../../generated/prisma/client.js";

type AnalysisJobRow = Selected<AnalysisJob, "id">;

export const analysisJobs = defineEntityType<AnalysisJob>({
  source: "analysisJobs",
  keys: ["id"],
  columns: Prisma.AnalysisJobScalarFieldEnum,
  dateColumns: { createdAt: true, updatedAt: true, startedAt: true, endedAt: true },
});

export const analysisJobsByCamera = defineToMany<AnalysisJobRow>(analysisJobs, "cameraId", {
  orderBy: newestFirst.forwards,
});

export const analysisJobOfCamera = defineToOne<AnalysisJobRow, string>(analysisJobs, "cameraId", {
  conditions: (id) => [Prisma.sql`item."id" = ${id}::uuid`],
  argsOf: ({ id }) => String(id),
});
