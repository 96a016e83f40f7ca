import { defineEntityType, type Selected } from "../../engine/reading/entity-type.js";
import { defineToOne } from "../../engine/reading/relation.js";
import { type Digest, Prisma } from "../../generated/prisma/client.js";

/** A digest with the columns that the operation needs. */
export type DigestRow = Selected<Digest, "userId">;

export const digests = defineEntityType<Digest>({
  source: "digests",
  keys: ["userId"],
  columns: Prisma.DigestScalarFieldEnum,
  dateColumns: { dueAt: true, lastDueAt: true },
});

/** The digest of a user. */
export const digestByUser = defineToOne<DigestRow>(digests, "userId");
