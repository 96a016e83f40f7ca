import { Prisma, type StatusChange } from "../generated/prisma/client.js";
import { defineEntityType, type Selected } from "../reading/entity-type.js";
import { newestFirst } from "../reading/list-order.js";
import { definePaginatedRelation } from "../reading/paginated-relation.js";

/** A status change with the columns that the operation needs. */
export type StatusChangeRow = Selected<StatusChange, "id" | "createdAt">;

export const statusChanges = defineEntityType<StatusChange>({
  source: "statusChanges",
  keys: ["id", "createdAt"],
  columns: Prisma.StatusChangeScalarFieldEnum,
  dateColumns: { createdAt: true },
});

/** Pages of the status changes of a camera. */
export const statusHistory = definePaginatedRelation<StatusChangeRow>(statusChanges, "cameraId", {
  order: newestFirst,
});
