import type { GatewayServices } from "../../../engine/operation/gateway-services.js";
import type { DerivedPicture } from "../../../engine/storage/derived-pictures.js";
import { Prisma } from "../../../generated/prisma/client.js";
import {
  AlertPictureKeys,
  type DrawingOrigin,
  openAlertPicture,
  type PicturedAlert,
} from "./alert-picture.js";

export const proxiedPictures = new AlertPictureKeys("proxied");

const maxSide = 1600;

export const proxiedPictureText = `The gateway fetches the picture when the link is first opened, and shows it as a JPEG of at most ${maxSide} pixels on the longer side.`;

type ProxyServices = Pick<
  GatewayServices,
  "database" | "statements" | "links" | "now" | "remotePictures" | "proxiedPictures"
>;

/** A link to the picture of an alert that is elsewhere; null if the gateway has it, or does not fetch it. */
export function proxiedUrl(
  { links, remotePictures }: Pick<ProxyServices, "links" | "remotePictures">,
  alert: PicturedAlert,
  url: string | null | undefined,
): string | null {
  if (url == null || !remotePictures?.mayFetch(url)) return null;
  return links.urlFor(proxiedPictures.keyOf(alert));
}

/** Opens the picture of an alert that is elsewhere. Fails as {@link RemotePictures.fetch} and uploads do. */
export const openProxiedPicture = (
  services: ProxyServices,
  alert: PicturedAlert,
  origin: DrawingOrigin,
): Promise<DerivedPicture | undefined> =>
  openAlertPicture(
    services,
    {
      keys: proxiedPictures,
      pictures: services.proxiedPictures,
      columns: Prisma.sql`item."url"`,
      condition: Prisma.sql`true`,
      derive: ({ url }) => {
        const { remotePictures } = services;
        if (url == null || !remotePictures?.mayFetch(url)) return undefined;
        return {
          source: { fetch: (file, signal) => remotePictures.fetch(url, file, signal) },
          drawing: { maxSide, overlay: null },
        };
      },
    },
    alert,
    origin,
  );
