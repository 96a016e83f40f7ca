import { sendRaw } from "../http/raw-request.js";
import { authorizationOf } from "../support/harness.js";
import { listOf } from "../support/list-of.js";
import { noise } from "./hostile-files.js";
import { boundary, encodePart, type FormPart, formType } from "./multipart.js";
import { resultOf, type UploadResult } from "./upload-apis.js";
import type { UploadSite } from "./upload-site.js";

type Content = string | Buffer;

/** A raw body, with headers beyond the usual ones if it has any. */
export type Body = Content | { body: Content; headers: Record<string, string> };

/** Sends a raw body as the site's admin. */
export async function post(
  { gateway, admin }: UploadSite,
  [method, path]: [method: string, path: string],
  given: Body,
): Promise<UploadResult> {
  const { body, headers } =
    typeof given === "string" || Buffer.isBuffer(given) ? { body: given, headers: {} } : given;
  const authorization = (await authorizationOf(admin)) as string;
  const all = { authorization, "content-type": formType, "apollo-require-preflight": "true", ...headers };
  return resultOf(await sendRaw(gateway.url, { method, path, headers: all, body }));
}

/** Headers of a body without a Content-Length. */
export const chunked = { "transfer-encoding": "chunked" };

/** Content types that forms cannot have. */
export const unsupportedTypes: [string, Record<string, string>][] = [
  ["JSON", { "content-type": "application/json" }],
  ["text", { "content-type": "text/plain" }],
  ["a multipart body that is not a form", { "content-type": `multipart/mixed; boundary=${boundary}` }],
  ["nothing", { "content-type": "" }],
];

export const repeatPart = (count: number, part: (index: number) => FormPart) =>
  Buffer.concat(listOf(count, (index) => encodePart(part(index))));

/** Headers that hide the file part from the parser. */
export const malformedParts: [string, Partial<FormPart>][] = [
  ["without a name", { name: undefined }],
  ["with an empty name", { name: "" }],
  ["with the name __proto__", { name: "__proto__" }],
  ["with a NUL in its name", { name: "cameraImage\0" }],
  ["with a name of 100,000 characters", { name: "x".repeat(100_000) }],
  ["without headers", { headers: "" }],
  [
    "with binary data for headers",
    {
      headers: noise(300)
        .toString("latin1")
        .replaceAll(/[\r\n]/g, ""),
    },
  ],
  ["with a header line of 1 MiB", { headers: `Content-Disposition: form-data; x="${"x".repeat(2 ** 20)}"` }],
  ["with ten thousand header lines", { headers: `${"x: y\r\n".repeat(10_000)}x: y` }],
  [
    "that is an attachment",
    { headers: 'Content-Disposition: attachment; name="cameraImage"; filename="x.jpg"' },
  ],
];
