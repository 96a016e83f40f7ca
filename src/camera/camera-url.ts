import { z } from "zod";

const shape = /^(?:rtsp|rtmp|rtmps|http|https):\/\/[^/\\\s]/i;
/** The user information before the host, up to the last @: user names may be email addresses. */
const userinfo = /^([a-z]+:\/\/)([^/?#]*)@/i;

/** The URL of a camera or its stream, in a form that all parsers interpret alike. */
export const cameraUrl = z
  .string("must be a URL")
  .max(2048, { error: "must have at most 2048 characters", abort: true })
  .refine((value) => shape.test(value) && URL.canParse(value), { error: "must be an rtsp, rtmp, rtmps, http or https URL", abort: true })
  .refine((value) => !/[\s\p{Cc}]/u.test(value), "must not contain white space")
  // Some parsers would read the rest of a password as a fragment, and expose it.
  .refine((value) => !hasAtSignAfterHost(value), "must have / ? # and @ in a password percent-encoded")
  .meta({ format: "uri" });

function hasAtSignAfterHost(url: string): boolean {
  const cut = url.search(/[?#]/);
  return cut >= 0 && url.lastIndexOf("@") > cut && !userinfo.test(url);
}

/** The URL with its password, if any, replaced by ***. */
export function withoutPassword(url: string): string {
  const masked = url.replace(userinfo, (whole, scheme: string, names: string) => (names.includes(":") ? `${scheme}${userOf(names)}:***@` : whole));
  if (masked !== url || !URL.canParse(url)) return masked;
  // URLs that were not written through the API may be malformed in ways that parsers tolerate.
  const parsed = new URL(url);
  if (parsed.password) parsed.password = "***";
  return parsed.password ? parsed.href : url;
}

/** Replaces *** as the password of a new URL by the password of the old one. */
export function keepPassword(url: string, old: string | null): string {
  const kept = old && userinfo.exec(old)?.[2];
  if (!kept?.includes(":")) return url;
  return url.replace(userinfo, (whole, scheme: string, names: string) =>
    names.endsWith(":***") ? `${scheme}${userOf(names)}:${kept.slice(userOf(kept).length + 1)}@` : whole,
  );
}

/** Whether the password of a URL is still the placeholder ***. */
export function isPasswordHidden(url: string): boolean {
  return userinfo.exec(url)?.[2]?.endsWith(":***") ?? false;
}

const userOf = (names: string) => names.slice(0, names.indexOf(":"));
