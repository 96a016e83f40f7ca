import { Prisma } from "../../generated/prisma/client.js";

/** The name of a column, quoted for SQL. Names come from our code, never from clients; anything but letters throws. */
export function identifier(name: string): Prisma.Sql {
  if (!/^[A-Za-z]+$/.test(name)) throw new Error(`Not a column name: ${name}`);
  return Prisma.raw(`"${name}"`);
}

/**
 * A name of the gateway's own, quoted for SQL, that stands beside names from documents. Names from documents never
 * contain a `$`, so PostgreSQL cannot confuse both, as it would a column with the alias of its subquery.
 */
export const ownIdentifier = (name: string): Prisma.Sql => Prisma.raw(`"${name}$"`);
