import { defineEntityType, type Selected } from "../../engine/reading/entity-type.js";
import { defineToMany, defineToOne } from "../../engine/reading/relation.js";
import { type Connector, Prisma } from "../../generated/prisma/client.js";

/** A connector with the columns that the operation needs. */
export type ConnectorRow = Selected<Connector, "id">;

export const connectors = defineEntityType<Connector>({
  source: "connectors",
  keys: ["id"],
  columns: Prisma.ConnectorScalarFieldEnum,
  dateColumns: { firstReportedAt: true, lastReportedAt: true },
});

/** A connector by its id. */
export const connectorById = defineToOne<ConnectorRow>(connectors, "id");

/** A workspace's connectors by name. */
export const connectorsByWorkspace = defineToMany<ConnectorRow>(connectors, "workspaceId", {
  orderBy: Prisma.sql`item."name", item."id"`,
});
