// Needs no gateway.

import { CameraCookies } from "../../src/features/camera-feed/relays/camera-cookies.js";
import { parseStreamAddress } from "../../src/features/camera-feed/relays/stream-address.js";
import { listOf } from "../support/list-of.js";

const at = (url: string) => ({ target: parseStreamAddress(url), isEncrypted: url.startsWith("https:") });
const from = at("http://camera.example/live/a/list.m3u8?x=/y/");

/** What is sent to a URL of what a camera has set. */
function sent(headers: string[], url: string): string | undefined {
  const cookies = new CameraCookies();
  cookies.keep(headers, from);
  return cookies.headerFor(at(url));
}

it.each([
  ["at any port", "a=b", "http://camera.example:8080/live/a/1.ts"],
  ["in capitals", "a=b; Domain=CAMERA.Example", "HTTP://CAMERA.Example/live/a/1.ts"],
  ["encrypted", "a=b; Secure", "https://camera.example/live/a/1.ts"],
  ["below its path", "a=b; path=/live", "http://camera.example/live/b?c"],
  ["where its path is none", "a=b; path=live", "http://camera.example/live/a/1.ts"],
  ["until it expires", "a=b; Expires=Fri, 31 Dec 9999 23:59:59 GMT", "http://camera.example/live/a/"],
  [
    "as its age says, whatever its date",
    "a=b; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
    "http://camera.example/live/a/",
  ],
  ["with spaces around it", "  a =  b ; HttpOnly", "http://camera.example/live/a/"],
])("a cookie returns to the host it came from %s", (_what, header, url) => {
  expect(sent([header], url)).toBe("a=b");
});

it.each([
  ["to another host", "a=b", "http://other.example/live/a/1.ts"],
  ["to a host below", "a=b", "http://x.camera.example/live/a/1.ts"],
  ["to the domain that it names", "a=b; Domain=.example", "http://other.example/live/a/1.ts"],
  ["elsewhere than its path", "a=b; Path=/live/a", "http://camera.example/live/ab"],
  ["beside the path it came from", "a=b", "http://camera.example/live/b/1.ts"],
  ["without encryption if it must not", "a=b; secure", "http://camera.example/live/a/1.ts"],
  ["once it has expired", "a=b; expires=Thu, 01 Jan 1970 00:00:00 GMT", "http://camera.example/live/a/1.ts"],
  ["once it is removed", "a=b; max-age=0", "http://camera.example/live/a/1.ts"],
  ["without a name", "=b", "http://camera.example/live/a/1.ts"],
  ["if it is too long", `a=${"b".repeat(5_000)}`, "http://camera.example/live/a/1.ts"],
])("a cookie does not go %s", (_what, header, url) => {
  expect(sent([header], url)).toBeUndefined();
});

it("a newer cookie replaces an older one, and the one for the longest path comes first", () => {
  const headers = ["a=1", "b=2; path=/", "c=3; path=/live/a/b", "a=4"];
  expect(sent(headers, "http://camera.example/live/a/b/1.ts")).toBe("c=3; a=4; b=2");
});

it("a camera that sets thousands is remembered for the last fifty", () => {
  const headers = listOf(5_000, (index) => `c${index}=x`);
  expect(sent(headers, "http://camera.example/live/a/")?.split("; ")).toEqual(headers.slice(-50));
});
