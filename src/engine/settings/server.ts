import { z } from "zod";
import {
  integer,
  isHost,
  itemsOf,
  onOrOff,
  originIssue,
  textWithout,
  trustedProxies,
  webOrigin,
} from "../../platform/input/setting-rules.js";
import { setting } from "./setting.js";

/** Refuses misspellings of production: whoever means it must get it. */
const nodeEnvironment = textWithout((text) =>
  text !== "production" && /^\s*prod(?:uction)?\s*$/i.test(text)
    ? "must be exactly production, or another name"
    : undefined,
);

/** `*`, or origins. */
const corsOrigins = textWithout((text) => {
  const items = itemsOf(text);
  if (items.includes("*")) return items.length === 1 ? undefined : "must be * alone, or a list of origins";
  return items.map(originIssue).find((issue) => issue !== undefined);
}).transform(itemsOf);

export const server = {
  NODE_ENV: setting(
    {
      example: "production",
      description: "`production` makes no demo tokens, and shows the schema to callers only.",
    },
    nodeEnvironment.default("development"),
  ),
  PORT: setting(
    { example: "8080", description: "The port to listen on; 0 takes any free one." },
    integer(0, 65_535).default(4000),
  ),
  HOST: setting(
    { example: "0.0.0.0", description: "The address to listen on." },
    z.string().refine(isHost, "must be an address or the name of a host").default("127.0.0.1"),
  ),
  PUBLIC_URL: setting(
    {
      example: "https://gateway.example",
      unset: "localhost",
      description:
        "What links begin with: the scheme, host and port under which clients reach the gateway, without a path.",
    },
    webOrigin,
  ),
  TRUST_PROXY: setting(
    {
      example: "1",
      unset: "no proxy",
      description:
        "The number of proxies in front of the gateway, or their networks, separated by commas. The gateway believes their `X-Forwarded-…` headers. `true` is refused: every client could claim any address.",
    },
    trustedProxies,
  ),
  CORS_ORIGIN: setting(
    {
      example: "https://app.example,https://staging.example",
      unset: "none",
      description:
        "The origins whose pages may call the APIs, separated by commas, or `*`. Write them as browsers send them: lower case, no path, no default port.",
    },
    corsOrigins,
  ),
  FEDERATION: setting(
    {
      example: "on",
      description:
        "`on` makes the gateway a subgraph of Federation 2. The router in front of it must be its only caller: see [how the gateway becomes part of a supergraph](frontends.md#how-do-i-make-the-gateway-part-of-a-supergraph).",
    },
    onOrOff.default("off"),
  ),
  SHUTDOWN_DELAY: setting(
    {
      example: "5000",
      description: "Milliseconds for which requests are still served after SIGTERM, with `/readyz` at 503.",
    },
    integer(0, 10_000).default(2_000),
  ),
};
