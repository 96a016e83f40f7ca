import { z } from "zod";

const shape = /^(?:rtsp|rtmp|rtmps|http|https):\/\/[^/\\\s]/i;
/**
 * The user information before the host, up to the last @, because user names may be email
 * addresses.
 */
const userinfo = /^[a-z]+:\/\/[^/?#]*@/i;

/** The URL of a camera or its stream, in a form that all parsers read alike. */
export const cameraUrl = z
  .string("must be a URL")
  .max(2048, { error: "must have at most 2048 characters", abort: true })
  .refine((value) => shape.test(value) && URL.canParse(value), {
    error: "must be an rtsp, rtmp, rtmps, http or https URL",
    abort: true,
  })
  .refine((value) => !/[\s\p{Cc}]/u.test(value), "must not contain white space")
  // Some parsers would read the rest of a password as a fragment, and expose it.
  .refine((value) => !hasAtSignAfterHost(value), "must have / ? # and @ in a password percent-encoded")
  .meta({ format: "uri" });

function hasAtSignAfterHost(url: string): boolean {
  const cut = url.search(/[?#]/);
  return cut >= 0 && url.lastIndexOf("@") > cut && !userinfo.test(url);
}
