import type { Prisma } from "../generated/prisma/client.js";

/** A statement with its values, as `Prisma.sql` writes one. */
export type StatementText = Pick<Prisma.Sql, "strings" | "text" | "values">;

/** Runs a read-only statement and returns its rows. */
export type ReadStatement = <Row>(statement: StatementText) => Promise<Row[]>;
