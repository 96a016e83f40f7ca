import { defineEntityType, type Selected } from "../../engine/reading/entity-type.js";
import { defineToOne } from "../../engine/reading/relation.js";
import { type Digest, Prisma } from "../../generated/prisma/client.js";

export type DigestRow = Selected<Digest, "userId">;

export const digests = defineEntityType<Digest>({
  source: "digests",
  keys: ["userId"],
  columns: Prisma.DigestScalarFieldEnum,
  dateColumns: { dueAt: true, lastDueAt: true },
});

export const digestByUser = defineToOne<DigestRow>(digests, "userId");
