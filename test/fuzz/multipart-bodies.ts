import type { SeededRandom } from "../../src/programs/demo/seeded-random.js";
import { plainPng } from "../support/png.js";
import { closingDelimiter, encodePart, type FormPart, formType } from "../uploads/multipart.js";
import { addCamera, changeUser } from "../uploads/upload-apis.js";
import type { FuzzGenerator } from "./fuzz-case.js";
import { mutateBytes, mutateText } from "./mutation.js";
import { sentRequest } from "./sent-request.js";
import { authorizationOf, idFor, textFor, type World } from "./world.js";

/** An upload before it is mutated. */
interface Form {
  method: string;
  path: string;
  parts: FormPart[];
}

const picture = plainPng();

const file = (name: string, random: SeededRandom): FormPart => ({
  name,
  filename: random.pick(["picture.png", "", "../../x.png", "ş.png", 'a";b="c']),
  type: random.pick(["image/png", "text/html", "image/svg+xml", "application/octet-stream"]),
  content: random.chance(0.3) ? mutateBytes(picture, random) : picture,
});

const json = (name: string, value: unknown): FormPart => ({ name, content: JSON.stringify(value) });

const forms: readonly ((random: SeededRandom, world: World) => Form)[] = [
  (random) => ({ method: "PATCH", path: "/user/picture", parts: [file("image", random)] }),
  (random, world) => ({
    method: "POST",
    path: `/facilities/${idFor("facilityId", random, world)}/client_cameras`,
    parts: [
      { name: "cameraName", content: textFor("name", random) },
      json("metadata", random.pick([{}, { width: 1280, height: 720 }, { width: "x" }, [], null])),
      file("cameraImage", random),
    ],
  }),
  (random) => ({
    method: "POST",
    path: "/graphql",
    parts: [
      json("operations", { query: changeUser, variables: { image: null } }),
      json("map", { file: ["variables.image"] }),
      file("file", random),
    ],
  }),
  (random, world) => {
    const variables = {
      facilityId: idFor("facilityId", random, world),
      input: { name: textFor("name", random), image: null, metadata: {} },
    };
    const target = random.pick([
      "variables.input.image",
      "variables.input.metadata.x",
      "variables.image",
      "query",
      "variables.__proto__.x",
      "0.variables.image",
    ]);
    return {
      method: "POST",
      path: "/graphql",
      parts: [
        json("operations", { query: addCamera, variables }),
        json("map", { file: [target] }),
        file("file", random),
      ],
    };
  },
];

/**
 * Generates uploads by both APIs, and to links for pictures of alerts; most of them are
 * mutated.
 */
export const multipartBodies: FuzzGenerator = (random, world) => {
  if (random.chance(0.15) && world.uploadUrls.length > 0) {
    const { pathname, search } = new URL(random.pick(world.uploadUrls));
    const path = random.chance(0.2)
      ? mutateText(pathname + search, random).replaceAll(/[^\x21-\x7e]/g, "")
      : pathname + search;
    const body = random.chance(0.6) ? mutateBytes(picture, random) : picture;
    return sentRequest({
      method: "PUT",
      path: path.startsWith("/") ? path : `/${path}`,
      headers: { "content-type": "image/png" },
      body,
    });
  }
  const { method, path, parts } = random.pick(forms)(random, world);
  const changed = random.chance(0.4) ? changeParts(parts, random) : parts;
  let body: Buffer = Buffer.concat([
    ...changed.map(encodePart),
    random.chance(0.95) ? closingDelimiter : Buffer.alloc(0),
  ]);
  if (random.chance(0.3)) body = mutateBytes(body, random);
  const authorization = authorizationOf(random, world);
  const type = random.chance(0.05)
    ? random.pick([
        "multipart/form-data",
        "multipart/form-data; boundary=",
        "multipart/mixed; boundary=x",
        `${formType}${"x".repeat(80)}`,
      ])
    : formType;
  const headers: Record<string, string> = {
    "content-type": type,
    ...authorization,
  };
  if (random.chance(0.95)) headers["apollo-require-preflight"] = "true";
  return sentRequest({ method, path, headers, body });
};

function changeParts(parts: readonly FormPart[], random: SeededRandom): FormPart[] {
  const changed = parts.flatMap((part): FormPart[] =>
    random.pick([
      () => [part],
      () => [part],
      () => [],
      () => [part, part],
      () => [{ ...part, name: random.pick(["", "file", "image", "__proto__", "0"]) }],
      () => [{ ...part, headers: mutateText(`Content-Disposition: form-data; name="${part.name}"`, random) }],
      () => [
        {
          ...part,
          content:
            typeof part.content === "string"
              ? mutateText(part.content, random)
              : mutateBytes(Buffer.from(part.content), random),
        },
      ],
    ])(),
  );
  return random.chance(0.3) ? random.shuffled(changed) : changed;
}
