import type { Prisma, PrismaClient } from "../../generated/prisma/client.js";
import type { RequestTrace, StatementDescription } from "./tracing.js";

/** The number of statements run for a request or a task, and its trace if traces are exported. */
export interface StatementCount {
  statements: number;
  readonly trace?: RequestTrace | undefined;
}

/** Wraps a read function and counts its calls. */
export function countedRead<Read extends (statement: Prisma.Sql) => Promise<unknown[]>>(
  read: Read,
  count: StatementCount,
): Read {
  return counted(undefined, read, count, describeSql) as Read;
}

type RawStatements = Pick<PrismaClient, "$queryRaw" | "$executeRaw">;
type Operation = (...parameters: unknown[]) => Promise<unknown>;

/**
 * Wraps a client and counts its statements: one per operation, as no operation of the gateway is a transaction of a
 * list. Prisma's own log of statements does not name their cause, and tracking it with an AsyncLocalStorage costs more
 * than most statements.
 */
export function countedClient<Client extends RawStatements>(client: Client, count: StatementCount): Client {
  return new Proxy(client, {
    get: (target, name) => {
      const member = target[name as keyof Client] as unknown;
      if (name === "$queryRaw" || name === "$executeRaw")
        return counted(target, member as Operation, count, describeSql);
      return typeof member === "object" && member !== null
        ? countedModel(member, String(name), count)
        : member;
    },
  });
}

type Transact<Client> = <Result>(
  work: (transaction: Client) => Promise<Result>,
  limits?: { timeout: number },
) => Promise<Result>;

/** Wraps a function that runs transactions, and counts their statements. */
export const countedTransact =
  <Client extends RawStatements>(transact: Transact<Client>, count: StatementCount): Transact<Client> =>
  (work, limits) =>
    transact((transaction) => work(countedClient(transaction, count)), limits);

const countedModel = (model: object, modelName: string, count: StatementCount) =>
  new Proxy(model, {
    get: (target, name) => {
      const describe = () => ({
        summary: `${String(name)} ${modelName.charAt(0).toUpperCase()}${modelName.slice(1)}`,
      });
      return counted(target, target[name as keyof object], count, describe);
    },
  });

const counted =
  <Parameters extends unknown[], Result>(
    owner: object | undefined,
    operation: (...parameters: Parameters) => Promise<Result>,
    count: StatementCount,
    describe: (parameter: unknown) => StatementDescription,
  ) =>
  (...parameters: Parameters): Promise<Result> => {
    count.statements += 1;
    const { trace } = count;
    return trace
      ? trace.statement(describe(parameters[0]), () => operation.apply(owner, parameters))
      : operation.apply(owner, parameters);
  };

/** The first word of a statement, and its first table. */
function describeSql(statement: unknown): StatementDescription {
  const { text = "" } = statement as Partial<Prisma.Sql>;
  const [verb = "SQL"] = /\w+/.exec(text) ?? [];
  const [, table] = /\b(?:FROM|INTO|UPDATE)\s+"(\w+)"/.exec(text) ?? [];
  return { summary: table ? `${verb} ${table}` : verb, text };
}
