import { Prisma } from "../../generated/prisma/client.js";

/** Names come from our code and never from clients. As a safeguard, anything but letters throws. */
export function identifier(name: string): Prisma.Sql {
  if (!/^[A-Za-z]+$/.test(name)) throw new Error(`Not a column name: ${name}`);
  return Prisma.raw(`"${name}"`);
}

/** Names from documents never contain a `$`, so PostgreSQL cannot confuse both. */
export const ownIdentifier = (name: string): Prisma.Sql => Prisma.raw(`"${name}$"`);
