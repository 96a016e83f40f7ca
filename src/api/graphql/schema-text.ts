import { Router } from "express";
import { type GraphQLSchema, lexicographicSortSchema, printSchema } from "graphql";
import { methodNotAllowed, readMethods } from "../../engine/http/methods.js";
import { originOf } from "../../engine/http/request-origin.js";
import type { GatewayServices } from "../../engine/operation/gateway-services.js";

interface SchemaTextOptions {
  schema: GraphQLSchema;
  services: GatewayServices;
  /** Whether callers without credentials may read the schema. */
  allowAnonymous: boolean;
}

/** `/schema.graphql`: the schema as text, for code generators. The access rules are those of introspection. */
export function schemaTextRouter({
  schema,
  services: { authenticator },
  allowAnonymous,
}: SchemaTextOptions): Router {
  let text: string | undefined;
  const router = Router();
  router.get("/schema.graphql", async (request, response) => {
    const origin = originOf(request);
    if (allowAnonymous) await authenticator.rateLimitAnonymous(origin);
    else await authenticator.authenticate(await authenticator.identify(origin), origin);
    // The language has no media type of its own. Browsers show plain text instead of saving it.
    if (!allowAnonymous) response.vary("Authorization");
    // Not before somebody asks: it takes as long as a tenth of the start.
    text ??= `${printSchema(lexicographicSortSchema(schema))}\n`;
    response
      .set({ "access-control-allow-origin": "*", "cache-control": "no-cache" })
      .type("text/plain")
      .send(text);
  });
  router.all("/schema.graphql", methodNotAllowed(readMethods));
  return router;
}
