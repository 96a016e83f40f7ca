import { defineEntityType, type Selected } from "../../../engine/reading/entity-type.js";
import { defineToOne } from "../../../engine/reading/relation.js";
import { type AlertClip, Prisma } from "../../../generated/prisma/client.js";

export type AlertClipRow = Selected<AlertClip, "alertId">;

export const alertClips = defineEntityType<AlertClip>({
  source: "alertClips",
  keys: ["alertId"],
  columns: Prisma.AlertClipScalarFieldEnum,
  dateColumns: { alertCreatedAt: true, startsAt: true, dueAt: true },
});

export const clipOfAlert = defineToOne<AlertClipRow>(alertClips, "alertId");
