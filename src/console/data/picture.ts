import { settings } from "../page-settings.js";

/** The path of a link to the gateway: pictures from elsewhere would reveal the viewer to others. */
export function pictureSource(link: string | null | undefined): string | undefined {
  return link?.startsWith(`${settings.publicUrl}/files/`) ? link.slice(settings.publicUrl.length) : undefined;
}
