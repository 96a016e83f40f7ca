import { settings } from "../page-settings.js";

/**
 * From where a picture may be shown: links of the gateway, by their path. Pictures
 * elsewhere are never loaded, as that would tell others who is looking: they are links to
 * follow.
 */
export function pictureSource(link: string | null | undefined): string | undefined {
  return link?.startsWith(`${settings.publicUrl}/files/`) ? link.slice(settings.publicUrl.length) : undefined;
}
