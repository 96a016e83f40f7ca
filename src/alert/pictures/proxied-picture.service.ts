import { type Alert, Prisma } from "../../generated/prisma/client.js";
import type { GatewayServices } from "../../operation/gateway-services.js";
import { countedRead } from "../../platform/telemetry/counted-client.js";
import { isCached } from "../../storage/cached-objects.js";
import type { Derivation, DerivationClient, DerivedPicture } from "../../storage/derived-pictures.js";
import { AlertPictureKeys, type PicturedAlert } from "./alert-picture-key.js";

/** The keys of pictures from elsewhere, in the store and in their links. */
export const proxiedPictures = new AlertPictureKeys("proxied");

const maxSide = 1600;

/** The description of a picture from elsewhere, for the schema. */
export const proxiedPictureText = `The gateway fetches the picture when the link is first opened, and shows it as a JPEG of at most ${maxSide} pixels on the longer side.`;

type ProxyServices = Pick<
  GatewayServices,
  "database" | "statements" | "links" | "now" | "remotePictures" | "proxiedPictures"
>;

/**
 * A link to the picture of an alert that is elsewhere, through the gateway. Null if the
 * gateway has it, or does not fetch it.
 */
export function proxiedUrl(
  { links, remotePictures }: Pick<ProxyServices, "links" | "remotePictures">,
  alert: PicturedAlert,
  url: string | null | undefined,
): string | null {
  if (url == null || !remotePictures?.mayFetch(url)) return null;
  return links.urlFor(proxiedPictures.keyOf(alert));
}

/**
 * Opens the picture of an alert that is elsewhere. The gateway fetches it on first use,
 * and keeps it in the store for a while. Returns undefined if the alert has no such
 * picture, or no longer exists. Fails as {@link RemotePictures.fetch} does, and for what
 * is no picture as uploads do.
 */
export function openProxiedPicture(
  services: ProxyServices,
  alert: PicturedAlert,
  origin: DerivationClient["origin"],
): Promise<DerivedPicture | undefined> {
  const { workspaceId } = alert;
  const object = { workspaceId, key: proxiedPictures.keyOf(alert) };
  // Anyone with a link may open the picture. All users of a workspace's links count as
  // one caller.
  const client = { caller: { id: proxiedPictures.folder, workspaceId }, origin };
  return services.proxiedPictures.get(client, object, (ofAll) =>
    findPicture(services, alert, object.key, ofAll),
  );
}

async function findPicture(
  { database, statements, now, remotePictures }: ProxyServices,
  { workspaceId, alertId }: PicturedAlert,
  key: string,
  { caller, origin }: DerivationClient,
): Promise<Derivation | "in the store" | undefined> {
  const read = countedRead(
    (statement: Prisma.Sql) =>
      statements.run(
        caller,
        () => database.read<Pick<Alert, "url"> & { isCached: boolean }>(statement),
        origin,
      ),
    origin.logEntry,
  );
  const [alert] = await read(Prisma.sql`
    SELECT item."url", ${isCached({ workspaceId, key }, now())} AS "isCached"
    FROM "Alert" AS item
    LEFT JOIN "Camera" AS camera ON camera."workspaceId" = item."workspaceId" AND camera."id" = item."cameraId"
    WHERE item."workspaceId" = ${workspaceId}::uuid AND item."id" = ${alertId}::uuid AND camera."removedAt" IS NULL`);
  const url = alert?.url;
  if (url == null || !remotePictures?.mayFetch(url)) return undefined;
  if (alert?.isCached) return "in the store";
  return {
    source: { fetch: (file, signal) => remotePictures.fetch(url, file, signal) },
    drawing: { maxSide, overlay: null },
    isWanted: async (transaction) => {
      const locked = await transaction.$queryRaw<object[]>(Prisma.sql`
        SELECT "id" FROM "Alert" WHERE "workspaceId" = ${workspaceId}::uuid AND "id" = ${alertId}::uuid AND "url" = ${url} FOR KEY SHARE`);
      return locked.length > 0;
    },
  };
}
