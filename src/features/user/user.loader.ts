import { isLasting } from "../../engine/access/caller.js";
import { defineEntityType, type Selected } from "../../engine/reading/entity-type.js";
import { defineToMany, defineToOne } from "../../engine/reading/relation.js";
import { type FacilityAccess, Prisma, type User } from "../../generated/prisma/client.js";

/** A user with the columns that the operation needs. Only the calling user has a `supportHash`. */
export type UserRow = Selected<User, "id"> & { supportHash?: string };

export const users = defineEntityType<User>({
  source: "users",
  keys: ["id"],
  columns: Prisma.UserScalarFieldEnum,
  dateColumns: { createdAt: true, updatedAt: true, lastLogin: true, seenAt: true, until: true },
});

export const userById = defineToOne<UserRow>(users, "id");

/** The user, unless their access has ended. */
export const presentUserById = defineToOne<UserRow>(users, "id", { conditions: () => [isLasting] });

const byEmail = { orderBy: Prisma.sql`item."email", item."id"` };

export const usersByWorkspace = defineToMany<UserRow>(users, "workspaceId", byEmail);

/** The users whose access has not ended. */
export const presentUsersByWorkspace = defineToMany<UserRow>(users, "workspaceId", {
  ...byEmail,
  conditions: () => [isLasting],
});

/** A user's permissions at a facility, in addition to their roles. */
export type FacilityAccessRow = Selected<FacilityAccess, "userId" | "facilityId">;

export const facilityAccesses = defineEntityType<FacilityAccess>({
  source: "facilityAccesses",
  keys: ["userId", "facilityId"],
  columns: Prisma.FacilityAccessScalarFieldEnum,
  dateColumns: { until: true },
});

const byUser = { orderBy: Prisma.sql`item."userId"` };

export const accessesByFacility = defineToMany<FacilityAccessRow>(facilityAccesses, "facilityId", byUser);

/** The accesses that have not ended, of users whose access in all has not ended either. */
export const presentAccessesByFacility = defineToMany<FacilityAccessRow>(facilityAccesses, "facilityId", {
  ...byUser,
  conditions: (_args, { users: people }) => [
    isLasting,
    Prisma.sql`EXISTS (SELECT 1 FROM ${people} AS person WHERE person."id" = item."userId" AND ${isLasting})`,
  ],
});
