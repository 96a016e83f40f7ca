import { settings } from "../page-settings.js";

/**
 * The source for showing a picture: the path of a link to the gateway. The console never loads pictures from elsewhere,
 * because that would reveal the viewer to others; it shows links to them instead.
 */
export function pictureSource(link: string | null | undefined): string | undefined {
  return link?.startsWith(`${settings.publicUrl}/files/`) ? link.slice(settings.publicUrl.length) : undefined;
}
