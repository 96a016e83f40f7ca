import { claimOf } from "../access/authenticate.js";
import { assertCan } from "../access/permissions.js";
import type { RequestContext } from "../access/request-context.js";
import { openTicket, type Ticket } from "../access/ticket.js";
import type { WriteAccess } from "../access/write.js";
import { type AlertUpload, type Camera, Prisma } from "../generated/prisma/client.js";
import { badLink, found } from "../platform/errors.js";
import type { Upload } from "../platform/incoming-file.js";
import { scheduleRemoval } from "../storage/object-removal.js";
import type { CreateAlertUploadPayload } from "./alert-upload.type.js";
import type { RecordAlertInput } from "./record-alerts.input.js";

/** The path that pictures of alerts are put to. */
export const alertUploadPath = "files/uploads";

/** Milliseconds for which a link to send a picture is good. */
const lifetime = 15 * 60_000;
/** Milliseconds within which what was begun in time has arrived. */
const arrivalTime = 5 * 60_000;
/** Milliseconds for which a picture waits for its alert. */
const patience = 24 * 3_600_000;
/** The longer side of a small picture in lists, in pixels. */
const thumbnailSide = 480;

const folder = "uploads";

/** Whether a stored value is the key of an upload's picture. */
export const isPictureOf = (stored: Prisma.Sql, uploadId: Prisma.Sql) =>
  Prisma.sql`coalesce(starts_with(${stored}, ${`${folder}/`} || ${uploadId}::text || '-'), false)`;

/** What a link to send a picture stands for. */
interface UploadTicket extends Ticket {
  uploadId: string;
}

/** Gives leave to send the picture of an alert that is recorded afterwards. Needs alerts:write at the camera's facility. */
export async function createAlertUpload(context: RequestContext, cameraId: string): Promise<CreateAlertUploadPayload> {
  const { links, wakeWorkers } = context.services;
  const { id, expiresAt } = await context.write(async (write) => {
    const { facilityId } = await lockPlace(write, cameraId);
    const expiresAt = new Date(write.now.getTime() + lifetime);
    const { workspaceId } = write.caller;
    const dueAt = new Date(expiresAt.getTime() + arrivalTime);
    const { id } = await write.transaction.alertUpload.create({ data: { workspaceId, facilityId, createdAt: write.now, dueAt } });
    await write.audit({ action: "createAlertUpload", targetType: "AlertUpload", targetId: id, facilityId });
    return { id, expiresAt };
  });
  wakeWorkers();
  const ticket: UploadTicket = { claim: claimOf(context.caller), uploadId: id };
  return { uploadId: id, url: found(await links.seal(alertUploadPath, ticket, expiresAt)), expiresAt };
}

async function lockPlace(write: WriteAccess, cameraId: string): Promise<Pick<Camera, "facilityId">> {
  const [camera] = await write.visible.query<Pick<Camera, "facilityId">>(
    (visible) => Prisma.sql`SELECT item."facilityId" FROM ${visible.cameras} AS item WHERE item."id" = ${cameraId}::uuid FOR KEY SHARE`,
  );
  const place = found(camera);
  assertCan(write.caller, "alerts:write", place.facilityId);
  return place;
}

/** Lets in who sends a picture by its ticket, and answers the upload's id. NOT_FOUND when the ticket is not good, or no longer. */
export async function openAlertUpload(context: RequestContext, sealed: string): Promise<string> {
  const { uploadId } = await openTicket<UploadTicket>(context, alertUploadPath, sealed);
  const [upload] = await context.visible.query<AlertUpload>(
    (visible) => Prisma.sql`SELECT item.* FROM ${visible.alertUploads} AS item WHERE item."id" = ${uploadId}::uuid`,
  );
  if (!upload) throw badLink();
  assertCan(context.caller, "alerts:write", upload.facilityId);
  return uploadId;
}

/** Keeps a picture that was sent until an alert shows it, instead of one that was sent before. */
export async function receiveAlertPicture(context: RequestContext, uploadId: string, sent: Upload): Promise<void> {
  const { pictures, wakeWorkers } = context.services;
  await pictures.store(sent, [folder, { picture: "as it is", small: { within: thumbnailSide } }, `${uploadId}-`], (stored) =>
    context.write(async (write) => {
      const before = await write.lock<AlertUpload>("alertUploads", uploadId);
      assertCan(write.caller, "alerts:write", before.facilityId);
      await stored.keep(write.transaction);
      await scheduleRemoval(write.transaction, [before.url, before.thumbnailUrl], write.now);
      const { picture, small } = stored.pictures;
      await write.transaction.alertUpload.update({
        where: { id: uploadId },
        data: {
          url: picture.key,
          thumbnailUrl: small.key,
          imageDimensions: { width: picture.width, height: picture.height },
          dueAt: new Date(write.now.getTime() + patience),
        },
      });
    }),
  );
  wakeWorkers();
}

const uploadIdsOf = (alerts: readonly RecordAlertInput[]) => alerts.flatMap(({ uploadId }) => uploadId ?? []);

/** Keeps the uploads that alerts name from being used or removed by others, in the order in which everybody locks them. */
export async function lockUploads(write: WriteAccess, alerts: readonly RecordAlertInput[]): Promise<void> {
  const ids = uploadIdsOf(alerts);
  if (ids.length === 0) return;
  await write.visible.query(
    (visible) =>
      Prisma.sql`SELECT item."id" FROM ${visible.alertUploads} AS item WHERE item."id" = ANY(${ids}::uuid[]) ORDER BY item."id" FOR UPDATE`,
  );
}

/** Forgets uploads whose pictures alerts show from now on: those go with their alerts. */
export async function forgetUploads(write: WriteAccess, alerts: readonly RecordAlertInput[]): Promise<void> {
  const ids = uploadIdsOf(alerts);
  const { workspaceId } = write.caller;
  if (ids.length > 0) await write.transaction.alertUpload.deleteMany({ where: { workspaceId, id: { in: ids } } });
}
