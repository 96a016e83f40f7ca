import type { Prisma, PrismaClient } from "../generated/prisma/client.js";

/** How many statements were run for something. */
export interface StatementCount {
  statements: number;
}

/** The same function for reading, with each call counted. */
export function countedRead<Read extends (statement: Prisma.Sql) => Promise<unknown[]>>(read: Read, count: StatementCount): Read {
  return counted(undefined, read as unknown as Operation, count) as unknown as Read;
}

type Operation = (...parameters: unknown[]) => unknown;

/**
 * The same client, with the statements run by it counted: one for each operation, which holds for those that the gateway uses.
 * Prisma's own log of statements does not say for whom they run, and to follow that by an AsyncLocalStorage costs more than most statements.
 */
export function countedClient<Client extends PrismaClient | Prisma.TransactionClient>(client: Client, count: StatementCount): Client {
  return new Proxy(client, {
    get: (target, name) => {
      const member = target[name as keyof Client] as unknown;
      if (name === "$transaction") return (work: unknown, limits: unknown) => (member as Operation).call(target, countedWork(work, count), limits);
      if (name === "$queryRaw" || name === "$executeRaw") return counted(target, member as Operation, count);
      return typeof member === "object" && member !== null ? countedModel(member, count) : member;
    },
  });
}

const countedModel = (model: object, count: StatementCount) =>
  new Proxy(model, {
    get: (target, name) => counted(target, target[name as keyof object] as Operation, count),
  });

const counted =
  (owner: object | undefined, operation: Operation, count: StatementCount): Operation =>
  (...parameters) => {
    count.statements += 1;
    return operation.apply(owner, parameters);
  };

/** The work of an interactive transaction gets a counted client, too; the operations of a list have been counted. */
function countedWork(work: unknown, count: StatementCount): unknown {
  if (typeof work !== "function") return work;
  return (transaction: Prisma.TransactionClient) => work(countedClient(transaction, count));
}
