import { Prisma } from "../generated/prisma/client.js";

/** The name of a column, quoted for SQL. Names come from the code and never from clients; this makes sure of it. */
export function identifier(name: string): Prisma.Sql {
  if (!/^[A-Za-z]+$/.test(name)) throw new Error(`Not a column name: ${name}`);
  return Prisma.raw(`"${name}"`);
}
