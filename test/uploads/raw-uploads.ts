import { closingDelimiter, encodeBody, type FormPart, formType } from "./multipart.js";
import type { RequestHead } from "./slow-client.js";
import { addCamera, changeUser } from "./upload-apis.js";

/** An upload that is sent in parts. */
export interface RawUpload {
  head: RequestHead;
  body: Buffer;
  /** The offset of the file in the body. */
  fileAt: number;
  fileLength: number;
}

/** The kinds of picture uploads. */
export const uploadKinds = [
  "a camera by REST",
  "a user by REST",
  "a camera by GraphQL",
  "a user by GraphQL",
] as const;

/**
 * A file as the picture of a new camera and of the calling user, by both APIs; the file
 * is the last part.
 */
export function rawUploads(
  { facilityId, name = "Gate" }: { facilityId: string; name?: string },
  content: Uint8Array,
): Record<(typeof uploadKinds)[number], RawUpload> {
  const file = (part: string): FormPart => ({
    name: part,
    filename: "picture.jpg",
    type: "image/jpeg",
    content,
  });
  const operation = (query: string, variables: object, target: string) => [
    { name: "operations", content: JSON.stringify({ query, variables }) },
    { name: "map", content: JSON.stringify({ file: [`variables.${target}`] }) },
    file("file"),
  ];
  const texts = [
    { name: "cameraName", content: name },
    { name: "metadata", content: "{}" },
  ];
  const newCamera = { facilityId, input: { name, image: null } };
  // Getters, because a test takes one of them and encoding a large file takes a while.
  return {
    get "a camera by REST"() {
      return rawUpload("POST", `/facilities/${facilityId}/client_cameras`, [...texts, file("cameraImage")]);
    },
    get "a user by REST"() {
      return rawUpload("PATCH", "/user/picture", [file("image")]);
    },
    get "a camera by GraphQL"() {
      return rawUpload("POST", "/graphql", operation(addCamera, newCamera, "input.image"));
    },
    get "a user by GraphQL"() {
      return rawUpload("POST", "/graphql", operation(changeUser, { image: null }, "image"));
    },
  };
}

function rawUpload(method: string, path: string, parts: FormPart[]): RawUpload {
  const body = encodeBody(parts);
  const fileLength = Buffer.byteLength(parts.at(-1)?.content as Uint8Array);
  const headers = {
    "content-type": formType,
    "content-length": body.length,
    "apollo-require-preflight": "true",
  };
  return {
    head: { method, path, headers },
    body,
    fileAt: body.length - fileLength - "\r\n".length - closingDelimiter.length,
    fileLength,
  };
}
