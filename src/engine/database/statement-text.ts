import type { Prisma } from "../../generated/prisma/client.js";

/** A statement with its values, as `Prisma.sql` writes one. */
export type StatementText = Pick<Prisma.Sql, "strings" | "text" | "values">;

/** Runs a read-only statement and returns its rows. */
export type ReadStatement = <Row>(statement: StatementText) => Promise<Row[]>;

/**
 * An SQL condition for writing statements that are sent along with BEGIN, without waiting for its answer. It
 * is false outside of a transaction, and true once the transaction has locked a row.
 */
export const isInTransaction = "pg_current_xact_id_if_assigned() IS NOT NULL";
