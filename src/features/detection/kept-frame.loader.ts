import { defineEntityType, type Selected } from "../../engine/reading/entity-type.js";
import { newestFirst } from "../../engine/reading/list-order.js";
import { definePaginatedRelation } from "../../engine/reading/paginated-relation.js";
import { type KeptFrame, Prisma } from "../../generated/prisma/client.js";
import { keptForMs } from "./kept-frames.js";

export type KeptFrameRow = Selected<KeptFrame, "id" | "createdAt">;

export const keptFrames = defineEntityType<KeptFrame>({
  source: "keptFrames",
  keys: ["id", "createdAt"],
  columns: Prisma.KeptFrameScalarFieldEnum,
  dateColumns: { createdAt: true },
  notJsonColumns: { number: true },
});

export const keptFramesOfCamera = definePaginatedRelation<KeptFrameRow>(keptFrames, "cameraId", {
  order: newestFirst,
  conditions: (_filter, { now }) => [
    Prisma.sql`item."createdAt" > ${now} - ${keptForMs}::int * interval '1 millisecond'`,
  ],
});
