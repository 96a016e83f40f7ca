import { Field, ObjectType } from "type-graphql";
import { can, permissionNames } from "../../engine/access/permissions.js";
import { FoundBy, Node } from "../../engine/nodes/node.type.js";
import { BackedBy } from "../../engine/reading/annotations.js";
import { chosenName } from "../../platform/input/descriptions.js";
import { DateTimeIso, Uuid } from "../../platform/input/scalars.js";
import { apiKeyById, apiKeys } from "./api-key.loader.js";

@BackedBy(() => apiKeys)
@FoundBy(async (context, selection, id) =>
  can(context.caller, "api-keys:write") ? apiKeyById(context, selection).load(id) : null,
)
@ObjectType({
  implements: Node,
  description:
    "A key with which a device or a program uses the API in the workspace. Its secret cannot be read.",
  simpleResolvers: true,
})
export class ApiKey {
  @Field(() => Uuid, {
    description: "Assigned by the gateway; it never changes. Not a secret, though it is part of the key.",
  })
  id!: string;

  @Field(() => String, { description: chosenName })
  name!: string;

  @Field(() => [String], { description: `The permissions of the key: ${permissionNames}.` })
  permissions!: string[];

  @Field(() => DateTimeIso, { nullable: true, description: "When the key expires; null for never." })
  expiresAt!: Date | null;

  @Field(() => DateTimeIso, {
    nullable: true,
    description: "When the key was last used, to the minute; null if never.",
  })
  lastUsedAt!: Date | null;

  @Field(() => DateTimeIso, { nullable: true, description: "When the key was revoked; null if it was not." })
  revokedAt!: Date | null;
}
