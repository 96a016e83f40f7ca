import { defineEntityType, type Selected } from "../../engine/reading/entity-type.js";
import { defineToMany } from "../../engine/reading/relation.js";
import { Prisma, type SavedView } from "../../generated/prisma/client.js";

/** A saved view with the columns that the operation needs. */
type SavedViewRow = Selected<SavedView, "id">;

export const savedViews = defineEntityType<SavedView>({
  source: "savedViews",
  keys: ["id"],
  columns: Prisma.SavedViewScalarFieldEnum,
  dateColumns: { createdAt: true },
});

/** The saved views of a user, in the order in which they were added. */
export const savedViewsByUser = defineToMany<SavedViewRow>(savedViews, "userId", {
  orderBy: Prisma.sql`item."createdAt", item."id"`,
});
