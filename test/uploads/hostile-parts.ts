import { sendRaw } from "../http/raw-request.js";
import { authorizationOf } from "../support/harness.js";
import { type Outcome, outcomeOf } from "./doors.js";
import { noise } from "./hostile-files.js";
import { edge, type FormPart, formType, partText } from "./multipart.js";
import type { UploadSite } from "./upload-site.js";

/** A body as it is sent, and what is said of it. */
export interface Body {
  body: string | Buffer;
  headers?: Record<string, string>;
}

/** Sends a body to the letter, as the site's admin. */
export async function post(
  { gateway, admin }: UploadSite,
  [method, path]: [method: string, path: string],
  { body, headers }: Body,
): Promise<Outcome> {
  const authorization = (await authorizationOf(admin)) as string;
  const all = { authorization, "content-type": formType, "apollo-require-preflight": "true", ...headers };
  return outcomeOf(await sendRaw(gateway.url, { method, path, headers: all, body }));
}

/** Headers of a body whose length is not said before. */
export const inPieces = { "transfer-encoding": "chunked" };

/** Types that no form has. */
export const refusedTypes: [string, Record<string, string>][] = [
  ["JSON", { "content-type": "application/json" }],
  ["a picture", { "content-type": "image/jpeg" }],
  ["text", { "content-type": "text/plain" }],
  ["a form without files", { "content-type": "application/x-www-form-urlencoded" }],
  ["a multipart body that is no form", { "content-type": `multipart/mixed; boundary=${edge}` }],
  ["no type", { "content-type": "" }],
];

export const many = (count: number, part: (index: number) => FormPart) =>
  Buffer.concat(Array.from({ length: count }, (_, index) => partText(part(index))));

/** Ways in which the part that should be the file is none, by its head. */
export const misnamed: [string, Partial<FormPart>][] = [
  ["without a name", { name: undefined }],
  ["with an empty name", { name: "" }],
  ["with an empty name and file name", { name: "", filename: "" }],
  ["with a name that leads elsewhere", { name: "../cameraImage" }],
  ["with brackets behind its name", { name: "cameraImage[]" }],
  ["with a name that every object has", { name: "__proto__" }],
  ["with another name that every object has", { name: "constructor" }],
  ["with a NUL in its name", { name: "cameraImage\0" }],
  ["with a name of 100,000 characters", { name: "x".repeat(100_000) }],
  ["with no head at all", { headers: "" }],
  ["with a head that is none", { headers: "cameraImage" }],
  [
    "with a head of binary data",
    {
      headers: noise(300)
        .toString("latin1")
        .replaceAll(/[\r\n]/g, ""),
    },
  ],
  ["with a head of 1 MiB in one line", { headers: `Content-Disposition: form-data; x="${"x".repeat(2 ** 20)}"` }],
  ["with a head of ten thousand lines", { headers: `${"x: y\r\n".repeat(10_000)}x: y` }],
  ["that is an attachment", { headers: 'Content-Disposition: attachment; name="cameraImage"; filename="x.jpg"' }],
];
