import { Prisma } from "../generated/prisma/client.js";

/**
 * The name of a column, quoted for SQL. Names come from the code and never from clients;
 * this makes sure of it.
 */
export function identifier(name: string): Prisma.Sql {
  if (!/^[A-Za-z]+$/.test(name)) throw new Error(`Not a column name: ${name}`);
  return Prisma.raw(`"${name}"`);
}

/**
 * A name of the gateway's own, quoted for SQL, for what stands beside names from
 * documents: none of those has a `$`, so that PostgreSQL takes none for it, as it would a
 * column for the alias of the subquery that it is in.
 */
export const ownIdentifier = (name: string): Prisma.Sql => Prisma.raw(`"${name}$"`);
