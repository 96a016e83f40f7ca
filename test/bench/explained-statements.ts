// Loaded into a gateway before its own code. Makes the database explain each statement of
// a request before running it, in the same transaction and with the same parameters, and
// writes the plans to a file.
import { AsyncLocalStorage } from "node:async_hooks";
import diagnostics from "node:diagnostics_channel";
import { appendFileSync } from "node:fs";
import pg from "pg";

/** A statement of a request, with its plan or the reason for its absence. */
export interface ExplainedStatement {
  sql: string;
  plan?: unknown;
  error?: string;
}

/**
 * The environment variable that names the file, which gets one {@link ExplainedStatement}
 * per line.
 */
export const explainedStatementsFile = "EXPLAINED_STATEMENTS_FILE";

const file = process.env[explainedStatementsFile];
if (file !== undefined) explainInto(file);

function explainInto(file: string): void {
  // The workers' own statements belong to no request.
  const inRequest = new AsyncLocalStorage<boolean>();
  diagnostics.subscribe("http.server.request.start", () => inRequest.enterWith(true));
  const prototype = pg.Client.prototype as { query: (...parameters: unknown[]) => unknown };
  const { query } = prototype;
  prototype.query = function (this: pg.Client, ...parameters: unknown[]) {
    const [config, values] = parameters as [string | pg.QueryConfig | undefined, unknown[] | undefined];
    const sql = typeof config === "string" ? config : config?.text;
    if (
      inRequest.getStore() &&
      sql !== undefined &&
      /^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH)\b/i.test(sql)
    ) {
      const explained = {
        text: `EXPLAIN (FORMAT JSON) ${sql}`,
        values: (typeof config === "object" && config.values) || values || [],
      };
      // The connection runs its statements in the order of sending.
      query.call(
        this,
        explained,
        (error: Error | null, result?: pg.QueryResult<{ "QUERY PLAN": unknown }>) => {
          const statement: ExplainedStatement = error
            ? { sql, error: error.message }
            : { sql, plan: result?.rows[0]?.["QUERY PLAN"] };
          appendFileSync(file, `${JSON.stringify(statement)}\n`);
        },
      );
    }
    return query.apply(this, parameters);
  };
}
