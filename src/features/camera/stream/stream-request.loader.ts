import { defineEntityType, type Selected } from "../../../engine/reading/entity-type.js";
import { newestFirst } from "../../../engine/reading/list-order.js";
import { definePaginatedRelation } from "../../../engine/reading/paginated-relation.js";
import { defineToOne } from "../../../engine/reading/relation.js";
import { Prisma, type StreamRequest } from "../../../generated/prisma/client.js";

export type StreamRequestRow = Selected<StreamRequest, "id" | "createdAt">;

export const streamRequests = defineEntityType<StreamRequest>({
  source: "streamRequests",
  keys: ["id", "createdAt"],
  columns: Prisma.StreamRequestScalarFieldEnum,
  dateColumns: {
    createdAt: true,
    expiresAt: true,
    supersededAt: true,
    lastCallbackAt: true,
    nextDeliveryAt: true,
    deliveredAt: true,
  },
});

export const streamRequestById = defineToOne<StreamRequestRow>(streamRequests, "id");

export const streamRequestsByCamera = definePaginatedRelation<StreamRequestRow>(streamRequests, "cameraId", {
  order: newestFirst,
});
