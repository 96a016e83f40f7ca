import { Ctx, Field, Mutation, ObjectType, Resolver } from "type-graphql";
import { z } from "zod";
import type { RequestContext } from "../../operation/request-context.js";
import { argumentsType, CheckedArgs } from "../../platform/input-type.js";
import { Uuid } from "../../platform/scalars.js";
import { alertIds } from "../alert.input.js";
import { deleteAlerts } from "./alert-write.service.js";

type DeleteAlertsArguments = InstanceType<typeof DeleteAlertsArguments>;
const DeleteAlertsArguments = argumentsType(
  z.object({
    ids: alertIds.describe("The IDs of the alerts, 1 to 1000; an ID that is given twice counts once."),
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
      "Deletes 1 to 1000 alerts with their pictures and comments, all or none. NOT_FOUND if one of them is not visible. Requires alerts:delete at the facility of every alert.",
  })
  async deleteAlerts(
    @Ctx() context: RequestContext,
    @CheckedArgs(DeleteAlertsArguments) { ids }: DeleteAlertsArguments,
  ): Promise<DeleteAlertsPayload> {
    return { deletedIds: await deleteAlerts(context, ids) };
  }
}
