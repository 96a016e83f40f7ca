import { OperationTypeNode } from "graphql";
import { z } from "zod";
import { ToolNothingDocument } from "../../generated/operations.js";
import { badRequest } from "../../platform/errors/errors.js";
import type { Operation, OperationDocument } from "../graphql/operation-document.js";
import { describedOperation } from "./described-operation.js";
import { plainJson } from "./result-texts.js";
import { itemsFrom, maxTextBytes, type Tool, tool } from "./tool.js";

/** In characters. Assistants are not offered operations with longer ids. */
const maxId = 200;
/** The rest is for what an answer says besides. */
const maxDataBytes = maxTextBytes - 512;

interface OperatorOperation {
  id: string;
  operation: Operation;
}

/**
 * The tools that list and run the operations of KNOWN_OPERATIONS, for which they need no rows: queries, and
 * mutations if assistants may change something.
 */
export function operatorTools(
  documents: ReadonlyMap<string, OperationDocument>,
  { allowsWrites }: { allowsWrites: boolean },
): readonly Tool[] {
  const operations = Array.from(documents).flatMap(([id, document]) => operationIn(id, document));
  const offered = operations.filter(
    ({ operation: { type } }) =>
      type === OperationTypeNode.QUERY || (allowsWrites && type === OperationTypeNode.MUTATION),
  );
  const writes = offered.some(isMutation);
  return [listOperations(offered), runOperation(offered, { writes })];
}

function operationIn(id: string, document: OperationDocument): OperatorOperation[] {
  const operation = document.operation();
  return operation && id.length <= maxId ? [{ id, operation }] : [];
}

const isMutation = ({ operation: { type } }: OperatorOperation): boolean =>
  type === OperationTypeNode.MUTATION;

function listOperations(offered: readonly OperatorOperation[]): Tool {
  const described = new Map<OperatorOperation, object>();
  /** Most gateways have an assistant ask for few of them. */
  const item = (each: OperatorOperation): object => {
    const { id, operation } = each;
    const known = described.get(each) ?? {
      operation_id: id,
      name: operation.name?.slice(0, maxId),
      kind: operation.type,
      ...describedOperation(operation),
    };
    described.set(each, known);
    return known;
  };
  return tool({
    name: "list_operations",
    title: "List operations",
    description:
      "Lists further operations that the operator of this gateway has approved, for what no other tool answers: their ids, what they select or change, and their variables with types and meanings. run_operation runs one.",
    operation: ToolNothingDocument,
    hasPages: true,
    input: {
      text: z
        .string("must be a string")
        .min(1, "must not be empty")
        .max(maxId, `must have at most ${maxId} characters`)
        .optional()
        .describe("Only operations whose id or name contains this text, in upper or lower case"),
    },
    variables: () => ({}),
    toResult: (_data, { text = "" }, circumstances) => {
      const wanted = text.toLowerCase();
      const found = offered.filter(({ id, operation }) =>
        [id, operation.name].some((each) => each?.toLowerCase().includes(wanted)),
      );
      return { facts: { total: found.length }, ...itemsFrom(found, item, circumstances) };
    },
  });
}

const runInput = z.strictObject({
  operation_id: z
    .string("must be a string")
    .min(1, "must not be empty")
    .max(maxId, `must have at most ${maxId} characters`)
    .describe("The operation; list_operations tells ids"),
  variables: z
    .record(z.string(), z.unknown(), "must be an object")
    .optional()
    .describe("The values of its variables by their names, as list_operations describes them"),
});

function runOperation(offered: readonly OperatorOperation[], { writes }: { writes: boolean }): Tool {
  const byId = new Map(offered.map((each) => [each.id, each]));
  return {
    name: "run_operation",
    title: "Run an operation",
    description: `Runs one of the operations that list_operations tells, and answers with its data as GraphQL has it. Ask for few items, since an answer has at most 16 KB.${writes ? " A mutation changes something: run it only after the user has asked for it." : ""}`,
    input: runInput,
    writes,
    isDestructive: writes,
    quotesNames: true,
    request: ({ operation_id, variables = {} }: z.output<typeof runInput>) => {
      const found = byId.get(operation_id);
      if (found) return { document: found.operation.document, variables };
      throw badRequest([{ path: "operation_id", message: "is unknown: list_operations tells all ids" }]);
    },
    toResult: (data, { operation_id }: z.output<typeof runInput>) => {
      const text = plainJson(data);
      const bytes = Buffer.byteLength(text);
      if (bytes <= maxDataBytes) return { facts: { untrusted_text: JSON.parse(text) } };
      const found = byId.get(operation_id);
      // An error would have it run again.
      if (found && isMutation(found))
        return { facts: { hint: `It has run. Its answer of ${bytes} bytes is too long to show.` } };
      throw badRequest([
        {
          path: "variables",
          message: `make an answer of ${bytes} bytes, of which at most ${maxDataBytes} fit: ask for less, such as fewer items, or run another operation`,
        },
      ]);
    },
  };
}
