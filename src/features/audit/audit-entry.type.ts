import { Field, ObjectType, registerEnumType } from "type-graphql";
import { ChangeVia } from "../../engine/access/change-source.js";
import { can } from "../../engine/access/permissions.js";
import { auditedTypes } from "../../engine/access/visible-tables.js";
import { FoundBy, Node } from "../../engine/nodes/node.type.js";
import { BackedBy } from "../../engine/reading/annotations.js";
import { connectionOf } from "../../engine/reading/connection.js";
import { assignedId } from "../../platform/input/descriptions.js";
import { DateTimeIso, Uuid } from "../../platform/input/scalars.js";
import { auditEntries, auditEntryById } from "./audit-entry.loader.js";

export enum ActorKind {
  USER = "USER",
  API_KEY = "API_KEY",
  FEED_SERVER = "FEED_SERVER",
}

registerEnumType(ChangeVia, {
  name: "ChangeVia",
  description: "The way by which a change came.",
  valuesConfig: {
    GRAPHQL: { description: "The GraphQL API. The console uses it, too." },
    REST: { description: "The REST API, or another path over HTTP." },
    MCP: { description: "An assistant, by the Model Context Protocol." },
    CONNECTOR: { description: "A program that calls itself a connector, by its client name." },
    GATEWAY: { description: "The gateway itself, such as an invitation that a first sign-in accepts." },
  },
});

registerEnumType(ActorKind, {
  name: "ActorKind",
  description: "The kind of actor that made a change.",
  valuesConfig: {
    USER: { description: "A person, with a token from the identity provider." },
    API_KEY: { description: "A device or a program, with an API key." },
    FEED_SERVER: { description: "The feed server, which reports on streams and has no account." },
  },
});

@BackedBy(() => auditEntries)
@FoundBy(async (context, selection, id) =>
  can(context.caller, "users:read") ? auditEntryById(context, selection).load(id) : null,
)
@ObjectType({
  implements: Node,
  description: "A change, with its actor, target and time.",
  simpleResolvers: true,
})
export class AuditEntry {
  @Field(() => Uuid, { description: assignedId })
  id!: string;

  @Field(() => Uuid, {
    nullable: true,
    description:
      "The ID of the user or API key that made the change, which may have been removed since; null for the feed server.",
  })
  actorId!: string | null;

  @Field(() => ActorKind, { description: "Whether a user, an API key or the feed server made the change." })
  actorKind!: ActorKind;

  @Field(() => String, {
    description:
      "The name of the mutation that made the change, such as updateCamera. Changes through the REST API have the same names.",
  })
  action!: string;

  @Field(() => String, {
    description: `The type of the changed object: ${new Intl.ListFormat("en", { type: "disjunction" }).format([...auditedTypes].sort())}.`,
  })
  targetType!: string;

  @Field(() => Uuid, {
    nullable: true,
    description:
      "The ID of the changed object, which may have been deleted since; for a FacilityAccess, the ID of its user. Null if several alerts were recorded at once.",
  })
  targetId!: string | null;

  @Field(() => Uuid, {
    nullable: true,
    description:
      "The ID of the facility of the changed object; null if the object belongs to none or to several.",
  })
  facilityId!: string | null;

  @Field(() => ChangeVia, {
    nullable: true,
    description: "The way by which the change came; null for changes made before version 0.3.0.",
  })
  via!: ChangeVia | null;

  @Field(() => String, {
    nullable: true,
    description:
      "What the client called itself by the header apollographql-client-name, or else User-Agent, or by MCP's `clientInfo`, cut at 100 characters; null if it did not. Anybody may claim any name.",
  })
  client!: string | null;

  @Field(() => DateTimeIso, { description: "When the change was made." })
  createdAt!: Date;
}

export const AuditEntryConnection = connectionOf(AuditEntry, "AuditEntry", "the audit log");
