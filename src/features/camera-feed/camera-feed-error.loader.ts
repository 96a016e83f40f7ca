import { defineEntityType, type Selected } from "../../engine/reading/entity-type.js";
import { defineToOne } from "../../engine/reading/relation.js";
import { type CameraFeed, Prisma } from "../../generated/prisma/client.js";

/** Why the gateway cannot read a stream, with the columns that the operation needs. */
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
  },
});

/** Why the gateway cannot read the stream of a camera. */
export const feedErrorByCamera = defineToOne<CameraFeedErrorRow>(cameraFeedErrors, "cameraId");
