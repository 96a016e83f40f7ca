import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { createStreamRequest } from "../support/factories.js";
import { plainPng } from "../support/png.js";
import { type Recorder, recordAlerts } from "./recorder.js";

/**
 * The outcome of a request: OK, or the code of its error with the paths of invalid input.
 */
interface Outcome {
  code: string;
  paths: string[];
}

/** A way in for JSON of any structure. */
export interface JsonDoor {
  /**
   * Sends the text of a JSON object. Returns the outcome and, if the gateway accepts the
   * object, PostgreSQL's version of it.
   */
  send(recorder: Recorder, object: string): Promise<Outcome & { stored: string | undefined }>;
  /** The code of a refusal. */
  code: string;
  /** The path in a refusal: that of the object, or of the number in its member `list`. */
  path: string;
  namesNumber?: true;
}

interface Answer {
  code?: string;
  details?: { path: string }[];
  errors?: { message: string; extensions: { code: string; details?: { path: string }[] } }[];
  data?: unknown;
}

async function outcomeOf(response: Response): Promise<Outcome> {
  const text = await response.text();
  const { code = "OK", details = [], errors = [] }: Answer = text === "" ? {} : JSON.parse(text);
  const { extensions } = errors[0] ?? {};
  return { code: extensions?.code ?? code, paths: (extensions?.details ?? details).map(({ path }) => path) };
}

const post = ({ gateway, admin }: Recorder, body: string, path = "/graphql") =>
  gateway.fetch(path, {
    method: "POST",
    as: admin.as,
    headers: { "content-type": "application/json" },
    body,
  });

const picture = () => new Blob([Uint8Array.from(plainPng())]);

async function sendAlert(
  recorder: Recorder,
  request: (alert: { id: string; json: string }) => string,
): ReturnType<JsonDoor["send"]> {
  const { id, ...alert } = recorder.alert();
  const json = JSON.stringify({ id, ...alert });
  const outcome = await outcomeOf(await post(recorder, request({ id, json })));
  const [row] = await recorder.gateway.prisma.$queryRaw<
    { info: string }[]
  >`SELECT "info"::text AS "info" FROM "Alert" WHERE "id" = ${id}::uuid`;
  return { ...outcome, stored: row?.info };
}

/** A document with an alert as a literal; names of fields are not quoted in GraphQL. */
const alertLiteral = (json: string, info: string) =>
  `recordAlerts(input: [${unquoted(json.replace(/}$/, `, "info": ${info} }`))}]) { recorded }`;
const unquoted = (json: string) => json.replace(/"(\w+)":/g, "$1:");

async function sendCamera(
  recorder: Recorder,
  path: string,
  form: Record<string, string | Blob>,
  headers = {},
): ReturnType<JsonDoor["send"]> {
  const { gateway, admin, site } = recorder;
  const before = await gateway.prisma.camera.findMany({
    where: { facilityId: site.facilityId },
    select: { id: true },
  });
  const body = new FormData();
  for (const [name, value] of Object.entries(form)) body.set(name, value);
  const outcome = await outcomeOf(await gateway.fetch(path, { method: "POST", as: admin.as, headers, body }));
  const [row] = await gateway.prisma.$queryRaw<{ metadata: string }[]>`
    SELECT ("advancedSettings"->'metadata')::text AS "metadata" FROM "Camera" WHERE "facilityId" = ${site.facilityId}::uuid AND "id" <> ALL(${before.map(({ id }) => id)}::uuid[])`;
  return { ...outcome, stored: row?.metadata };
}

const uploadMutation =
  "mutation ($id: UUID!, $input: CreateClientCameraInput!) { createClientCamera(facilityId: $id, input: $input) { id } }";

export const jsonDoors: Record<string, JsonDoor> = {
  "the variable of an alert": {
    send: (recorder, object) =>
      sendAlert(
        recorder,
        ({ json }) =>
          `{"query":${JSON.stringify(recordAlerts)},"variables":{"input":[${json.replace(/}$/, `,"info":${object}}`)}]}}`,
      ),
    code: "BAD_REQUEST",
    path: "input.0.info",
  },
  "a literal": {
    send: (recorder, object) =>
      sendAlert(recorder, ({ json }) =>
        JSON.stringify({ query: `mutation { ${alertLiteral(json, unquoted(object))} }` }),
      ),
    code: "GRAPHQL_VALIDATION_FAILED",
    path: "input.0.info",
  },
  "a literal as the default of a variable": {
    send: (recorder, object) =>
      sendAlert(recorder, ({ json }) =>
        JSON.stringify({
          query: `mutation ($info: JSONObject = ${unquoted(object)}) { ${alertLiteral(json, "$info")} }`,
        }),
      ),
    code: "GRAPHQL_VALIDATION_FAILED",
    path: "info",
  },
  "the metadata of a picture over REST": {
    send: (recorder, object) =>
      sendCamera(recorder, `/facilities/${recorder.site.facilityId}/client_cameras`, {
        cameraImage: picture(),
        cameraName: "Gate",
        metadata: object,
      }),
    code: "BAD_REQUEST",
    path: "body.metadata",
    namesNumber: true,
  },
  "the metadata of a picture over GraphQL": {
    send: (recorder, object) => {
      const variables = `{"id":"${recorder.site.facilityId}","input":{"name":"Gate","image":null,"metadata":${object}}}`;
      const operations = `{"query":${JSON.stringify(uploadMutation)},"variables":${variables}}`;
      const form = { operations, map: '{"file":["variables.input.image"]}', file: picture() };
      return sendCamera(recorder, "/graphql", form, { "apollo-require-preflight": "true" });
    },
    code: "BAD_REQUEST",
    path: "input.metadata",
  },
};

/**
 * The exact value of a number in decimal notation, as a fraction; undefined if PostgreSQL
 * or JavaScript shows no number.
 */
export function exactValue(number: string): string | undefined {
  const [, sign, whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? [];
  if (whole === "") return undefined;
  let digits = BigInt(whole + fraction);
  if (digits === 0n) return "0";
  let power = BigInt(exponent) - BigInt(fraction.length);
  for (; digits % 10n === 0n; digits /= 10n) power += 1n;
  return `${sign}${digits}e${power}`;
}

/**
 * Numbers as JSON has them: with any digits, or as JavaScript or another language writes
 * a double.
 */
export const numberText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    ...["9007199254740993", "9007199254740992", "1e400"],
    ...[
      "1e-400",
      "4.9e-324",
      "5e-324",
      "0.1234567890123456789",
      "0.30000000000000004",
      "-0",
      "0e999999",
      "1E2",
    ],
    ...["1.7976931348623157e308", "1.7976931348623159e308", "12.5E-1"],
  ),
  fc.double({ noDefaultInfinity: true, noNaN: true }).map((value) => JSON.stringify(value)),
  fc
    .double({ noDefaultInfinity: true, noNaN: true })
    .map((value) => value.toPrecision(17).replace(/e\+?/, "E")),
  fc
    .tuple(
      fc.constantFrom("", "-"),
      fc.stringMatching(/^(?:0|[1-9]\d{0,25})$/),
      fc.option(fc.stringMatching(/^\d{1,25}$/), { nil: "" }),
      fc.option(fc.integer({ min: -420, max: 420 }), { nil: undefined }),
    )
    .map(
      ([sign, whole, fraction, exponent]) =>
        `${sign}${whole}${fraction && `.${fraction}`}${exponent === undefined ? "" : `e${exponent}`}`,
    ),
);

/** Whether a number is no integer that JavaScript may round. */
export const isTaken = (number: string) => Math.abs(Number(number)) <= Number.MAX_SAFE_INTEGER;

/** A stream request whose metadata can be reported. */
export const openRequest = ({ gateway, workspaceId, site }: Recorder) => {
  const requestId = randomUUID();
  return createStreamRequest(gateway.prisma, { workspaceId, cameraId: site.cameraId, requestId }).then(
    () => requestId,
  );
};
