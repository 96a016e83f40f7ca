import type { Transaction } from "../../../engine/database/transaction.js";
import { dropCachedObjects } from "../../../engine/storage/cached-objects.js";
import type { DerivedPicture } from "../../../engine/storage/derived-pictures.js";
import { scheduleRemoval } from "../../../engine/storage/object-removal.js";
import { isStoredKey } from "../../../engine/storage/object-store.js";
import type { SignedLinks } from "../../../engine/storage/signed-link.js";
import { type Alert, type Camera, Prisma } from "../../../generated/prisma/client.js";
import { defined } from "../../../platform/defined.js";
import { pointsIn, sizeIn } from "../stored-geometry.js";
import {
  AlertPictureKeys,
  type DrawingOrigin,
  type DrawingServices,
  openAlertPicture,
  type PicturedAlert,
} from "./alert-picture.js";
import { type Annotation, annotationSvg } from "./annotation.js";
import { proxiedPictures } from "./proxied-picture.service.js";
import { releasePictures } from "./shared-pictures.js";

export const annotatedPictures = new AlertPictureKeys("annotated");

const maxSide = 1920;

export const annotatedPictureText = `The gateway draws the picture, a JPEG of at most ${maxSide} pixels on the longer side, when the link is first opened.`;

const hasPoints = (column: Prisma.Sql) =>
  Prisma.sql`coalesce(jsonb_typeof(${column}) = 'array' AND ${column} <> '[]', false)`;

/** An SQL condition on an alert, `item`: the store has its picture, and there is something to draw on it. */
export const isAnnotatable = Prisma.sql`
  coalesce(item."url" !~* '^https?://', false) AND (${hasPoints(Prisma.sql`item."area"`)} OR ${hasPoints(Prisma.sql`item."violatingCoordinates"`)})`;

/** A link to the annotated picture of an alert that is {@link isAnnotatable}; see {@link SignedLinks.urlFor}. */
export function annotatedUrl(links: SignedLinks, alert: PicturedAlert, lifetime?: "hour" | "week"): string {
  return links.urlFor(annotatedPictures.keyOf(alert), lifetime);
}

/** Opens the annotated picture of an alert. UNAVAILABLE if too many are being drawn. */
export const openAnnotatedPicture = (
  services: DrawingServices,
  alert: PicturedAlert,
  origin: DrawingOrigin,
): Promise<DerivedPicture | undefined> =>
  openAlertPicture<AnnotationRow>(
    services,
    {
      keys: annotatedPictures,
      pictures: services.derivedPictures,
      columns: Prisma.sql`item."url", item."imageDimensions", item."canvasDimensions", item."area", item."violatingCoordinates"`,
      condition: isAnnotatable,
      derive: (row) => ({
        source: defined(row.url),
        drawing: { maxSide, overlay: (size, original) => annotationSvg(annotationOf(row), size, original) },
      }),
    },
    alert,
    origin,
  );

/** The content of the annotated picture of an alert, at most some megabytes; see {@link openAnnotatedPicture}. */
export async function annotatedPicture(
  services: DrawingServices,
  alert: PicturedAlert,
  origin: DrawingOrigin,
): Promise<Buffer | undefined> {
  const picture = await openAnnotatedPicture(services, alert, origin);
  return picture === "in the store" ? services.derivedPictures.read(annotatedPictures.keyOf(alert)) : picture;
}

/**
 * The newest picture of a camera with an annotation, greyed: it shows the place, not the event. Undefined if the store
 * has none.
 */
export async function annotatedCameraPicture(
  { derivedPictures }: Pick<DrawingServices, "derivedPictures">,
  { workspaceId, imageLink }: Pick<Camera, "workspaceId" | "imageLink">,
  annotation: Annotation,
  origin: DrawingOrigin,
): Promise<Buffer | undefined> {
  if (imageLink === null || !isStoredKey(imageLink)) return undefined;
  return derivedPictures.drawn({ caller: { id: annotatedPictures.folder, workspaceId }, origin }, imageLink, {
    maxSide,
    isGreyed: true,
    overlay: (size, original) => annotationSvg(annotation, size, original),
  });
}

type AnnotationRow = Pick<
  Alert,
  "url" | "imageDimensions" | "canvasDimensions" | "area" | "violatingCoordinates"
>;

/** What is drawn on the picture of an alert. */
export function annotationOf({
  imageDimensions,
  canvasDimensions,
  area,
  violatingCoordinates,
}: Omit<AnnotationRow, "url">): Annotation {
  return {
    canvas: sizeIn(canvasDimensions ?? imageDimensions),
    areas: [pointsIn(area) ?? []],
    points: pointsIn(violatingCoordinates) ?? [],
  };
}

/** Schedules the deletion of all pictures of alerts that no others show, in the transaction that deletes the alerts. */
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
