import { defineEntityType, type Selected } from "../../../engine/reading/entity-type.js";
import { newestFirst } from "../../../engine/reading/list-order.js";
import { definePaginatedRelation } from "../../../engine/reading/paginated-relation.js";
import { type AlertComment, Prisma } from "../../../generated/prisma/client.js";

export type AlertCommentRow = Selected<AlertComment, "id" | "createdAt">;

export const alertComments = defineEntityType<AlertComment>({
  source: "alertComments",
  keys: ["id", "createdAt"],
  columns: Prisma.AlertCommentScalarFieldEnum,
  dateColumns: { createdAt: true, editedAt: true },
});

export const commentsOfAlert = definePaginatedRelation<AlertCommentRow>(alertComments, "alertId", {
  order: newestFirst,
});
