import type { TypedDocumentNode } from "@graphql-typed-document-node/core";
import { z } from "zod";
import type { OperationRequest } from "../graphql/admit.js";
import { OperationDocument } from "../graphql/operation-document.js";
import { schema } from "../graphql/schema.js";
import type { AlertWithPicture } from "./alert-jpeg.js";

/** The maximum number of items in an answer. */
export const maxItems = 20;
/** The bytes of the text of an answer, which `structuredContent` repeats. */
export const maxTextBytes = 16 * 1024;

/** What a call is about, besides its arguments. */
export interface CallCircumstances {
  /** Where the answer before this one ended; undefined for the first. */
  position: string | undefined;
  now: Date;
}

/** An item of an answer, and the position right after it. */
interface ResultItem {
  item: object;
  position: string;
}

/** The answer of a tool, for a model. */
export interface ToolResult {
  /** What is not in `items`. */
  facts?: Readonly<Record<string, unknown>>;
  /** The items of the answer, as many as there are; the answer takes those that fit. */
  items?: readonly ResultItem[];
  /** Whether items follow the given ones. */
  hasMore?: boolean;
  /** The alert whose picture the answer shows. */
  pictured?: AlertWithPicture;
}

/** A tool: what it runs, with a description for models. */
export interface Tool {
  name: string;
  title: string;
  /** What a model reads to choose the tool. Never contains data. */
  description: string;
  input: z.ZodObject;
  /** Whether the tool changes something; only offered with MCP_WRITE=on. */
  writes: boolean;
  /** Whether what it changes may be lost. */
  isDestructive?: boolean;
  /** Whether messages of errors other than BAD_REQUEST may quote what people wrote. */
  quotesNames?: boolean;
  /** The operation that a call runs. */
  request(given: never, circumstances: CallCircumstances): OperationRequest;
  toResult(data: unknown, given: never, circumstances: CallCircumstances): ToolResult;
}

/** A tool that always runs the same operation. */
export interface FixedTool extends Tool {
  operation: TypedDocumentNode<unknown, never>;
  variables(given: never, circumstances: CallCircumstances): Record<string, unknown>;
}

interface ToolDefinition<Data, Variables, Input extends z.ZodRawShape>
  extends Pick<Tool, "name" | "title" | "description"> {
  operation: TypedDocumentNode<Data, Variables>;
  input: Input;
  /** Whether answers may go on, for which the tool takes a cursor. */
  hasPages?: boolean;
  writes?: boolean;
  variables(given: z.output<z.ZodObject<Input>>, circumstances: CallCircumstances): Variables;
  toResult(data: Data, given: z.output<z.ZodObject<Input>>, circumstances: CallCircumstances): ToolResult;
}

const cursor = z
  .string("must be a string")
  .max(4_000, "is too long for a cursor")
  .optional()
  .describe("next_cursor of an earlier answer of this tool to the same arguments, to read on");

/** Defines a tool, and erases the types of its operation. */
export function tool<Data, Variables, Input extends z.ZodRawShape>({
  hasPages = false,
  writes = false,
  input,
  ...definition
}: ToolDefinition<Data, Variables, Input>): FixedTool {
  const { operation, variables } = definition;
  const document = new OperationDocument(schema, operation);
  return {
    ...definition,
    writes,
    input: z.strictObject({ ...input, ...(hasPages && { cursor }) }),
    request: (given: never, circumstances: CallCircumstances) => ({
      document,
      variables: variables(given, circumstances),
    }),
  } as FixedTool;
}

interface Connection<Node> {
  edges: readonly { cursor: string; node: Node }[];
  pageInfo: { hasNextPage: boolean };
}

/** The items of a connection. Reading on is `after` their cursors. */
export function itemsOf<Node>(
  { edges, pageInfo }: Connection<Node>,
  item: (node: Node) => object,
): Pick<ToolResult, "items" | "hasMore"> {
  return {
    items: edges.map(({ cursor, node }) => ({ item: item(node), position: cursor })),
    hasMore: pageInfo.hasNextPage,
  };
}

/** A page of a list that the operation returns as a whole. Positions are numbers. */
export function itemsFrom<Node>(
  list: readonly Node[],
  item: (node: Node) => object,
  { position }: CallCircumstances,
): Pick<ToolResult, "items" | "hasMore"> {
  const start = Number(position ?? 0);
  const page = list.slice(start, start + maxItems);
  return {
    items: page.map((node, index) => ({ item: item(node), position: String(start + index + 1) })),
    hasMore: start + page.length < list.length,
  };
}
