import { randomUUID } from "node:crypto";
import { identityOf } from "../../../engine/access/credentials.js";
import { assertCan } from "../../../engine/access/permissions.js";
import type { Transaction } from "../../../engine/database/transaction.js";
import type { FileKind } from "../../../engine/http/uploads.js";
import type { GatewayRequest, RequestContext } from "../../../engine/operation/request-context.js";
import { authenticateByPayload, type SignedPayload } from "../../../engine/operation/signed-payload.js";
import { changedFields, type WriteAccess } from "../../../engine/operation/write.js";
import { scheduleRemoval } from "../../../engine/storage/object-removal.js";
import type { PictureTarget, StoredPicture } from "../../../engine/storage/picture-uploads.js";
import { type AlertUpload, Prisma } from "../../../generated/prisma/client.js";
import { invalidLink, orNotFound } from "../../../platform/errors/errors.js";
import type { Upload } from "../../../platform/files/incoming-file.js";
import { later } from "../../../platform/time.js";
import {
  AlertUploadKind,
  type CreateAlertUploadArguments,
  type CreateAlertUploadPayload,
} from "./alert-upload.type.js";
import type { RecordAlertInput } from "./record-alerts.input.js";

/** The uploads of an alert, if any. */
type UploadUse = Partial<Pick<RecordAlertInput, "uploadId" | "clipUploadId">>;

export const alertUploadPath = "files/uploads";

const linkLifetimeMs = 15 * 60_000;
/** The maximum duration of an upload that started before its link expired. */
const maxUploadMs = 5 * 60_000;
/** The lifetime of an uploaded picture that no alert uses. */
const uploadLifetimeMs = 24 * 3_600_000;
/** The longer side of thumbnails, in pixels. */
const thumbnailSide = 480;

const folder = "uploads";

/** An SQL condition: the stored value is the key of an upload's picture or clip. */
export const isFileOf = (stored: Prisma.Sql, uploadId: Prisma.Sql) =>
  Prisma.sql`coalesce(${stored} ~ ('^(uploads|clips)/' || ${uploadId}::text || '-'), false)`;

interface UploadTicket extends SignedPayload {
  uploadId: string;
}

/** Creates a link to upload the picture or clip of an alert. Requires alerts:write at the facility. */
export async function createAlertUpload(
  context: RequestContext,
  { kind = AlertUploadKind.PICTURE, ...place }: CreateAlertUploadArguments,
): Promise<CreateAlertUploadPayload> {
  const { links } = context.services;
  const { id, expiresAt } = await context.write(
    async (write) => {
      const facilityId = await lockPlace(write, place);
      const expiresAt = later(write.now, linkLifetimeMs);
      const { workspaceId } = write.caller;
      const dueAt = later(expiresAt, maxUploadMs);
      const { id } = await write.transaction.alertUpload.create({
        data: { workspaceId, facilityId, kind, createdAt: write.now, dueAt },
      });
      write.emit({ topic: "workQueued" });
      write.auditChange("AlertUpload", { id, facilityId });
      return { id, expiresAt };
    },
    { action: "createAlertUpload" },
  );
  const ticket: UploadTicket = { identity: identityOf(context.session), uploadId: id };
  return {
    uploadId: id,
    url: orNotFound(await links.signPayload(alertUploadPath, ticket, expiresAt)),
    expiresAt,
  };
}

async function lockPlace(
  write: WriteAccess,
  { cameraId, facilityId }: Omit<CreateAlertUploadArguments, "kind">,
): Promise<string> {
  const [place] = await write.visible.query<{ facilityId: string }>((visible) =>
    cameraId == null
      ? Prisma.sql`SELECT item."id" AS "facilityId" FROM ${visible.facilities} AS item WHERE item."id" = ${facilityId}::uuid FOR KEY SHARE`
      : Prisma.sql`SELECT item."facilityId" FROM ${visible.cameras} AS item WHERE item."id" = ${cameraId}::uuid FOR KEY SHARE`,
  );
  const found = orNotFound(place);
  assertCan(write.caller, "alerts:write", found.facilityId);
  return found.facilityId;
}

/** Authenticates an upload by its signed link. NOT_FOUND if the link is invalid or has expired. */
export async function openAlertUpload(
  request: GatewayRequest,
  signed: string,
): Promise<{ context: RequestContext; uploadId: string; kind: FileKind }> {
  const { context, payload } = await authenticateByPayload<UploadTicket>(request, alertUploadPath, signed);
  const { uploadId } = payload;
  const [upload] = await context.visible.query<AlertUpload>(
    (visible) =>
      Prisma.sql`SELECT item.* FROM ${visible.alertUploads} AS item WHERE item."id" = ${uploadId}::uuid`,
  );
  if (!upload) throw invalidLink();
  assertCan(context.caller, "alerts:write", upload.facilityId);
  return { context, uploadId, kind: upload.kind as FileKind };
}

/**
 * Stores an uploaded picture, or the video of an uploaded MP4, until an alert uses it. Replaces any previous file of the
 * upload.
 */
export async function receiveAlertFile(
  context: RequestContext,
  { uploadId, kind }: { uploadId: string; kind: FileKind },
  sent: Upload,
): Promise<void> {
  const { pictures } = context.services;
  if (kind === "PICTURE")
    await pictures.store(context, sent, targetOf(uploadId), (stored) =>
      keepUpload(context, uploadId, stored.keep, shownColumns(stored.pictures)),
    );
  else
    await pictures.storeSentClip(
      context,
      sent,
      `${uploadId}-`,
      ({ key: url, keep }, { duration, width, height, size }) =>
        keepUpload(context, uploadId, keep, {
          ...{ url, contentType: "video/mp4" },
          ...{ duration, width, height, size },
        }),
    );
}

const keepUpload = (
  context: RequestContext,
  uploadId: string,
  keep: (transaction: Transaction) => Promise<void>,
  shown: Prisma.AlertUploadUpdateInput,
) =>
  context.write(
    async (write) => {
      const before = await write.lock("AlertUpload", uploadId);
      assertCan(write.caller, "alerts:write", before.facilityId);
      await keep(write.transaction);
      await scheduleRemoval(
        write.transaction,
        before.workspaceId,
        [before.url, before.thumbnailUrl],
        write.now,
      );
      await write.transaction.alertUpload.update({
        where: write.key(uploadId),
        data: { ...shown, dueAt: uploadEnd(write.now) },
      });
      write.emit({ topic: "workQueued" });
      write.auditChange("AlertUpload", before, changedFields<object>(before, shown));
    },
    { action: "createAlertUpload" },
  );

/** Stores a picture that the gateway took at a facility until alerts use it, and returns the ID of its upload. */
export async function storeTakenPicture(
  { caller, origin, services }: RequestContext,
  facilityId: string,
  { jpeg, takenAt }: { jpeg: Buffer; takenAt: Date },
): Promise<string> {
  const { pictures, database, now } = services;
  const { workspaceId } = caller;
  const id = randomUUID();
  await pictures.storeTaken({ caller, origin }, jpeg, takenPicture(id), ({ pictures: stored, keep }) =>
    database.transact(async (transaction) => {
      await keep(transaction);
      const createdAt = now();
      await transaction.alertUpload.create({
        data: {
          ...{ id, workspaceId, facilityId, createdAt, takenAt },
          ...{ ...shownColumns(stored), dueAt: uploadEnd(createdAt) },
        },
      });
    }),
  );
  return id;
}

const targetOf = (
  uploadId: string,
  picture: "original size" | "taken" = "original size",
): PictureTarget<"picture" | "small"> => [
  folder,
  { picture, small: { maxSide: thumbnailSide } },
  `${uploadId}-`,
];

/** Where a picture for alerts is stored that the gateway took. */
export const takenPicture = (id: string) => targetOf(id, "taken");

export const shownColumns = ({ picture, small }: Record<"picture" | "small", StoredPicture>) => ({
  url: picture.key,
  thumbnailUrl: small.key,
  imageDimensions: { width: picture.width, height: picture.height },
});

const uploadEnd = (now: Date) => later(now, uploadLifetimeMs);

/** What an upload must be that an alert uses. */
export const usableUpload = "must be a completed upload of the camera's facility that no alert uses";

const uploadIdsOf = (alerts: readonly UploadUse[]) =>
  alerts.flatMap(({ uploadId, clipUploadId }) => [uploadId ?? [], clipUploadId ?? []].flat());

/**
 * Locks the uploads of alerts against concurrent use and removal. All writers lock uploads in the order of
 * their IDs, which prevents deadlocks.
 */
export async function lockUploads(write: WriteAccess, alerts: readonly UploadUse[]): Promise<void> {
  const ids = uploadIdsOf(alerts);
  if (ids.length === 0) return;
  await write.visible.query(
    (visible) =>
      Prisma.sql`SELECT item."id" FROM ${visible.alertUploads} AS item WHERE item."id" = ANY(${ids}::uuid[]) ORDER BY item."id" FOR UPDATE`,
  );
}

/** Deletes uploads whose pictures and clips alerts now use: those will be removed with their alerts. */
export function forgetUploads(write: WriteAccess, alerts: readonly UploadUse[]): void {
  const ids = uploadIdsOf(alerts);
  const { workspaceId } = write.caller;
  if (ids.length > 0)
    write.send(
      Prisma.sql`DELETE FROM "AlertUpload" WHERE "workspaceId" = ${workspaceId}::uuid AND "id" = ANY(${ids}::uuid[])`,
    );
}
