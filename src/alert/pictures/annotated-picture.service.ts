import type { Transaction } from "../../database/transaction.js";
import { type Alert, Prisma } from "../../generated/prisma/client.js";
import type { GatewayServices } from "../../operation/gateway-services.js";
import type { Size } from "../../platform/geometry.js";
import { countedRead, type StatementCount } from "../../platform/telemetry/counted-client.js";
import { type CachedObject, dropCachedObjects, isCached } from "../../storage/cached-objects.js";
import type { Derivation, DerivationClient, DerivedPicture } from "../../storage/derived-pictures.js";
import { scheduleRemoval } from "../../storage/object-removal.js";
import type { SignedLinks } from "../../storage/signed-link.js";
import { AlertPictureKeys, type PicturedAlert } from "./alert-picture-key.js";
import { type Annotation, annotationSvg } from "./annotation.js";
import { proxiedPictures } from "./proxied-picture.service.js";
import { releasePictures } from "./shared-pictures.js";

/** The keys of annotated pictures, in the store and in their links. */
export const annotatedPictures = new AlertPictureKeys("annotated");

const maxSide = 1920;

/** The description of an annotated picture, for the schema. */
export const annotatedPictureText = `The gateway draws the picture, a JPEG of at most ${maxSide} pixels on the longer side, when the link is first opened.`;

const hasPoints = (column: Prisma.Sql) =>
  Prisma.sql`coalesce(jsonb_typeof(${column}) = 'array' AND ${column} <> '[]', false)`;

/**
 * An SQL condition on an alert, `item`: the store has its picture, and there is something
 * to draw on it.
 */
export const isAnnotatable = Prisma.sql`
  coalesce(item."url" !~* '^https?://', false) AND (${hasPoints(Prisma.sql`item."area"`)} OR ${hasPoints(Prisma.sql`item."violatingCoordinates"`)})`;

/**
 * A link to the annotated picture of an alert that is {@link isAnnotatable}; see
 * {@link SignedLinks.urlFor}.
 */
export function annotatedUrl(links: SignedLinks, alert: PicturedAlert, lifetime?: "hour" | "week"): string {
  return links.urlFor(annotatedPictures.keyOf(alert), lifetime) as string;
}

/** The parts of the gateway that drawing needs. */
type DrawingServices = Pick<GatewayServices, "database" | "statements" | "derivedPictures" | "now">;

/** The cancellation of the wait for a picture, and the counter of its statements. */
interface DrawingOrigin {
  readonly signal?: AbortSignal | undefined;
  readonly logEntry: StatementCount;
}

/**
 * Opens the annotated picture of an alert. The gateway draws the picture on first use,
 * and keeps it in the store for a while. Returns undefined if the alert has no such
 * picture, or no longer exists. Fails with UNAVAILABLE if too many are being drawn.
 */
export function openAnnotatedPicture(
  services: DrawingServices,
  alert: PicturedAlert,
  origin: DrawingOrigin,
): Promise<DerivedPicture | undefined> {
  const object = { workspaceId: alert.workspaceId, key: annotatedPictures.keyOf(alert) };
  // Anyone with a link may open the picture. All users of a workspace's links count as
  // one caller.
  const client = { caller: { id: annotatedPictures.folder, workspaceId: alert.workspaceId }, origin };
  return services.derivedPictures.get(client, object, (ofAll) =>
    findAnnotation(services, alert, object, ofAll),
  );
}

/**
 * The content of the annotated picture of an alert, at most some megabytes; see
 * {@link openAnnotatedPicture}.
 */
export async function annotatedPicture(
  services: DrawingServices,
  alert: PicturedAlert,
  origin: DrawingOrigin,
): Promise<Buffer | undefined> {
  const picture = await openAnnotatedPicture(services, alert, origin);
  return picture === "in the store" ? services.derivedPictures.read(annotatedPictures.keyOf(alert)) : picture;
}

type AnnotationRow = Pick<
  Alert,
  "url" | "imageDimensions" | "canvasDimensions" | "area" | "violatingCoordinates"
> & { isCached: boolean };

async function findAnnotation(
  { database, statements, now }: DrawingServices,
  { workspaceId, alertId }: PicturedAlert,
  object: CachedObject,
  { caller, origin }: DerivationClient,
): Promise<Derivation | "in the store" | undefined> {
  const read = countedRead(
    (statement: Prisma.Sql) => statements.run(caller, () => database.read<AnnotationRow>(statement), origin),
    origin.logEntry,
  );
  const [alert] = await read(Prisma.sql`
    SELECT item."url", item."imageDimensions", item."canvasDimensions", item."area", item."violatingCoordinates", ${isCached(object, now())} AS "isCached"
    FROM "Alert" AS item
    LEFT JOIN "Camera" AS camera ON camera."workspaceId" = item."workspaceId" AND camera."id" = item."cameraId"
    WHERE item."workspaceId" = ${workspaceId}::uuid AND item."id" = ${alertId}::uuid AND camera."removedAt" IS NULL AND ${isAnnotatable}`);
  if (!alert) return undefined;
  if (alert.isCached) return "in the store";
  const source = alert.url as string;
  return {
    source,
    drawing: { maxSide, overlay: (size, original) => annotationSvg(annotationOf(alert), size, original) },
    isWanted: async (transaction) => {
      const locked = await transaction.$queryRaw<object[]>(Prisma.sql`
        SELECT "id" FROM "Alert" WHERE "workspaceId" = ${workspaceId}::uuid AND "id" = ${alertId}::uuid AND "url" = ${source} FOR KEY SHARE`);
      return locked.length > 0;
    },
  };
}

/** The stored JSON has the form that the rules for the input allow. */
function annotationOf({
  imageDimensions,
  canvasDimensions,
  area,
  violatingCoordinates,
}: AnnotationRow): Annotation {
  return {
    canvas: (canvasDimensions ?? imageDimensions) as Size | null,
    area: (area ?? []) as unknown as Annotation["area"],
    points: (violatingCoordinates ?? []) as unknown as Annotation["points"],
  };
}

/**
 * Schedules the deletion of all pictures of alerts, except those that other alerts show,
 * in the transaction that deletes the alerts.
 */
export async function scheduleAlertPictureRemoval(
  transaction: Transaction,
  workspaceId: string,
  alerts: readonly Pick<Alert, "id" | "url" | "thumbnailUrl">[],
  now: Date,
): Promise<void> {
  const pictures = alerts.flatMap(({ url, thumbnailUrl }) => [url, thumbnailUrl]);
  await scheduleRemoval(
    transaction,
    workspaceId,
    await releasePictures(transaction, workspaceId, pictures),
    now,
  );
  const derived = alerts.flatMap(({ id }) =>
    [annotatedPictures, proxiedPictures].map((keys) => keys.keyOf({ workspaceId, alertId: id })),
  );
  await dropCachedObjects(transaction, workspaceId, derived, now);
}
