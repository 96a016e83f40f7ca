import { Prisma, type StreamRequest } from "../../generated/prisma/client.js";
import { feedServerChannel } from "./outbox/delivery-state.js";

/** Queues a new stream request for the feed server, in a queue of its own, so that none holds up the others. */
export const streamRequestDelivery = ({
  workspaceId,
  id,
}: Pick<StreamRequest, "workspaceId" | "id">): Prisma.Sql =>
  Prisma.sql`
    INSERT INTO "Delivery" ("id", "workspaceId", "facilityId", "cameraId", "streamRequestId", "kind", "channel", "target", "targetId", "queueId",
      "host", "queuedAt", "createdAt", "expiresAt")
    SELECT gen_random_uuid(), ${workspaceId}::uuid, camera."facilityId", camera."id", request."id", 'STREAM_REQUEST', ${feedServerChannel},
      request."id"::text, request."id", request."id", ${feedServerChannel}, (SELECT clock_timestamp()), request."createdAt", request."expiresAt"
    FROM "StreamRequest" AS request
    JOIN "Camera" AS camera ON camera."workspaceId" = ${workspaceId}::uuid AND camera."id" = request."cameraId"
    WHERE request."workspaceId" = ${workspaceId}::uuid AND request."id" = ${id}::uuid`;
