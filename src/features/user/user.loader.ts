import { defineEntityType, type Selected } from "../../engine/reading/entity-type.js";
import { defineToMany, defineToOne } from "../../engine/reading/relation.js";
import { type FacilityAccess, Prisma, type User } from "../../generated/prisma/client.js";

/** A user with the columns that the operation needs. Only the calling user has a `supportHash`. */
export type UserRow = Selected<User, "id"> & { supportHash?: string };

export const users = defineEntityType<User>({
  source: "users",
  keys: ["id"],
  columns: Prisma.UserScalarFieldEnum,
  dateColumns: { createdAt: true, updatedAt: true, lastLogin: true, seenAt: true },
});

export const userById = defineToOne<UserRow>(users, "id");

export const usersByWorkspace = defineToMany<UserRow>(users, "workspaceId", {
  orderBy: Prisma.sql`item."email", item."id"`,
});

/** A user's permissions at a facility, in addition to their roles. */
export type FacilityAccessRow = Selected<FacilityAccess, "userId" | "facilityId">;

export const facilityAccesses = defineEntityType<FacilityAccess>({
  source: "facilityAccesses",
  keys: ["userId", "facilityId"],
  columns: Prisma.FacilityAccessScalarFieldEnum,
});

export const accessesByFacility = defineToMany<FacilityAccessRow>(facilityAccesses, "facilityId", {
  orderBy: Prisma.sql`item."userId"`,
});
