import express, { type RequestHandler, type Router } from "express";
import { type GatewayServices, RequestContext } from "../access/request-context.js";
import type { Downloads } from "../http/download.js";
import { readInput } from "../http/input.js";
import { readJsonBody } from "../http/limits.js";
import { onlyMethods, readMethods } from "../http/methods.js";
import type { UploadDoor } from "../http/uploads.js";
import { groupBy } from "../platform/loader.js";
import type { PreparedRoute } from "./run-operation.js";

/** What REST needs of the gateway. */
export interface RestServices {
  services: GatewayServices;
  uploads: UploadDoor;
  downloads: Downloads;
}

/** Mounts every route: authentication first, then the input, then the operation. */
export function restRouter(services: RestServices, prepared: PreparedRoute[]): Router {
  const router = express.Router({ caseSensitive: true });
  const paths = groupBy(prepared, ({ route }) => route.path);
  // A path that is written out goes before one with a parameter in the same place.
  for (const path of [...paths.keys()].sort((one, other) => (literalFirst(one) < literalFirst(other) ? -1 : 1))) {
    const mounted = router.route(path);
    const routes = paths.get(path) ?? [];
    for (const each of routes) mounted[each.route.method](handlerOf(services, each));
    mounted.all(onlyMethods(routes.flatMap(({ route }) => (route.method === "get" ? readMethods : [route.method.toUpperCase()]))));
  }
  return router;
}

const literalFirst = (path: string) => path.replaceAll("/:", "/~");

function handlerOf({ services, uploads, downloads }: RestServices, prepared: PreparedRoute): RequestHandler {
  const { route } = prepared;
  return async (request, response) => {
    const { authorization } = request.headers;
    const context = new RequestContext(services, { id: String(request.id), address: request.ip ?? "", authorization });
    const { ticket } = request.query;
    if (route.download && typeof ticket === "string") {
      await downloads.send(context, route.download, ticket, request, response);
      return;
    }
    if (route.accepts === "nothing") await context.countStranger();
    else if (prepared.onlyReads) await context.recognize(route.accepts);
    else await context.authenticate(route.accepts);
    const run = (given: unknown) => prepared.run(context, readInput(route, request, given));
    const answer = async () => {
      if (!route.form) return run(route.input.body ? await readJsonBody(request, response) : {});
      await prepared.check(context, readInput({ ...route, input: { ...route.input, body: undefined } }, request, {}));
      return uploads.withForm(request, response, route.form, run);
    };
    const body = await context.proven(answer);
    if (route.download) {
      const link = new URL(String(body));
      await downloads.send(context, route.download, String(link.searchParams.get("ticket")), request, response);
      return;
    }
    response.set("cache-control", route.method === "get" ? "private, no-cache" : "no-store").vary("Authorization");
    if (body === undefined) response.end();
    else response.json(body);
  };
}
