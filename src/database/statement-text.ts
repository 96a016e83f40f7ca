import type { Prisma } from "../generated/prisma/client.js";

/** A statement with its values, as `Prisma.sql` writes one. */
export type StatementText = Pick<Prisma.Sql, "strings" | "text" | "values">;

/** Runs a read-only statement and returns its rows. */
export type ReadStatement = <Row>(statement: StatementText) => Promise<Row[]>;

/**
 * An SQL condition for statements that write and are to be sent along with BEGIN, without
 * waiting for the answer to it: outside of a transaction, it does not hold. Inside, it
 * does once the transaction has locked a row. On a cluster they wait, and are sent
 * without it.
 */
export const isInTransaction = "pg_current_xact_id_if_assigned() IS NOT NULL";
