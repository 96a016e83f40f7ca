import express, { type RequestHandler, type Router } from "express";
import { type GatewayServices, RequestContext } from "../access/request-context.js";
import { readInput } from "../http/input.js";
import { ServiceError } from "../platform/errors.js";
import { groupBy } from "../platform/loader.js";
import type { PreparedRoute } from "./run-operation.js";

/** Mounts every route: authentication first, then the input, then the operation. */
export function restRouter(services: GatewayServices, prepared: PreparedRoute[]): Router {
  const router = express.Router({ caseSensitive: true });
  const paths = groupBy(prepared, ({ route }) => route.path);
  // A path that is written out goes before one with a parameter in the same place.
  for (const path of [...paths.keys()].sort((one, other) => literalFirst(one).localeCompare(literalFirst(other)))) {
    const mounted = router.route(path);
    const routes = paths.get(path) ?? [];
    for (const each of routes) mounted[each.route.method](handlerOf(services, each));
    mounted.all(refuseMethod(routes));
  }
  return router;
}

const literalFirst = (path: string) => path.replaceAll("/:", "/~");

function handlerOf(services: GatewayServices, prepared: PreparedRoute): RequestHandler {
  return async (request, response) => {
    const { authorization } = request.headers;
    const context = new RequestContext(services, { id: String(request.id), address: request.ip ?? "", authorization });
    await context.authenticate(prepared.route.accepts);
    const body = await prepared.run(context, readInput(prepared.route, request));
    response.set("cache-control", "private, no-cache").vary("Authorization").json(body);
  };
}

function refuseMethod(routes: PreparedRoute[]): RequestHandler {
  const methods = routes.map(({ route }) => route.method.toUpperCase());
  const allow = [...new Set(methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])))].sort().join(", ");
  return (_request, response) => {
    response.set("allow", allow);
    throw new ServiceError("METHOD_NOT_ALLOWED", `This path takes ${allow}`);
  };
}
