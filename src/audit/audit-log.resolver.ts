import type { GraphQLResolveInfo } from "graphql";
import { Args, ArgsType, Ctx, Field, Info, Query, Resolver } from "type-graphql";
import { z } from "zod";
import { defineNewestList } from "../access/newest-list.js";
import { assertCan } from "../access/permissions.js";
import { momentsOf } from "../access/records.js";
import type { RequestContext } from "../access/request-context.js";
import { type AuditEntry as AuditEntryRecord, Prisma } from "../generated/prisma/client.js";
import { ArgumentRules } from "../platform/argument-rules.js";
import { type Connection, PageArguments, pageArguments } from "../platform/connection.js";
import { DateTimeIso, Uuid } from "../platform/scalars.js";
import { type Selected, selectionOf } from "../platform/selection.js";
import { AuditEntryConnection } from "./audit-entry.type.js";

const auditEntryKeys = ["id", "createdAt"] as const;

type AuditEntryRow = Selected<AuditEntryRecord, (typeof auditEntryKeys)[number]>;

const auditLogArguments = pageArguments
  .extend({ start: z.date().nullish(), end: z.date().nullish() })
  .refine(({ start, end }) => !start || !end || start <= end, { path: ["start"], error: "must not be after end" });

@ArgsType()
class AuditLogArguments extends PageArguments {
  @Field(() => Uuid, { nullable: true, description: "Only what this user or API key did." })
  actorId?: string | null;

  @Field(() => Uuid, { nullable: true, description: "Only what was done to this." })
  targetId?: string | null;

  @Field(() => DateTimeIso, { nullable: true, description: "The earliest moment." })
  start?: Date | null;

  @Field(() => DateTimeIso, { nullable: true, description: "The moment before which the entries lie." })
  end?: Date | null;
}

type AuditLogFilter = Pick<AuditLogArguments, "actorId" | "targetId" | "start" | "end">;

const auditLog = defineNewestList<AuditEntryRow, AuditLogFilter>({
  kind: { source: "auditEntries", keys: auditEntryKeys, moments: momentsOf<AuditEntryRecord>({ createdAt: true }) },
  parentColumn: "workspaceId",
  filterOf: ({ actorId, targetId, start, end }) => ({ actorId, targetId, start, end }) as AuditLogFilter,
  conditions: ({ actorId, targetId, start, end }) => [
    ...(actorId ? [Prisma.sql`item."actorId" = ${actorId}::uuid`] : []),
    ...(targetId ? [Prisma.sql`item."targetId" = ${targetId}::uuid`] : []),
    ...(start ? [Prisma.sql`item."createdAt" >= ${start}::timestamptz`] : []),
    ...(end ? [Prisma.sql`item."createdAt" < ${end}::timestamptz`] : []),
  ],
});

@Resolver()
export class AuditLogResolver {
  @ArgumentRules(auditLogArguments)
  @Query(() => AuditEntryConnection, { description: "What was written in the workspace, newest first. Needs users:read in the workspace." })
  async auditLog(
    @Ctx() context: RequestContext,
    @Info() info: GraphQLResolveInfo,
    @Args(() => AuditLogArguments) list: AuditLogArguments,
  ): Promise<Connection<AuditEntryRow>> {
    assertCan(context.caller, "users:read");
    return auditLog(context, context.caller.workspaceId, selectionOf(info, auditEntryKeys), list);
  }
}
