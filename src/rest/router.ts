import express, { type RequestHandler, type Router } from "express";
import { type GatewayServices, RequestContext } from "../access/request-context.js";
import { readInput } from "../http/input.js";
import { readJsonBody } from "../http/limits.js";
import { onlyMethods, readMethods } from "../http/methods.js";
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
    mounted.all(onlyMethods(routes.flatMap(({ route }) => (route.method === "get" ? readMethods : [route.method.toUpperCase()]))));
  }
  return router;
}

const literalFirst = (path: string) => path.replaceAll("/:", "/~");

function handlerOf(services: GatewayServices, prepared: PreparedRoute): RequestHandler {
  return async (request, response) => {
    const { authorization } = request.headers;
    const context = new RequestContext(services, { id: String(request.id), address: request.ip ?? "", authorization });
    await context.authenticate(prepared.route.accepts);
    const { route } = prepared;
    const given = route.input.body ? await readJsonBody(request, response) : {};
    const body = await prepared.run(context, readInput(route, request, given));
    response.set("cache-control", route.method === "get" ? "private, no-cache" : "no-store").vary("Authorization");
    if (body === undefined) response.end();
    else response.json(body);
  };
}
