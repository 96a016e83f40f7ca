import { addCamera, changeUser } from "./doors.js";
import { bodyOf, ending, type FormPart, formType } from "./multipart.js";
import type { Head } from "./slow-client.js";

/** An upload to be sent piece by piece. */
export interface Upload {
  head: Head;
  body: Buffer;
  /** Where in the body the file begins. */
  fileAt: number;
  fileLength: number;
}

/** All ways by which a picture comes in. */
export const ways = ["a camera by REST", "a user by REST", "a camera by GraphQL", "a user by GraphQL"] as const;

/** A file as the picture of a new camera and of the calling user, through both doors; the file comes last. */
export function uploadsOf(
  { facilityId, name = "Gate" }: { facilityId: string; name?: string },
  content: Uint8Array,
): Record<(typeof ways)[number], Upload> {
  const file = (part: string): FormPart => ({ name: part, filename: "picture.jpg", type: "image/jpeg", content });
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
  return {
    "a camera by REST": uploadOf("POST", `/facilities/${facilityId}/client_cameras`, [...texts, file("cameraImage")]),
    "a user by REST": uploadOf("PATCH", "/user/picture", [file("image")]),
    "a camera by GraphQL": uploadOf("POST", "/graphql", operation(addCamera, newCamera, "input.image")),
    "a user by GraphQL": uploadOf("POST", "/graphql", operation(changeUser, { image: null }, "image")),
  };
}

function uploadOf(method: string, path: string, parts: FormPart[]): Upload {
  const body = bodyOf(parts);
  const content = Buffer.from(parts.at(-1)?.content as Uint8Array);
  const headers = { "content-type": formType, "content-length": body.length, "apollo-require-preflight": "true" };
  return { head: { method, path, headers }, body, fileAt: body.length - content.length - "\r\n".length - ending.length, fileLength: content.length };
}
