import type { WriteAccess } from "../../engine/operation/write.js";
import { Prisma } from "../../generated/prisma/client.js";
import { binaryArray } from "../../platform/binary-array.js";
import type { DetectionFrameInput } from "./detection-frame.input.js";

/** For how long frames are kept, by the times at which they were taken. */
export const keptForMs = 24 * 3_600_000;

/** The maximum number of frames that are kept of a camera. */
export const maxKeptFrames = 1000;

/**
 * Keeps frames in place of the oldest ones of their cameras, without waiting for the database. The states of
 * the cameras are locked; the frames of each are in the order of their times, and later than those that are
 * kept.
 */
export function keepDetections(write: WriteAccess, frames: readonly DetectionFrameInput[]): void {
  if (frames.length === 0) return;
  const { workspaceId } = write.caller;
  const cameraIds = binaryArray("uuid", [...new Set(frames.map(({ cameraId }) => cameraId))]);
  const ofWorkspace = Prisma.sql`kept."workspaceId" = ${workspaceId}::uuid`;
  const last = Prisma.sql`(
    SELECT camera."id", coalesce((
      SELECT max(kept."number") FROM "KeptFrame" AS kept WHERE ${ofWorkspace} AND kept."cameraId" = camera."id"
    ), 0) AS "number" FROM unnest(${cameraIds}::uuid[]) AS camera("id"))`;
  write.send(Prisma.sql`
    INSERT INTO "KeptFrame" ("workspaceId", "cameraId", "number", "id", "createdAt", "width", "height", "objects")
    SELECT ${workspaceId}::uuid, given."cameraId",
      last."number" + row_number() OVER (PARTITION BY given."cameraId" ORDER BY given."position"),
      gen_random_uuid(), given."createdAt", given."width", given."height", given."objects"
    FROM unnest(
      ${binaryArray(
        "uuid",
        frames.map(({ cameraId }) => cameraId),
      )}::uuid[],
      ${binaryArray(
        "timestamptz",
        frames.map(({ at }) => at),
      )}::timestamptz[],
      ${binaryArray(
        "int",
        frames.map(({ width }) => width),
      )}::int[],
      ${binaryArray(
        "int",
        frames.map(({ height }) => height),
      )}::int[],
      ${binaryArray("jsonb", frames.map(keptObjects))}::jsonb[]
    ) WITH ORDINALITY AS given("cameraId", "createdAt", "width", "height", "objects", "position")
    JOIN ${last} AS last ON last."id" = given."cameraId"`);
  // Numbers tell which frames are too many, so that nobody has to count them.
  write.send(Prisma.sql`
    DELETE FROM "KeptFrame" AS kept USING ${last} AS last
    WHERE ${ofWorkspace} AND kept."cameraId" = last."id" AND kept."number" <= last."number" - ${maxKeptFrames}::int`);
}

/** Objects as kept: with null for what is not known, as the API shows them. */
const keptObjects = ({ objects }: DetectionFrameInput) =>
  objects.map(({ label, confidence, box, trackId, attributes }) => ({
    label,
    confidence: confidence ?? 1,
    box,
    trackId: trackId ?? null,
    attributes: attributes ?? null,
  }));
