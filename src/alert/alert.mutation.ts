import { Arg, Ctx, Field, Mutation, ObjectType, Resolver } from "type-graphql";
import { z } from "zod";
import { existingId } from "../platform/descriptions.js";
import { argumentsType, CheckedArgs, idField } from "../platform/input-type.js";
import { Uuid } from "../platform/scalars.js";
import { Selected, type Selection } from "../reading/selection.js";
import type { RequestContext } from "../request/request-context.js";
import type { AlertRow } from "./alert.loader.js";
import { Alert } from "./alert.type.js";
import { deleteAlerts, markAlert } from "./alert-write.service.js";

type DeleteAlertsArguments = InstanceType<typeof DeleteAlertsArguments>;
const DeleteAlertsArguments = argumentsType(
  z.object({
    ids: z
      .array(idField)
      .min(1, "must not be empty")
      .max(1000, "must list at most 1000")
      .describe("The IDs of the alerts, 1 to 1000; one that is given twice counts once."),
  }),
);

@ObjectType({ description: "The result of deleting alerts.", simpleResolvers: true })
class DeleteAlertsPayload {
  @Field(() => [Uuid], { description: "The IDs of the deleted alerts in the given order, each once." })
  deletedIds!: string[];
}

@Resolver()
export class AlertMutations {
  @Mutation(() => DeleteAlertsPayload, {
    description:
      "Deletes 1 to 1000 alerts with their pictures, all or none. NOT_FOUND if one of them is not visible. Requires alerts:delete at the facility of every alert.",
  })
  async deleteAlerts(
    @Ctx() context: RequestContext,
    @CheckedArgs(DeleteAlertsArguments) { ids }: DeleteAlertsArguments,
  ): Promise<DeleteAlertsPayload> {
    return { deletedIds: await deleteAlerts(context, ids) };
  }

  @Mutation(() => Alert, {
    description: "Adds or removes the bookmark of an alert, and records who changed it and when. Requires alerts:write at its facility.",
  })
  setAlertBookmark(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Arg("id", () => Uuid, { description: existingId("the alert") }) id: string,
    @Arg("bookmark", () => Boolean, { description: "True to add the bookmark, false to remove it." }) bookmark: boolean,
  ): Promise<AlertRow> {
    return markAlert(context, ["setAlertBookmark", id], { bookmark }, selection);
  }

  @Mutation(() => Alert, {
    description:
      "Marks an alert as a false positive or removes the mark, and records who changed it and when. Requires alerts:write at its facility.",
  })
  setAlertFalsePositive(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Arg("id", () => Uuid, { description: existingId("the alert") }) id: string,
    @Arg("falsePositive", () => Boolean, { description: "True to mark the alert as a false positive, false to remove the mark." })
    falsePositive: boolean,
  ): Promise<AlertRow> {
    return markAlert(context, ["setAlertFalsePositive", id], { falsePositive }, selection);
  }
}
