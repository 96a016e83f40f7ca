import type { GraphQLResolveInfo } from "graphql";
import { Arg, Ctx, Field, Info, Mutation, ObjectType, Resolver } from "type-graphql";
import { z } from "zod";
import type { RequestContext } from "../access/request-context.js";
import { ArgumentRules } from "../platform/argument-rules.js";
import { Uuid } from "../platform/scalars.js";
import { selectionOf } from "../platform/selection.js";
import { type AlertRow, alertKeys } from "./alert.loader.js";
import { Alert } from "./alert.type.js";
import { deleteAlerts, markAlert } from "./alert-write.service.js";

const idList = z.object({ ids: z.array(z.string()).min(1, "must not be empty").max(1000, "must list at most 1000") });

@ObjectType({ description: "What was deleted.", simpleResolvers: true })
class DeleteAlertsPayload {
  @Field(() => [Uuid])
  deletedIds!: string[];
}

@Resolver()
export class AlertMutations {
  @ArgumentRules(idList)
  @Mutation(() => DeleteAlertsPayload, {
    description:
      "Deletes 1 to 1000 alerts with their pictures, all or none: NOT_FOUND if one is not visible. Needs alerts:delete at every alert's facility.",
  })
  async deleteAlerts(@Ctx() context: RequestContext, @Arg("ids", () => [Uuid]) ids: string[]): Promise<DeleteAlertsPayload> {
    return { deletedIds: await deleteAlerts(context, ids) };
  }

  @Mutation(() => Alert, { description: "Bookmarks an alert or takes the bookmark away; who did it and when is kept. Needs alerts:write." })
  setAlertBookmark(
    @Ctx() context: RequestContext,
    @Info() info: GraphQLResolveInfo,
    @Arg("id", () => Uuid) id: string,
    @Arg("bookmark", () => Boolean) bookmark: boolean,
  ): Promise<AlertRow> {
    return markAlert(context, ["setAlertBookmark", id], { bookmark }, selectionOf(info, alertKeys));
  }

  @Mutation(() => Alert, { description: "Marks an alert as no event at all, or takes that back; who did it and when is kept. Needs alerts:write." })
  setAlertFalsePositive(
    @Ctx() context: RequestContext,
    @Info() info: GraphQLResolveInfo,
    @Arg("id", () => Uuid) id: string,
    @Arg("falsePositive", () => Boolean) falsePositive: boolean,
  ): Promise<AlertRow> {
    return markAlert(context, ["setAlertFalsePositive", id], { falsePositive }, selectionOf(info, alertKeys));
  }
}
