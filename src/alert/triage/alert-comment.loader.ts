import { type AlertComment, Prisma } from "../../generated/prisma/client.js";
import { defineEntityType, type Selected } from "../../reading/entity-type.js";
import { newestFirst } from "../../reading/list-order.js";
import { definePaginatedRelation } from "../../reading/paginated-relation.js";

/** A comment with the columns that the operation needs. */
export type AlertCommentRow = Selected<AlertComment, "id" | "createdAt">;

export const alertComments = defineEntityType<AlertComment>({
  source: "alertComments",
  keys: ["id", "createdAt"],
  columns: Prisma.AlertCommentScalarFieldEnum,
  dateColumns: { createdAt: true, editedAt: true },
});

/** Pages of the comments on an alert. */
export const commentsOfAlert = definePaginatedRelation<AlertCommentRow>(alertComments, "alertId", {
  order: newestFirst,
});
