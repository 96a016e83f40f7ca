import { Field, Int, ObjectType } from "type-graphql";
import { DateTimeIso, SafeInt, Uuid } from "../platform/scalars.js";
import { BackedBy, RequiresColumns } from "../reading/annotations.js";
import { users } from "./user.loader.js";

@ObjectType({ description: "A phone number in its parts.", simpleResolvers: true })
export class PhoneNumber {
  @Field(() => SafeInt)
  nationalNumber!: number;

  @Field(() => String, { description: "The ISO 3166 two-letter code of the country." })
  region!: string;

  @Field(() => Int, { description: "The country's calling code." })
  countryCode!: number;

  @Field(() => String, { description: "The whole number in E.164 format, such as +905321234567." })
  e164Format!: string;
}

@BackedBy(() => users)
@ObjectType({ description: "A person who signs in to the service. A user belongs to one workspace.", simpleResolvers: true })
export class User {
  @Field(() => Uuid)
  id!: string;

  @Field(() => String, { description: "The user's subject (`sub`) at the identity provider." })
  authId!: string;

  @Field(() => DateTimeIso)
  createdAt!: Date;

  @Field(() => DateTimeIso)
  updatedAt!: Date;

  @Field(() => DateTimeIso, { nullable: true })
  lastLogin!: Date | null;

  @Field(() => String)
  email!: string;

  @Field(() => Boolean)
  emailVerified!: boolean;

  @Field(() => String, { nullable: true })
  firstName!: string | null;

  @Field(() => String, { nullable: true })
  lastName!: string | null;

  @Field(() => [String], { description: "The user's permissions in the whole workspace." })
  roles!: string[];

  @Field(() => String, { nullable: true, description: "The IP address of the last login." })
  lastIp!: string | null;

  @Field(() => Int)
  loginsCount!: number;

  @Field(() => String, { nullable: true, description: "A language code such as en or tr." })
  locale!: string | null;

  @Field(() => Boolean, { description: "Whether the user signs in through the customer's identity provider." })
  isSso!: boolean;

  @Field(() => String, { nullable: true, description: "The connection at the identity provider." })
  connection!: string | null;

  @Field(() => Uuid, { nullable: true })
  groupId!: string | null;

  @Field(() => String, { nullable: true })
  jobTitle!: string | null;

  @Field(() => PhoneNumber, { nullable: true })
  phoneNumber!: PhoneNumber | null;

  @RequiresColumns()
  @Field(() => String, { nullable: true, description: "Authenticates the user to the support widget; null except on `me`." })
  supportHash?: string | null;
}
