import { defineEntityType, type Selected } from "../../engine/reading/entity-type.js";
import { defineToMany } from "../../engine/reading/relation.js";
import { Prisma, type SavedView } from "../../generated/prisma/client.js";

type SavedViewRow = Selected<SavedView, "id">;

export const savedViews = defineEntityType<SavedView>({
  source: "savedViews",
  keys: ["id"],
  columns: Prisma.SavedViewScalarFieldEnum,
  dateColumns: { createdAt: true },
});

export const savedViewsByUser = defineToMany<SavedViewRow>(savedViews, "userId", {
  orderBy: Prisma.sql`item."createdAt", item."id"`,
});
