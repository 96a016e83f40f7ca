import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { onTestFinished } from "vitest";
import { authorizationOf, type Gateway, type Sender } from "../support/harness.js";

/** An answer of a tool, for assertions. */
export interface ToolAnswer {
  isError: boolean;
  /** The first text. */
  text: string;
  /** The structured content, which must be what the text says. */
  told: Record<string, never>;
  content: CallToolResult["content"];
}

/** An assistant: the SDK's own client, with an open session. */
export class Assistant {
  private constructor(
    readonly client: Client,
    readonly transport: StreamableHTTPClientTransport,
  ) {}

  /** Begins a session, which ends with the running test. */
  static async open(gateway: Gateway, as: Sender, name = "test-assistant"): Promise<Assistant> {
    const authorization = await authorizationOf(as);
    const transport = new StreamableHTTPClientTransport(new URL("/mcp", gateway.url), {
      requestInit: { headers: authorization === undefined ? {} : { authorization } },
    });
    const client = new Client({ name, version: "1.0.0" });
    onTestFinished(() => client.close());
    await client.connect(transport as Parameters<Client["connect"]>[0]);
    return new Assistant(client, transport);
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
    return {
      isError,
      text: first?.type === "text" ? first.text : "",
      told: structuredContent as ToolAnswer["told"],
      content,
    };
  }
}
