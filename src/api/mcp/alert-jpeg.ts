import type { RequestOrigin } from "../../engine/access/authenticator.js";
import type { Caller } from "../../engine/access/permissions.js";
import type { GatewayServices } from "../../engine/operation/gateway-services.js";
import { annotatedPicture } from "../../features/alert/pictures/annotated-picture.service.js";
import {
  openProxiedPicture,
  proxiedPictures,
} from "../../features/alert/pictures/proxied-picture.service.js";
import { parsedUrl } from "../../platform/network/parsed-url.js";

/** An alert that the caller may see, with the links to its pictures. */
export interface AlertWithPicture {
  workspaceId: string;
  alertId: string;
  url: string | null;
  proxiedUrl: string | null;
  annotatedUrl: string | null;
}

const maxBytes = 256 * 1024;
/** In pixels. Pictures with much detail are sent smaller, so that they have few bytes. */
const maxSides = [1024, 768, 512, 256];

/**
 * The picture of an alert as a JPEG, for models: with what was seen drawn on it, if there is something to
 * draw. Undefined if there is none, or none that the gateway may read.
 */
export async function alertJpeg(
  services: GatewayServices,
  alert: AlertWithPicture,
  { caller, origin }: { caller: Caller; origin: RequestOrigin },
): Promise<Buffer | undefined> {
  const source = await sourceOf(services, alert, origin);
  if (source === undefined) return undefined;
  for (const maxSide of maxSides) {
    const jpeg = await services.derivedPictures.drawn({ caller, origin }, source, { maxSide, overlay: null });
    if (!jpeg || jpeg.length <= maxBytes) return jpeg;
  }
  return undefined;
}

async function sourceOf(
  services: GatewayServices,
  alert: AlertWithPicture,
  origin: RequestOrigin,
): Promise<string | Buffer | undefined> {
  if (alert.annotatedUrl !== null) return annotatedPicture(services, alert, origin);
  if (alert.proxiedUrl !== null) {
    const picture = await openProxiedPicture(services, alert, origin);
    return picture === "in the store" ? proxiedPictures.keyOf(alert) : picture;
  }
  return alert.url === null ? undefined : keyIn(services, alert.url);
}

/** The key in a link of the gateway; undefined for a URL from a detector. */
function keyIn({ links }: GatewayServices, url: string): string | undefined {
  const parsed = parsedUrl(url);
  if (!parsed) return undefined;
  const { pathname, searchParams } = parsed;
  const [, key = ""] = /^\/files\/(.+)$/.exec(pathname) ?? [];
  const { expires = "", signature = "" } = Object.fromEntries(searchParams);
  return links.isValid(key, expires, signature) ? key : undefined;
}
