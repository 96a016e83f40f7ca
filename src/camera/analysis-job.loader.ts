import { type AnalysisJob, Prisma } from "../generated/prisma/client.js";
import { defineEntityType, type Selected } from "../reading/entity-type.js";
import { defineToMany, defineToOne } from "../reading/relation.js";

/** An analysis job with the columns that the operation needs. */
export type AnalysisJobRow = Selected<AnalysisJob, "id">;

export const analysisJobs = defineEntityType<AnalysisJob>({
  source: "analysisJobs",
  keys: ["id"],
  columns: Prisma.AnalysisJobScalarFieldEnum,
  dateColumns: { createdAt: true, updatedAt: true, startedAt: true, endedAt: true },
});

/** A camera's analysis jobs, newest first. */
export const analysisJobsByCamera = defineToMany<AnalysisJobRow>({
  entityType: analysisJobs,
  conditions: (cameraId) => [Prisma.sql`item."cameraId" = ${cameraId}`],
  orderBy: Prisma.sql`item."createdAt" DESC, item."id" DESC`,
});

/** The analysis job of an id, if it is one of the camera's. */
export const analysisJobOfCamera = defineToOne<AnalysisJobRow, string>({
  entityType: analysisJobs,
  conditions: (cameraId, id) => [Prisma.sql`item."cameraId" = ${cameraId}`, Prisma.sql`item."id" = ${id}::uuid`],
  argsOf: ({ id }) => String(id),
});
