import express, { type Request, type Response, type Router } from "express";
import type { Registry } from "prom-client";
import type { Session } from "../../engine/access/authenticator.js";
import { unauthenticated } from "../../engine/access/credentials.js";
import { parseJsonBody } from "../../engine/http/json-body.js";
import { sendJson } from "../../engine/http/json-response.js";
import { methodNotAllowed, readMethods } from "../../engine/http/methods.js";
import { originOfAssistant } from "../../engine/http/request-origin.js";
import { isKnownOwnOrigin } from "../../engine/http/web-origin.js";
import type { GatewayServices } from "../../engine/operation/gateway-services.js";
import { ServiceError } from "../../platform/errors/errors.js";
import { memberIn } from "../../platform/record.js";
import { authenticateRequest, type IncomingOperation } from "../graphql/admit.js";
import type { OperationDocument } from "../graphql/operation-document.js";
import { errorMessage, Messages, type Reply } from "./messages.js";
import { operatorTools } from "./operator-tools.js";
import { McpSessions } from "./sessions.js";
import { tools } from "./tools.js";

/** Where OAuth clients find out who issues tokens for a resource (RFC 9728). */
const metadataPath = "/.well-known/oauth-protected-resource/mcp";
/** The only version of the protocol whose clients may send several messages at once. */
const versionWithBatches = "2025-03-26";
const maxBatch = 10;

interface McpOptions {
  services: GatewayServices;
  /** Whether tools may change something. */
  allowsWrites: boolean;
  /** The operator's known operations by their ids, which tools list and run, too. */
  operatorDocuments: ReadonlyMap<string, OperationDocument> | undefined;
  /** Sign the ids of sessions; see {@link McpSessions}. */
  secrets: readonly string[];
  /** The web origins that may send requests, in addition to the gateway's own. */
  origins: readonly string[];
  /** The issuer of tokens, if people sign in there. */
  issuer: string | undefined;
  publicUrl: () => string;
  registry: Registry;
}

/**
 * Serves assistants, by the Model Context Protocol over Streamable HTTP. Each message is answered by JSON. There are no
 * streams, since the gateway sends nothing unasked.
 */
export function mcpRouter(options: McpOptions): Router {
  const { services, issuer, publicUrl } = options;
  const router = express.Router({ caseSensitive: true });
  if (issuer !== undefined) {
    router
      .route(metadataPath)
      .get(async (request, response) => {
        await services.rateLimits.countAddress(originOfAssistant(request).address);
        const metadata = {
          resource: `${publicUrl()}/mcp`,
          authorization_servers: [issuer],
          bearer_methods_supported: ["header"],
          resource_name: "Camera monitoring",
        };
        sendJson(request, response, JSON.stringify(metadata));
      })
      .all(methodNotAllowed(readMethods));
  }
  const endpoint = new McpEndpoint(options);
  router
    .route("/mcp")
    .post((request, response) => endpoint.receive(request, response))
    .delete((request, response) => endpoint.end(request, response))
    .all(methodNotAllowed(["POST", "DELETE"]));
  return router;
}

class McpEndpoint {
  readonly #options: McpOptions;
  readonly #sessions: McpSessions;
  readonly #messages: Messages;

  constructor(options: McpOptions) {
    const { secrets, services, registry, allowsWrites, operatorDocuments } = options;
    this.#options = options;
    this.#sessions = new McpSessions({ secrets, now: services.now, registry });
    this.#messages = new Messages([
      ...tools.filter(({ writes }) => allowsWrites || !writes),
      ...(operatorDocuments ? operatorTools(operatorDocuments, { allowsWrites }) : []),
    ]);
  }

  async receive(request: Request, response: Response): Promise<void> {
    const incoming = await this.#authenticate(request);
    if (!request.is("application/json"))
      throw new ServiceError("UNSUPPORTED_MEDIA_TYPE", "The body must be application/json");
    try {
      await parseJsonBody(request, response, { limit: "graphql", owner: incoming.sender.caller.id });
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== "BAD_REQUEST") throw error;
      incoming.origin.logEntry.errorCodes.add(error.code);
      response.status(400);
      sendJson(request, response, JSON.stringify(errorMessage(undefined, parseError, error.message)));
      return;
    }
    const replies = await this.#replies(request, response, incoming).catch((error) => {
      throw this.#withMetadata(error);
    });
    response.set("cache-control", "no-store");
    if (replies === undefined) response.status(202).end();
    else sendJson(request, response, JSON.stringify(replies));
  }

  async end(request: Request, response: Response): Promise<void> {
    const incoming = await this.#authenticate(request);
    const { caller } = await this.#verified(incoming);
    this.#sessions.end(sessionIdOf(request), caller);
    response.status(204).end();
  }

  /** Knows the sender before a byte of the body is read. */
  async #authenticate(request: Request): Promise<IncomingOperation & { sender: Session }> {
    const { services, origins: allowed, publicUrl } = this.#options;
    if (!isKnownOwnOrigin(request, { allowed, publicUrl: publicUrl() }))
      throw new ServiceError(
        "FORBIDDEN",
        "Pages of this origin may not use the gateway: CORS_ORIGIN has to name it",
      );
    const origin = originOfAssistant(request);
    try {
      const { sender } = await authenticateRequest({ services, origin });
      if (sender) return { services, origin, sender };
      origin.logEntry.authenticationFailure = "no credentials";
      throw unauthenticated("any", "no credentials");
    } catch (error) {
      throw this.#withMetadata(error);
    }
  }

  /** Says in the challenge where clients learn how to sign in. */
  #withMetadata(error: unknown): unknown {
    const { issuer, publicUrl } = this.#options;
    if (issuer !== undefined && error instanceof ServiceError && error.code === "UNAUTHENTICATED") {
      const challenge = error.headers["www-authenticate"] ?? "Bearer";
      const metadata = `Bearer resource_metadata="${publicUrl()}${metadataPath}"`;
      error.headers["www-authenticate"] = challenge
        .replace(/^Bearer/, metadata)
        .replace(/" realm=/, '", realm=');
    }
    return error;
  }

  async #replies(
    request: Request,
    response: Response,
    incoming: IncomingOperation & { sender: Session },
  ): Promise<unknown> {
    const { body } = request;
    if (isInitialization(body)) return this.#begin(body, response, incoming);
    const session = this.#sessions.find(sessionIdOf(request), incoming.sender.caller);
    (incoming.origin as ReturnType<typeof originOfAssistant>).client = session.client;
    await checkVersion(request.headers["mcp-protocol-version"]);
    if (!Array.isArray(body)) {
      const reply = await this.#reply(body, incoming);
      // What is no request may be a notification, which only the status can refuse.
      if (reply?.isRefusal) response.status(400);
      return reply?.message;
    }
    if (session.protocolVersion !== versionWithBatches)
      throw new ServiceError(
        "BAD_REQUEST",
        "Send one message at a time: this version of the protocol has no batches",
      );
    if (body.length === 0 || body.length > maxBatch || body.some(isInitialization))
      throw new ServiceError("BAD_REQUEST", `A batch has 1 to ${maxBatch} messages, and none initializes`);
    const replies: unknown[] = [];
    for (const [index, message] of body.entries()) {
      if (index > 0) await incoming.services.rateLimits.countCaller(incoming.sender.caller.id);
      const reply = await this.#reply(message, incoming);
      if (reply) replies.push(reply.message);
    }
    return replies.length > 0 ? replies : undefined;
  }

  async #begin(body: unknown, response: Response, incoming: IncomingOperation & { sender: Session }) {
    const { caller } = await this.#verified(incoming);
    const reply = await this.#messages.reply(body, incoming);
    if (!reply?.begins) return reply?.message;
    const { client, protocolVersion } = reply.begins;
    response.set("mcp-session-id", this.#sessions.open(caller, client, protocolVersion));
    return reply.message;
  }

  /** Operations check a cached caller themselves. */
  async #reply(
    message: unknown,
    incoming: IncomingOperation & { sender: Session },
  ): Promise<Reply | undefined> {
    if (!isCall(message)) await this.#verified(incoming);
    return this.#messages.reply(message, incoming);
  }

  /** The sender's session, if it still holds. */
  #verified({
    services,
    sender,
    origin,
  }: IncomingOperation & { sender: Session }): Promise<Session> | Session {
    return sender.check ? services.authenticator.revalidate(sender, origin) : sender;
  }
}

/** The number of this error in JSON-RPC. */
const parseError = -32700;

const methodOf = (message: unknown): unknown => memberIn(message, "method");
const isInitialization = (message: unknown): boolean => methodOf(message) === "initialize";
const isCall = (message: unknown): boolean => methodOf(message) === "tools/call";

function sessionIdOf({ headers }: Request): string {
  const id = headers["mcp-session-id"];
  if (typeof id === "string") return id;
  throw new ServiceError("BAD_REQUEST", "The header Mcp-Session-Id is missing: initialize a session first");
}

async function checkVersion(given: string | string[] | undefined): Promise<void> {
  if (given === undefined) return;
  const { SUPPORTED_PROTOCOL_VERSIONS: supported } = await import("@modelcontextprotocol/sdk/types.js");
  if (!supported.includes(String(given)))
    throw new ServiceError("BAD_REQUEST", `MCP-Protocol-Version must be one of ${supported.join(", ")}`);
}
