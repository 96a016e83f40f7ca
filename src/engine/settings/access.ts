import { z } from "zod";
import { itemsOf, onOrOff, textWithout, urlIssue, visibleText } from "../../platform/input/setting-rules.js";
import { isTrustworthyUrl } from "../access/trustworthy-url.js";
import { exampleSecret, setting } from "./setting.js";

const isLongEnough = (secret: string) => Buffer.byteLength(secret) >= 32;
/** Blanks around a secret are part of it, but nothing that makes it hard to guess. */
const secret = z
  .string()
  .refine(
    (text) => isLongEnough(text.trim()),
    "must have at least 32 bytes, not counting blanks around them",
  );

/** One secret, or two while they are rotated: the first signs, both verify. A single one may not contain a comma. */
const rotatedSecret = z
  .string()
  .transform(itemsOf)
  .refine((secrets) => secrets.length <= 2, "must be one secret, or two that are separated by a comma")
  .refine((secrets) => secrets.every(isLongEnough), "must have at least 32 bytes in each secret");

/** An address of the identity provider: what it answers is trusted. */
const providerUrl = ({ query }: { query?: true } = {}) =>
  textWithout((text) =>
    isTrustworthyUrl(text)
      ? urlIssue(text, { schemes: ["http", "https"], path: true, ...(query && { query }) })
      : "must be an https URL (http only on loopback)",
  );

const issuerUrl = providerUrl().refine(
  (text) => !text.includes("/.well-known/"),
  "must be the issuer alone, without /.well-known/…",
);

/** Scopes of OAuth, separated by single spaces. */
const scope = /^[!#-[\]-~]+(?: [!#-[\]-~]+)*$/;

export const access = {
  AUTH_JWT_SECRET: setting(
    {
      example: exampleSecret,
      unset: "generated if embedded",
      description: "The secret of tokens signed with HS256, at least 32 bytes. Set this or `AUTH_ISSUER`.",
    },
    secret,
  ),
  AUTH_ISSUER: setting(
    {
      example: "https://id.example/realms/main",
      unset: "none",
      description:
        "The OpenID Connect issuer whose tokens are accepted, with or without a trailing slash. See [how users sign in](operators.md#how-do-users-sign-in).",
    },
    issuerUrl,
  ),
  AUTH_AUDIENCE: setting(
    {
      example: "gateway",
      unset: "none",
      description: "The audience that these tokens must name; required with `AUTH_ISSUER`.",
    },
    visibleText,
  ),
  AUTH_JWKS_URL: setting(
    {
      example: "https://id.example/keys",
      unset: "by discovery",
      description: "Where the issuer's keys are, if not where its discovery document says.",
    },
    providerUrl({ query: true }),
  ),
  CONSOLE_CLIENT_ID: setting(
    {
      example: "gateway-console",
      unset: "none",
      description:
        "The public client with which users of the console sign in at `AUTH_ISSUER` (authorization code with PKCE). Its redirect URI is `PUBLIC_URL/`. Without it, users paste a token or an API key.",
    },
    visibleText,
  ),
  CONSOLE_SCOPE: setting(
    {
      example: "openid offline_access",
      description:
        "The scope that leads to tokens for `AUTH_AUDIENCE`. With `offline_access` the console renews them.",
    },
    z.string().regex(scope, "must be scopes, separated by single spaces").default("openid"),
  ),
  LINK_SECRET: setting(
    {
      example: exampleSecret,
      unset: "generated if embedded",
      description:
        "Signs links to pictures and exports, at least 32 bytes. It may hold two secrets, separated by a comma: see [how to replace it](operators.md#how-do-i-replace-the-link-secret).",
    },
    rotatedSecret,
  ),
  SUPPORT_HASH_SECRET: setting(
    {
      example: exampleSecret,
      unset: "generated if embedded",
      description: "Hashes the identities that are given to support tools, at least 32 bytes.",
    },
    secret,
  ),
  STRICT_PERMISSIONS: setting(
    {
      example: "on",
      description:
        "`on` asks for permissions where the specification of the REST API names none or a lesser one: `cameras:write` to add cameras (endpoints 14 and 15) and for heartbeats (28), `facilities:write` to rename facilities (25). It holds for GraphQL as well.",
    },
    onOrOff.default("off"),
  ),
  MCP: setting(
    {
      example: "off",
      description:
        "Whether assistants may use the gateway at `/mcp`, by the Model Context Protocol, with the permissions of who they sign in as. [Assistants](assistants.md) has more.",
    },
    onOrOff.default("on"),
  ),
  MCP_WRITE: setting(
    {
      example: "on",
      description:
        "`on` also lets assistants acknowledge and comment on alerts, snooze cameras and rules, and run mutations of `KNOWN_OPERATIONS`, where their callers may.",
    },
    onOrOff.default("off"),
  ),
};
