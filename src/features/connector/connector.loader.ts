import { defineEntityType, type Selected } from "../../engine/reading/entity-type.js";
import { defineToMany, defineToOne } from "../../engine/reading/relation.js";
import { type Connector, Prisma } from "../../generated/prisma/client.js";

export type ConnectorRow = Selected<Connector, "id">;

export const connectors = defineEntityType<Connector>({
  source: "connectors",
  keys: ["id"],
  columns: Prisma.ConnectorScalarFieldEnum,
  dateColumns: { firstReportedAt: true, lastReportedAt: true },
});

export const connectorById = defineToOne<ConnectorRow>(connectors, "id");

export const connectorsByWorkspace = defineToMany<ConnectorRow>(connectors, "workspaceId", {
  orderBy: Prisma.sql`item."name", item."id"`,
});
