import { defineEntityType, type Selected } from "../../engine/reading/entity-type.js";
import { defineToOne } from "../../engine/reading/relation.js";
import { type CameraFeed, Prisma } from "../../generated/prisma/client.js";

export type CameraFeedErrorRow = Selected<CameraFeed, "cameraId">;

export const cameraFeedErrors = defineEntityType<CameraFeed>({
  source: "cameraFeedErrors",
  keys: ["cameraId"],
  columns: Prisma.CameraFeedScalarFieldEnum,
  dateColumns: {
    dueAt: true,
    probedAt: true,
    firstPictureAt: true,
    failingSince: true,
    lostAt: true,
    quietUntil: true,
    openedAt: true,
    aloneUntil: true,
    ringFrom: true,
    ringUntil: true,
  },
});

export const feedErrorByCamera = defineToOne<CameraFeedErrorRow>(cameraFeedErrors, "cameraId");
