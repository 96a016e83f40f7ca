import { parsedUrl } from "../../platform/network/parsed-url.js";

/** No URL of a stream is longer. */
export const maxStreamUrlLength = 2048;

const shape = /^(?:rtsp|rtsps|rtmp|rtmps|http|https):\/\/[^/\\\s]/i;
/** The user information before the host, up to the last @, because user names may be email addresses. */
const userinfo = /^[a-z]+:\/\/[^/?#]*@/i;

/** Whether a text is a URL of a scheme by which streams are opened. */
export const hasStreamScheme = (text: string): boolean => shape.test(text) && parsedUrl(text) !== undefined;

export const hasWhiteSpace = (text: string): boolean => /[\s\p{Cc}]/u.test(text);

/** Whether an @ follows the host: it may end an unencoded password, whose rest some parsers expose as a fragment. */
export function hasAtSignAfterHost(url: string): boolean {
  const cut = url.search(/[?#]/);
  return cut >= 0 && url.lastIndexOf("@") > cut && !userinfo.test(url);
}

/** Whether a text is the URL of a stream, in a form that all parsers read alike. */
export const isStreamUrl = (text: string): boolean =>
  text.length <= maxStreamUrlLength &&
  hasStreamScheme(text) &&
  !hasWhiteSpace(text) &&
  !hasAtSignAfterHost(text);
