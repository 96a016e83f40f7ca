import { defineEntityType, type Selected } from "../../../engine/reading/entity-type.js";
import { newestFirst } from "../../../engine/reading/list-order.js";
import { definePaginatedRelation } from "../../../engine/reading/paginated-relation.js";
import { Prisma, type StatusChange } from "../../../generated/prisma/client.js";

type StatusChangeRow = Selected<StatusChange, "id" | "createdAt">;

export const statusChanges = defineEntityType<StatusChange>({
  source: "statusChanges",
  keys: ["id", "createdAt"],
  columns: Prisma.StatusChangeScalarFieldEnum,
  dateColumns: { createdAt: true },
});

export const statusHistory = definePaginatedRelation<StatusChangeRow>(statusChanges, "cameraId", {
  order: newestFirst,
});
