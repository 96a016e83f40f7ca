import { Field, ObjectType } from "type-graphql";
import { permissionNames } from "../../engine/access/permissions.js";
import { BackedBy } from "../../engine/reading/annotations.js";
import { assignedId } from "../../platform/input/descriptions.js";
import { DateTimeIso, Uuid } from "../../platform/input/scalars.js";
import { invitations } from "./invitation.loader.js";

@ObjectType({
  description: "Permissions at a facility that an invitation hands out.",
  simpleResolvers: true,
})
export class InvitationAccess {
  @Field(() => Uuid, {
    description: "The ID of the facility. It may have been deleted since; nothing is then handed out.",
  })
  facilityId!: string;

  @Field(() => [String], { description: `The permissions at the facility: ${permissionNames}.` })
  actions!: string[];
}

@BackedBy(() => invitations)
@ObjectType({
  description:
    "An invitation to become a user of the workspace. It is open for 14 days, until it is accepted or revoked. It is void if its inviter is removed, or no longer holds users:write in the workspace and the permissions that it hands out.",
  simpleResolvers: true,
})
export class Invitation {
  @Field(() => Uuid, { description: assignedId })
  id!: string;

  @Field(() => String, { description: "The invited email address. It is compared without regard to case." })
  email!: string;

  @Field(() => String, { nullable: true, description: "The first name of the new user; null if unknown." })
  firstName!: string | null;

  @Field(() => String, { nullable: true, description: "The last name of the new user; null if unknown." })
  lastName!: string | null;

  @Field(() => [String], {
    description: `The permissions of the new user in the whole workspace: ${permissionNames}.`,
  })
  roles!: string[];

  @Field(() => DateTimeIso, {
    nullable: true,
    description:
      "When the access of the new user ends; null for never. From then on, the invitation cannot be accepted.",
  })
  until!: Date | null;

  @Field(() => DateTimeIso, { description: "When the invitation was made." })
  createdAt!: Date;

  @Field(() => DateTimeIso, {
    description: "The invitation can be accepted until this time: 14 days after it was made or last resent.",
  })
  expiresAt!: Date;

  @Field(() => DateTimeIso, {
    nullable: true,
    description: "When the invited person became a user; null if that has not happened.",
  })
  acceptedAt!: Date | null;

  @Field(() => DateTimeIso, {
    nullable: true,
    description: "When the invitation was revoked, or replaced because it was void; null if it was not.",
  })
  revokedAt!: Date | null;
}
