import type { Transaction } from "../../engine/database/transaction.js";
import type { Camera, StreamRequest } from "../../generated/prisma/client.js";

/** The types of streams that the gateway opens itself, besides those of unknown type. Others wait for a feed server. */
const openedTypes: readonly (string | null)[] = ["DIRECT", "VPN", null];

export const isOpenedByGateway = ({ url, streamType }: Pick<Camera, "url" | "streamType">): boolean =>
  url !== null && openedTypes.includes(streamType);

export const newFeed = {
  probedAt: null,
  firstPictureAt: null,
  failures: 0,
  failingSince: null,
  errorCode: null,
  lostAt: null,
  refusals: 0,
  quietUntil: null,
  openedAt: null,
} as const;

/** Makes the stream of a locked camera due to be opened at once for a new request, if the gateway opens it. */
export async function makeFeedDue(
  transaction: Transaction,
  camera: Camera,
  { id: streamRequestId, createdAt: dueAt }: StreamRequest,
): Promise<void> {
  const { workspaceId, id: cameraId } = camera;
  if (!isOpenedByGateway(camera)) {
    await transaction.cameraFeed.deleteMany({ where: { workspaceId, cameraId } });
    return;
  }
  const feed = { ...newFeed, streamRequestId, dueAt };
  await transaction.cameraFeed.upsert({
    where: { workspaceId_cameraId: { workspaceId, cameraId } },
    create: { workspaceId, cameraId, ...feed },
    update: feed,
  });
}
