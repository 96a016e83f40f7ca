import { Field, ObjectType, registerEnumType } from "type-graphql";
import { DateTimeIso, JsonObject, Uuid } from "../platform/scalars.js";
import { BackedBy } from "../reading/annotations.js";
import { connectionOf } from "../reading/connection.js";
import { auditEntries } from "./audit-entry.loader.js";

/** The kind of actor that made a change. */
export enum ActorKind {
  USER = "USER",
  API_KEY = "API_KEY",
  FEED_SERVER = "FEED_SERVER",
}

registerEnumType(ActorKind, { name: "ActorKind", description: "The kind of actor that made a change." });

@BackedBy(() => auditEntries)
@ObjectType({ description: "A change: who made it, to what, and when.", simpleResolvers: true })
export class AuditEntry {
  @Field(() => Uuid)
  id!: string;

  @Field(() => Uuid, { nullable: true, description: "The user or API key that made the change; null for the feed server." })
  actorId!: string | null;

  @Field(() => ActorKind)
  actorKind!: ActorKind;

  @Field(() => String, { description: "The name of the mutation, such as updateCamera." })
  action!: string;

  @Field(() => String, { description: "The type of the changed object, such as Camera." })
  targetType!: string;

  @Field(() => Uuid, { nullable: true })
  targetId!: string | null;

  @Field(() => Uuid, { nullable: true, description: "The facility of the changed object; null if it has none." })
  facilityId!: string | null;

  @Field(() => JsonObject, {
    nullable: true,
    description: "The fields that changed, each with its values `from` and `to`. Secrets are masked.",
  })
  changes!: object | null;

  @Field(() => DateTimeIso)
  createdAt!: Date;
}

export const AuditEntryConnection = connectionOf(AuditEntry, "AuditEntry", "the audit log");
