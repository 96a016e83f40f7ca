import { Field, ObjectType, registerEnumType } from "type-graphql";
import { connectionOf } from "../platform/connection.js";
import { DateTimeIso, JsonObject, Uuid } from "../platform/scalars.js";

/** What kind of actor wrote something. */
export enum ActorKind {
  USER = "USER",
  API_KEY = "API_KEY",
  FEED_SERVER = "FEED_SERVER",
}

registerEnumType(ActorKind, { name: "ActorKind", description: "What kind of actor wrote something." });

@ObjectType({ description: "Who did what to what, and when.", simpleResolvers: true })
export class AuditEntry {
  @Field(() => Uuid)
  id!: string;

  @Field(() => Uuid, { nullable: true, description: "The user or API key who did it; null for the feed server." })
  actorId!: string | null;

  @Field(() => ActorKind)
  actorKind!: ActorKind;

  @Field(() => String, { description: "The name of the mutation, such as updateCamera." })
  action!: string;

  @Field(() => String, { description: "The type of thing that was written, such as Camera." })
  targetType!: string;

  @Field(() => Uuid, { nullable: true })
  targetId!: string | null;

  @Field(() => Uuid, { nullable: true, description: "The facility concerned; null where there is none." })
  facilityId!: string | null;

  @Field(() => JsonObject, {
    nullable: true,
    description: "The fields that changed, each `from` and `to`; secrets are masked.",
  })
  changes!: object | null;

  @Field(() => DateTimeIso)
  createdAt!: Date;
}

export const AuditEntryConnection = connectionOf(AuditEntry, "AuditEntry", "the audit log");
