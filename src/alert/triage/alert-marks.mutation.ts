import { Arg, Ctx, Field, FieldResolver, Mutation, ObjectType, Resolver, Root } from "type-graphql";
import type { RequestContext } from "../../operation/request-context.js";
import { orNotFound } from "../../platform/errors.js";
import { CheckedArgs, IdArg } from "../../platform/input-type.js";
import { Uuid } from "../../platform/scalars.js";
import { AsLongAsArgument, Costs, OneForEach, RequiresColumns } from "../../reading/annotations.js";
import { Selected } from "../../reading/selected-fields.js";
import type { Selection } from "../../reading/selection.js";
import { type AlertRow, alertById, loadAlerts } from "../alert.loader.js";
import { Alert } from "../alert.type.js";
import { costOfAlerts } from "../statistics/alert-statistics.js";
import { MarkAlertsArguments, MarkMatchingAlertsArguments } from "./alert-marks.input.js";
import { markAlerts } from "./alert-marks.service.js";
import { type ChangedMarks, markMatchingAlerts, maxMatches, undoMarks } from "./matching-marks.service.js";

@ObjectType({ description: "The result of marking alerts.", simpleResolvers: true })
class MarkAlertsPayload {}

@ObjectType({
  description: "The result of marking all matching alerts, or of undoing that.",
  simpleResolvers: true,
})
class MarkMatchingAlertsPayload {
  @Field(() => [Uuid], { description: "The IDs of the alerts that changed." })
  alertIds!: string[];

  @Field(() => Uuid, {
    nullable: true,
    description:
      "Pass this to `undoMarks` within an hour to undo the change; null if there is nothing to undo.",
  })
  changeId!: string | null;
}

/** The ids of the marked alerts. */
interface MarkedAlerts {
  alertIds: string[];
}

@Resolver(() => MarkAlertsPayload)
export class MarkAlertsPayloadResolver {
  @AsLongAsArgument()
  @RequiresColumns()
  @FieldResolver(() => [Alert], {
    description:
      "The given alerts in the given order, each once, without alerts that have been deleted since.",
  })
  alerts(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Root() { alertIds }: MarkedAlerts,
  ): Promise<AlertRow[]> {
    return loadAlerts(context, selection, alertIds);
  }
}

@Resolver()
export class AlertMarkMutations {
  @OneForEach("ids")
  @Mutation(() => MarkAlertsPayload, {
    description:
      "Sets or removes marks on 1 to 1000 alerts, all or none, and records who changed them and when. An alert that already has a given mark keeps the record of who set the mark first. NOT_FOUND if one of the alerts is not visible. Requires alerts:write at the facility of every alert.",
  })
  async markAlerts(
    @Ctx() context: RequestContext,
    @CheckedArgs(MarkAlertsArguments) { ids, marks }: MarkAlertsArguments,
  ): Promise<MarkedAlerts> {
    return { alertIds: await markAlerts(context, "markAlerts", ids, marks) };
  }

  @Costs(costOfAlerts)
  @Mutation(() => MarkMatchingAlertsPayload, {
    description: `Sets or removes marks on all alerts that match a filter and are visible to the caller, all or none, like \`markAlerts\`. BAD_REQUEST with their number if more than ${maxMatches} match: give a later \`start\` then. \`undoMarks\` takes it back within an hour. The audit log gets one entry. Costs ${costOfAlerts}. Requires alerts:write at every facility that has a match: FORBIDDEN names the others.`,
  })
  markMatchingAlerts(
    @Ctx() context: RequestContext,
    @CheckedArgs(MarkMatchingAlertsArguments) { filter, marks }: MarkMatchingAlertsArguments,
  ): Promise<ChangedMarks> {
    return markMatchingAlerts(context, filter, marks);
  }

  @Costs(costOfAlerts)
  @Mutation(() => MarkMatchingAlertsPayload, {
    description: `Undoes a \`markMatchingAlerts\` of the caller within an hour: each mark that nobody has changed since goes back to what it was, including who set it and when. NOT_FOUND if there is none, also if it was undone before. Costs ${costOfAlerts}. Requires alerts:write at the facility of every alert of the change: FORBIDDEN names the others.`,
  })
  undoMarks(
    @Ctx() context: RequestContext,
    @Arg("changeId", () => Uuid, { description: "The `changeId` of `markMatchingAlerts`." }) changeId: string,
  ): Promise<ChangedMarks> {
    return undoMarks(context, changeId);
  }

  @Mutation(() => Alert, {
    description:
      "Adds or removes the bookmark of an alert, and records who changed it and when. Requires alerts:write at its facility.",
  })
  async setAlertBookmark(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @IdArg("the alert") id: string,
    @Arg("bookmark", () => Boolean, { description: "True to add the bookmark, false to remove it." })
    bookmark: boolean,
  ): Promise<AlertRow> {
    await markAlerts(context, "setAlertBookmark", [id], { bookmark });
    return orNotFound(await alertById(context, selection).load(id));
  }

  @Mutation(() => Alert, {
    description:
      "Marks an alert as a false positive or removes the mark, and records who changed it and when. Requires alerts:write at its facility.",
  })
  async setAlertFalsePositive(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @IdArg("the alert") id: string,
    @Arg("falsePositive", () => Boolean, {
      description: "True to mark the alert as a false positive, false to remove the mark.",
    })
    falsePositive: boolean,
  ): Promise<AlertRow> {
    await markAlerts(context, "setAlertFalsePositive", [id], { falsePositive });
    return orNotFound(await alertById(context, selection).load(id));
  }
}
