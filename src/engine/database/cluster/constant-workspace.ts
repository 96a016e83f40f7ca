import { isUuid } from "../../../platform/ids/uuid.js";
import type { StatementText } from "../statement-text.js";

/**
 * A statement as text and parameters, with its workspace id as a constant in the text. Citus keeps the plan of a
 * prepared statement only if it can find the node without parameters. Planning costs the coordinator several times as
 * much as forwarding the statement.
 */
export function withConstantWorkspace({ strings, values }: Pick<StatementText, "strings" | "values">): {
  text: string;
  values: unknown[];
} {
  const workspaceId = values[strings.findIndex((part) => part.endsWith('"workspaceId" = '))];
  const isConstant = typeof workspaceId === "string" && isUuid(workspaceId);
  const parameters: unknown[] = [];
  const text = values.reduce<string>((preceding, value, index) => {
    const written = isConstant && value === workspaceId ? `'${workspaceId}'` : `$${parameters.push(value)}`;
    return preceding + written + strings[index + 1];
  }, strings[0] ?? "");
  return { text, values: parameters };
}
