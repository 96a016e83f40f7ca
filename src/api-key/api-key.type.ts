import { Field, ObjectType } from "type-graphql";
import { DateTimeIso, Uuid } from "../platform/scalars.js";

@ObjectType({ description: "A key by which a device or a program acts in the workspace. Its secret is never read back.", simpleResolvers: true })
export class ApiKey {
  @Field(() => Uuid)
  id!: string;

  @Field(() => String)
  name!: string;

  @Field(() => [String], { description: "What the key allows, such as alerts:read." })
  permissions!: string[];

  @Field(() => DateTimeIso, { nullable: true, description: "From when on it is refused; null for never." })
  expiresAt!: Date | null;

  @Field(() => DateTimeIso, { nullable: true, description: "When it was last used, to the minute; null before the first time." })
  lastUsedAt!: Date | null;

  @Field(() => DateTimeIso, { nullable: true, description: "When it was revoked; null while it is good." })
  revokedAt!: Date | null;
}
