import { Arg, Ctx, Field, FieldResolver, Mutation, ObjectType, Resolver, Root } from "type-graphql";
import type { RequestContext } from "../../../engine/operation/request-context.js";
import { AsLongAsArgument, Costs, OneForEach, RequiresColumns } from "../../../engine/reading/annotations.js";
import { Selected } from "../../../engine/reading/selection/selected-fields.js";
import type { Selection } from "../../../engine/reading/selection/selection.js";
import { orNotFound } from "../../../platform/errors/errors.js";
import { CheckedArgs, IdArg } from "../../../platform/input/input-type.js";
import { Uuid } from "../../../platform/input/scalars.js";
import { type AlertRow, alertById, loadAlerts } from "../alert.loader.js";
import { Alert } from "../alert.type.js";
import { costOfAlerts } from "../statistics/alert-statistics.js";
import type { AlertCommentRow } from "./alert-comment.loader.js";
import { AlertComment } from "./alert-comment.type.js";
import {
  commentAlert,
  deleteAlertComment,
  editAlertComment,
  maxComments,
} from "./alert-comment-write.service.js";
import {
  CommentAlertArguments,
  DeleteAlertsArguments,
  EditAlertCommentArguments,
  MarkAlertsArguments,
  MarkMatchingAlertsArguments,
} from "./alert-triage.input.js";
import { deleteAlerts, markAlerts } from "./alert-write.service.js";
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

@ObjectType({ description: "The result of deleting alerts.", simpleResolvers: true })
class DeleteAlertsPayload {
  @Field(() => [Uuid], { description: "The IDs of the deleted alerts in the given order, each once." })
  deletedIds!: string[];
}

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
export class AlertTriageMutations {
  @OneForEach("ids")
  @Mutation(() => MarkAlertsPayload, {
    description:
      "Sets or removes marks on 1 to 1000 alerts, all or none, and records who changed them and when. An alert that already has a given mark keeps the record of who set the mark first. NOT_FOUND if one of the alerts is not visible. Requires alerts:write at the facility of every alert.",
  })
  async markAlerts(
    @Ctx() context: RequestContext,
    @CheckedArgs(MarkAlertsArguments) { ids, marks }: MarkAlertsArguments,
  ): Promise<MarkedAlerts> {
    return { alertIds: await markAlerts(context, ids, marks) };
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
    await markAlerts(context, [id], { bookmark });
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
    await markAlerts(context, [id], { falsePositive });
    return orNotFound(await alertById(context, selection).load(id));
  }

  @Mutation(() => DeleteAlertsPayload, {
    description:
      "Deletes 1 to 1000 alerts with their pictures and comments, all or none. NOT_FOUND if one of them is not visible. Requires alerts:delete at the facility of every alert.",
  })
  async deleteAlerts(
    @Ctx() context: RequestContext,
    @CheckedArgs(DeleteAlertsArguments) { ids }: DeleteAlertsArguments,
  ): Promise<DeleteAlertsPayload> {
    return { deletedIds: await deleteAlerts(context, ids) };
  }

  @Mutation(() => AlertComment, {
    description: `Writes a comment on an alert in the calling user's name. FORBIDDEN if the caller is an API key; CONFLICT if the alert has ${maxComments} comments. Requires alerts:write at its facility.`,
  })
  commentAlert(
    @Ctx() context: RequestContext,
    @CheckedArgs(CommentAlertArguments) { id, text }: CommentAlertArguments,
  ): Promise<AlertCommentRow> {
    return commentAlert(context, id, text);
  }

  @Mutation(() => AlertComment, {
    description:
      "Changes the text of a comment that the calling user wrote, and records when. FORBIDDEN if somebody else wrote it, or if the caller is an API key. Requires alerts:write at the facility of its alert.",
  })
  editAlertComment(
    @Ctx() context: RequestContext,
    @CheckedArgs(EditAlertCommentArguments) { id, text }: EditAlertCommentArguments,
  ): Promise<AlertCommentRow> {
    return editAlertComment(context, id, text);
  }

  @Mutation(() => AlertComment, {
    description:
      "Deletes a comment, and returns it. FORBIDDEN if the caller is an API key. Requires alerts:write at the facility of its alert and, unless the calling user wrote it, alerts:delete.",
  })
  deleteAlertComment(
    @Ctx() context: RequestContext,
    @IdArg("the comment") id: string,
  ): Promise<AlertCommentRow> {
    return deleteAlertComment(context, id);
  }
}
