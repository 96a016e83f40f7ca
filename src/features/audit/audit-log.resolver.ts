import { Ctx, Query, Resolver } from "type-graphql";
import { z } from "zod";
import { assertCan } from "../../engine/access/permissions.js";
import type { RequestContext } from "../../engine/operation/request-context.js";
import { ReturnsLoaded } from "../../engine/reading/annotations.js";
import { PageArguments } from "../../engine/reading/connection.js";
import { Selected } from "../../engine/reading/selection/selected-fields.js";
import type { Selection } from "../../engine/reading/selection/selection.js";
import { argumentsType, CheckedArgs, idField } from "../../platform/input/input-type.js";
import { auditLog } from "./audit-entry.loader.js";
import { AuditEntryConnection } from "./audit-entry.type.js";

type AuditLogArguments = InstanceType<typeof AuditLogArguments>;
const AuditLogArguments = argumentsType(
  PageArguments.rules
    .extend({
      actorId: idField.nullish().describe("Only changes made by the user or API key with this ID."),
      targetId: idField.nullish().describe("Only changes of the object with this ID."),
      start: z.date().nullish().describe("Only changes at or after this time."),
      end: z.date().nullish().describe("Only changes before this time, which must not be before `start`."),
    })
    .refine(({ start, end }) => !start || !end || start <= end, {
      path: ["start"],
      error: "must not be after end",
    }),
);

@Resolver()
export class AuditLogResolver {
  @ReturnsLoaded(auditLog.pages)
  @Query(() => AuditEntryConnection, {
    description: "The changes made in the workspace, newest first. Requires users:read in the workspace.",
  })
  async auditLog(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @CheckedArgs(AuditLogArguments) list: AuditLogArguments,
  ) {
    assertCan(context.caller, "users:read");
    return auditLog(context, context.caller.workspaceId, selection, list);
  }
}
