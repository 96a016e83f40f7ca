import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { authorizationOf, type Gateway, type Sender } from "../support/harness.js";

/** What a tool told, for assertions. */
export interface ToldContent {
  notice: string;
  items: Record<string, unknown>[];
  next_cursor?: string;
  [name: string]: unknown;
}

/** An answer of a tool. */
export interface ToolAnswer {
  isError: boolean;
  /** The first text. */
  text: string;
  told: ToldContent;
  content: CallToolResult["content"];
}

/** An assistant: the SDK's own client, with an open session. */
export class Assistant {
  private constructor(readonly client: Client) {}

  /** Begins a session, whose client is closed with the running test. */
  static async open(gateway: Gateway, as: Sender, name = "test-assistant"): Promise<Assistant> {
    const authorization = await authorizationOf(as);
    const transport = new StreamableHTTPClientTransport(new URL("/mcp", gateway.url), {
      requestInit: { headers: authorization === undefined ? {} : { authorization } },
    });
    const client = new Client({ name, version: "1.0.0" });
    onTestFinished(() => client.close());
    await client.connect(transport as Parameters<Client["connect"]>[0]);
    return new Assistant(client);
  }

  async call(name: string, given: Record<string, unknown> = {}): Promise<ToolAnswer> {
    const {
      content,
      structuredContent,
      isError = false,
    } = (await this.client.callTool({
      name,
      arguments: given,
    })) as CallToolResult;
    const [first] = content;
    const text = first?.type === "text" ? first.text : "";
    return { isError, text, told: structuredContent as ToldContent, content };
  }
}

/** Sends one message, or whatever else, as a client without the SDK would. */
export async function post(
  gateway: Gateway,
  body: unknown,
  { as, session, headers }: { as: Sender; session?: string | undefined; headers?: Record<string, string> },
): Promise<Response> {
  return gateway.fetch("/mcp", {
    method: "POST",
    as,
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(session !== undefined && { "mcp-session-id": session }),
      ...headers,
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

/** A request of JSON-RPC. */
export const rpc = (method: string, params?: object, id: number | string = 1) => ({
  jsonrpc: "2.0",
  id,
  method,
  ...(params && { params }),
});

export const initialization = (client = "test-assistant", protocolVersion = "2025-11-25") =>
  rpc("initialize", { protocolVersion, capabilities: {}, clientInfo: { name: client, version: "1" } });

/** Begins a session, and returns its id. */
export async function beginSession(
  gateway: Gateway,
  as: Sender,
  { client, version }: { client?: string; version?: string } = {},
): Promise<string> {
  const response = await post(gateway, initialization(client, version), { as });
  const id = response.headers.get("mcp-session-id");
  if (!id) throw new Error(`No session: ${response.status} ${await response.text()}`);
  return id;
}
