import { Ctx, Query, Resolver } from "type-graphql";
import { z } from "zod";
import { assertCan } from "../../engine/access/permissions.js";
import type { RequestContext } from "../../engine/operation/request-context.js";
import { Costs, ReturnsLoaded } from "../../engine/reading/annotations.js";
import { PageArguments } from "../../engine/reading/connection.js";
import { Selected } from "../../engine/reading/selection/selected-fields.js";
import type { Selection } from "../../engine/reading/selection/selection.js";
import { argumentsType, CheckedArgs, idField } from "../../platform/input/input-type.js";
import { optionalList } from "../../platform/input/list-rule.js";
import { text } from "../../platform/input/text-rules.js";
import { auditLog } from "./audit-entry.loader.js";
import { ActorKind, AuditEntryConnection } from "./audit-entry.type.js";

type AuditLogArguments = InstanceType<typeof AuditLogArguments>;
const AuditLogArguments = argumentsType(
  PageArguments.rules
    .extend({
      actorId: idField.nullish().describe("Only changes made by the user or API key with this ID."),
      actorKinds: optionalList(z.enum(ActorKind), 3).describe("Only changes by actors of these kinds."),
      actions: optionalList(text(100), 100).describe(
        "Only changes by these mutations, such as deleteAlertRule.",
      ),
      targetId: idField.nullish().describe("Only changes of the object with this ID."),
      targetTypes: optionalList(text(100), 100).describe(
        "Only changes of objects of these types, such as AlertRule.",
      ),
      text: text(100)
        .nullish()
        .describe(
          "Only changes of objects whose name contains this text now, or did so once, in any case. Costs 5000.",
        ),
      start: z.date().nullish().describe("Only changes at or after this time."),
      end: z.date().nullish().describe("Only changes before this time, which must not be before `start`."),
    })
    .refine(({ start, end }) => !start || !end || start <= end, {
      path: ["start"],
      error: "must not be after end",
    }),
);

/** The cost of a search by name, which reads the names of all entries. */
const costOfSearch = 5_000;

@Resolver()
export class AuditLogResolver {
  @Costs(({ text: sought }: AuditLogArguments) => (sought ? costOfSearch : undefined))
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
