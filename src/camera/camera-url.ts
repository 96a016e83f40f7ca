import { z } from "zod";

const shape = /^(?:rtsp|rtmp|rtmps|http|https):\/\/[^/\\\s]/i;
/** What stands before the host, greedy to the last @: user names may be e-mail addresses. */
const userinfo = /^([a-z]+:\/\/)([^/?#]*)@/i;

/** The address of a camera or its stream, in the one spelling that everybody reads alike. */
export const cameraUrl = z
  .string("must be a URL")
  .max(2048, { error: "must have at most 2048 characters", abort: true })
  .refine((value) => shape.test(value) && URL.canParse(value), { error: "must be an rtsp, rtmp, rtmps, http or https URL", abort: true })
  .refine((value) => !/[\s\p{Cc}]/u.test(value), "must hold no white space")
  // Some would read the rest of a password as a fragment, and show it.
  .refine((value) => !isAtBehindHost(value), "must have / ? # and @ in a password percent-encoded");

function isAtBehindHost(url: string): boolean {
  const cut = url.search(/[?#]/);
  return cut >= 0 && url.lastIndexOf("@") > cut && !userinfo.test(url);
}

/** The address with a password in it shown as ***. */
export function withoutPassword(url: string): string {
  const masked = url.replace(userinfo, (whole, scheme: string, names: string) => (names.includes(":") ? `${scheme}${userOf(names)}:***@` : whole));
  if (masked !== url || !URL.canParse(url)) return masked;
  // Addresses that were written by other means than ours may be spelt in ways that parsers take all the same.
  const parsed = new URL(url);
  if (parsed.password) parsed.password = "***";
  return parsed.password ? parsed.href : url;
}

/** A new address whose password is written *** keeps the password of the old one. */
export function keepPassword(url: string, old: string | null): string {
  const kept = old && userinfo.exec(old)?.[2];
  if (!kept?.includes(":")) return url;
  return url.replace(userinfo, (whole, scheme: string, names: string) =>
    names.endsWith(":***") ? `${scheme}${userOf(names)}:${kept.slice(userOf(kept).length + 1)}@` : whole,
  );
}

/** Whether the password of an address is still the *** that stands for one. */
export function isPasswordHidden(url: string): boolean {
  return userinfo.exec(url)?.[2]?.endsWith(":***") ?? false;
}

const userOf = (names: string) => names.slice(0, names.indexOf(":"));
