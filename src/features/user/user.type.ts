import { Field, Int, ObjectType } from "type-graphql";
import { permissionNames } from "../../engine/access/permissions.js";
import { FoundBy, Node } from "../../engine/nodes/node.type.js";
import { BackedBy, RequiresColumns } from "../../engine/reading/annotations.js";
import { assignedId, readOnly } from "../../platform/input/descriptions.js";
import { DateTimeIso, SafeInt, Uuid } from "../../platform/input/scalars.js";
import { users } from "./user.loader.js";
import { findUser } from "./user.service.js";

@ObjectType({ description: "A phone number in its parts.", simpleResolvers: true })
export class PhoneNumber {
  @Field(() => SafeInt, { description: "The number within the country, without leading zeros." })
  nationalNumber!: number;

  @Field(() => String, { description: "The ISO 3166 two-letter code of the country." })
  region!: string;

  @Field(() => Int, { description: "The country's calling code, such as 90." })
  countryCode!: number;

  @Field(() => String, { description: "The whole number in E.164 format, such as +905321234567." })
  e164Format!: string;
}

@BackedBy(() => users)
@FoundBy(findUser)
@ObjectType({
  implements: Node,
  description: "A person who signs in to the service. A user belongs to one workspace.",
  simpleResolvers: true,
})
export class User {
  @Field(() => Uuid, { description: assignedId })
  id!: string;

  @Field(() => String, {
    description:
      "The user's subject (`sub`) at the identity provider; `email|` and the address for those who accepted an invitation by a link.",
  })
  authId!: string;

  @Field(() => DateTimeIso, { description: "When the user was added." })
  createdAt!: Date;

  @Field(() => DateTimeIso, { description: "When the user's profile or roles last changed." })
  updatedAt!: Date;

  @Field(() => DateTimeIso, {
    nullable: true,
    description: `When the user last signed in; null if unknown. ${readOnly}`,
  })
  lastLogin!: Date | null;

  @Field(() => String, {
    description:
      "The email address. It need not be unique. Without an identity provider, links to sign in are sent there.",
  })
  email!: string;

  @Field(() => Boolean, {
    description: `Whether the identity provider has verified the email address. ${readOnly}`,
  })
  emailVerified!: boolean;

  @Field(() => String, { nullable: true, description: "1 to 100 characters; null if unknown." })
  firstName!: string | null;

  @Field(() => String, { nullable: true, description: "1 to 100 characters; null if unknown." })
  lastName!: string | null;

  @Field(() => [String], {
    description: `The user's permissions in the whole workspace: ${permissionNames}. More may be granted at single facilities.`,
  })
  roles!: string[];

  @Field(() => String, {
    nullable: true,
    description: `The IP address of the last login; null if unknown. ${readOnly}`,
  })
  lastIp!: string | null;

  @Field(() => Int, { description: `The number of times that the user has signed in. ${readOnly}` })
  loginsCount!: number;

  @Field(() => String, {
    nullable: true,
    description:
      "The user's language as a tag such as en or de-AT; null if unknown. The gateway writes mails in German for German tags, otherwise in English.",
  })
  locale!: string | null;

  @Field(() => Boolean, {
    description: `Whether the user signs in through the customer's identity provider. ${readOnly}`,
  })
  isSso!: boolean;

  @Field(() => String, {
    nullable: true,
    description: `The connection at the identity provider; null if unknown. ${readOnly}`,
  })
  connection!: string | null;

  @Field(() => Uuid, {
    nullable: true,
    description: `The ID of the user's group at the identity provider; null if there is none. ${readOnly}`,
  })
  groupId!: string | null;

  @Field(() => String, { nullable: true, description: "At most 200 characters; null if it was never given." })
  jobTitle!: string | null;

  @Field(() => PhoneNumber, {
    nullable: true,
    description: "The user's phone number, which is valid in its country; null if it was never given.",
  })
  phoneNumber!: PhoneNumber | null;

  @RequiresColumns()
  @Field(() => String, {
    nullable: true,
    description:
      "Authenticates the user to the support widget; null for other users, and for the calling user in lists.",
  })
  supportHash?: string | null;
}
