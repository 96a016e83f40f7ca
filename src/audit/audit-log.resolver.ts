import type { GraphQLResolveInfo } from "graphql";
import { Args, ArgsType, Ctx, Field, Info, Query, Resolver } from "type-graphql";
import { z } from "zod";
import { assertCan } from "../access/permissions.js";
import { ArgumentRules } from "../platform/argument-rules.js";
import { DateTimeIso, Uuid } from "../platform/scalars.js";
import { type Connection, PageArguments, pageArguments } from "../reading/connection.js";
import { selectionOf } from "../reading/selection.js";
import type { RequestContext } from "../request/request-context.js";
import { type AuditEntryRow, auditLog } from "./audit-entry.loader.js";
import { AuditEntryConnection } from "./audit-entry.type.js";

const auditLogArguments = pageArguments
  .extend({ start: z.date().nullish(), end: z.date().nullish() })
  .refine(({ start, end }) => !start || !end || start <= end, { path: ["start"], error: "must not be after end" });

@ArgsType()
class AuditLogArguments extends PageArguments {
  @Field(() => Uuid, { nullable: true, description: "Only changes made by this user or API key." })
  actorId?: string | null;

  @Field(() => Uuid, { nullable: true, description: "Only changes of the object with this ID." })
  targetId?: string | null;

  @Field(() => DateTimeIso, { nullable: true, description: "Only changes at or after this time." })
  start?: Date | null;

  @Field(() => DateTimeIso, { nullable: true, description: "Only changes before this time." })
  end?: Date | null;
}

@Resolver()
export class AuditLogResolver {
  @ArgumentRules(auditLogArguments)
  @Query(() => AuditEntryConnection, { description: "The changes made in the workspace, newest first. Requires users:read in the workspace." })
  async auditLog(
    @Ctx() context: RequestContext,
    @Info() info: GraphQLResolveInfo,
    @Args(() => AuditLogArguments) list: AuditLogArguments,
  ): Promise<Connection<AuditEntryRow>> {
    assertCan(context.caller, "users:read");
    return auditLog(context, context.caller.workspaceId, selectionOf(info), list);
  }
}
