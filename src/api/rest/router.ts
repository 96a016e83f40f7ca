import express, { type Request, type RequestHandler, type Response, type Router } from "express";
import type { Session } from "../../engine/access/authenticator.js";
import { compressResponse } from "../../engine/http/compression.js";
import type { Download, DownloadSender } from "../../engine/http/download.js";
import { type BodySender, readJsonBody } from "../../engine/http/json-body.js";
import { sendJson } from "../../engine/http/json-response.js";
import { methodNotAllowed, readMethods } from "../../engine/http/methods.js";
import { originOf } from "../../engine/http/request-origin.js";
import type { UploadLimiter } from "../../engine/http/uploads.js";
import type { GatewayServices } from "../../engine/operation/gateway-services.js";
import { type GatewayRequest, RequestContext } from "../../engine/operation/request-context.js";
import { withVerifiedCaller } from "../../engine/operation/verified-caller.js";
import { assertAnswerLength } from "../../engine/reading/answer-size.js";
import { readInput } from "../../engine/route/input.js";
import type { RequestParts, Route } from "../../engine/route/route.js";
import { refusedParameters, showIgnored, unknownParameters } from "../../engine/route/unknown-parameters.js";
import { groupBy } from "../../platform/group-by.js";
import { stringifyInSlices } from "../../platform/json/sliced-json.js";
import { networkOf } from "../../platform/network/ip-address.js";
import { inSlices } from "../../platform/queues/slices.js";
import type { IncomingOperation } from "../graphql/admit.js";
import type { PreparedRoute } from "./run-operation.js";

interface RestServices {
  services: GatewayServices;
  uploads: UploadLimiter;
  downloads: DownloadSender;
  /** Whether to refuse requests with parameters unknown to their route. */
  isStrict: boolean;
}

/** Mounts the routes. Each authenticates the caller, then checks the input, then runs the operation. */
export function restRouter(services: RestServices, prepared: PreparedRoute[]): Router {
  const router = express.Router({ caseSensitive: true });
  const paths = groupBy(prepared, ({ route }) => route.path);
  // Express takes the first match: mount a literal path before one with a parameter at the same position.
  for (const path of [...paths.keys()].sort((one, other) =>
    literalFirst(one) < literalFirst(other) ? -1 : 1,
  )) {
    const mounted = router.route(path);
    const routes = paths.get(path) ?? [];
    for (const each of routes)
      mounted[each.route.method](
        each.route.download
          ? downloadHandler(services, each, each.route.download)
          : jsonHandler(services, each),
      );
    mounted.all(
      methodNotAllowed(
        routes.flatMap(({ route }) => (route.method === "get" ? readMethods : [route.method.toUpperCase()])),
      ),
    );
  }
  return router;
}

const literalFirst = (path: string) => path.replaceAll("/:", "/~");

function jsonHandler(rest: RestServices, prepared: PreparedRoute): RequestHandler {
  const { method, accepts } = prepared.route;
  return async (request, response) => {
    const anonymous = { services: rest.services, origin: originOf(request) };
    const run = (sender?: Session) => runRoute(rest, prepared, { ...anonymous, sender }, request, response);
    if (accepts === "anonymous") await rest.services.authenticator.rateLimitAnonymous(anonymous.origin);
    const body = await (accepts === "anonymous" ? run() : runVerified(anonymous, prepared, run));
    response.set("cache-control", method === "get" ? "private, no-cache" : "no-store").vary("Authorization");
    // Without a length, some clients expect JSON.
    if (body === undefined) response.set("content-length", "0").end();
    else sendJson(request, response, await inSlices(anonymous, stringifyInSlices(body, assertAnswerLength)));
  };
}

/**
 * A download's operation returns a signed link. A request with credentials gets the file of the link at once. A request
 * with the link needs no credentials.
 */
function downloadHandler(rest: RestServices, prepared: PreparedRoute, download: Download): RequestHandler {
  return async (request, response) => {
    compressResponse(request, response);
    const anonymous = { services: rest.services, origin: originOf(request) };
    const { ticket } = request.query;
    if (typeof ticket === "string") {
      await rest.downloads.send(anonymous, download, ticket, request, response);
      return;
    }
    const { context, link } = await runVerified(anonymous, prepared, async (sender) => ({
      context: new RequestContext(anonymous, sender),
      link: new URL(String(await runRoute(rest, prepared, { ...anonymous, sender }, request, response))),
    }));
    await rest.downloads.send(context, download, String(link.searchParams.get("ticket")), request, response);
  };
}

/** Authenticates the sender, who may come from the cache if the route only reads. */
async function runVerified<Result>(
  { services, origin }: GatewayRequest,
  { route, onlyReads }: PreparedRoute,
  run: (sender: Session) => Promise<Result>,
): Promise<Result> {
  const { authenticator } = services;
  const accepted = route.accepts === "basic" ? "basic" : "any";
  const identity = await authenticator.identify(origin, accepted);
  const session = onlyReads
    ? await authenticator.authenticateFromCache(identity, origin, accepted)
    : await authenticator.authenticate(identity, origin, accepted);
  return withVerifiedCaller({ services, origin, session }, run);
}

/** Reads and checks the input, runs the operation, and returns the body of the response. */
async function runRoute(
  { uploads, isStrict }: RestServices,
  prepared: PreparedRoute,
  incoming: IncomingOperation,
  request: Request,
  response: Response,
): Promise<unknown> {
  const { route } = prepared;
  const { sender, origin } = incoming;
  const read = (route: Route, body: unknown): RequestParts => {
    const unknown = unknownParameters(route, request, body);
    // Accept unknown parameters in callbacks: the calling programs report everything they know.
    if (isStrict && route.accepts !== "anonymous" && unknown.length > 0) throw refusedParameters(unknown);
    showIgnored(response, unknown);
    return readInput(route, request, body);
  };
  const run = async (body: unknown) => prepared.run(incoming, read(route, body));
  if (!route.form || !sender) {
    const bodySender: BodySender = sender
      ? { limit: "rest", owner: sender.caller.id }
      : { limit: "anonymous", owner: networkOf(origin.address) };
    return run(route.input.body ? await readJsonBody(request, response, bodySender) : {});
  }
  await prepared.check(incoming, read({ ...route, input: { ...route.input, body: undefined } }, {}));
  return uploads.withForm(request, response, { caller: sender.caller, origin }, route.form, run);
}
