import type { Gateway, Sender } from "../support/harness.js";

/** The kinds of reports of the feed server about a stream request. */
export type ReportKind = "thumbnail" | "metadata" | "error";

export const reportKinds: ReportKind[] = ["thumbnail", "metadata", "error"];

/** A valid report of each kind, as sent to REST. */
export const validReports: Record<ReportKind, Record<string, unknown>> = {
  thumbnail: { url: "https://feeds.example/yard.jpg" },
  metadata: { width: "1280", height: "720" },
  error: { operation: "open stream", error: "Connection refused" },
};

/** Sends a report as the feed server does, and returns OK or the error code. */
export type SendReport = (
  gateway: Gateway,
  kind: ReportKind,
  requestId: string,
  body?: Record<string, unknown>,
  as?: Sender,
) => Promise<string>;

const paths: Record<ReportKind, string> = {
  thumbnail: "/cameras/thumbnail",
  metadata: "/cameras/metadata",
  error: "/cameras/feedserver/error",
};

const mutations: Record<ReportKind, string> = {
  thumbnail:
    "mutation ($requestId: UUID!, $input: StreamThumbnailInput!) { recordStreamThumbnail(requestId: $requestId, input: $input) { id } }",
  metadata:
    "mutation ($requestId: UUID!, $input: StreamMetadataInput!) { recordStreamMetadata(requestId: $requestId, input: $input) { id } }",
  error:
    "mutation ($requestId: UUID!, $input: StreamErrorInput!) { recordStreamError(requestId: $requestId, input: $input) { id } }",
};

export const reportByRest: SendReport = async (
  gateway,
  kind,
  requestId,
  body = validReports[kind],
  as = "nobody",
) => {
  const headers = { "content-type": "application/json" };
  const response = await gateway.fetch(`${paths[kind]}/${requestId}`, {
    method: "POST",
    as,
    headers,
    body: JSON.stringify(body),
  });
  const { code } = (await response.json()) as { code?: string };
  return response.status === 200 ? "OK" : (code ?? String(response.status));
};

export const reportByGraphql: SendReport = async (
  gateway,
  kind,
  requestId,
  body = validReports[kind],
  as = "nobody",
) => {
  const named = Object.entries(body).map(([name, value]) => [
    name.replace(/_[a-z]/g, (part) => part.slice(1).toUpperCase()),
    value,
  ]);
  const variables = { requestId, input: Object.fromEntries(named) };
  const { errors } = await gateway.graphql(mutations[kind], { as, variables });
  return errors?.[0]?.extensions.code ?? "OK";
};

export const reportApis: [name: string, report: SendReport][] = [
  ["REST", reportByRest],
  ["GraphQL", reportByGraphql],
];
