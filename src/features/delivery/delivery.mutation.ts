import { Ctx, Mutation, Resolver } from "type-graphql";
import type { RequestContext } from "../../engine/operation/request-context.js";
import { Selected } from "../../engine/reading/selection/selected-fields.js";
import type { Selection } from "../../engine/reading/selection/selection.js";
import { CheckedArgs, IdArg } from "../../platform/input/input-type.js";
import { RedeliverArguments } from "./delivery.input.js";
import type { DeliveryRow } from "./delivery.loader.js";
import { Delivery } from "./delivery.type.js";
import { redeliver, sendTestDelivery } from "./delivery-write.service.js";

@Resolver()
export class DeliveryMutations {
  @Mutation(() => [Delivery], {
    description:
      "Sends 1 to 1000 deliveries again, all or none, and returns them in the given order. SENT and PARKED deliveries become PENDING with the same ID, behind the deliveries that are PENDING already, and their `attempts` start from 0. The gateway no longer waits after failures of their targets, but tries at once. NOT_FOUND if one of the deliveries is not visible. Requires alert-rules:write at the facility of every delivery, and users:write in the workspace for mails to people.",
  })
  redeliver(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @CheckedArgs(RedeliverArguments) { ids }: RedeliverArguments,
  ): Promise<DeliveryRow[]> {
    return redeliver(context, ids, selection);
  }

  @Mutation(() => [Delivery], {
    description:
      "Sends a test to each target of a rule, regardless of the rule's status: the webhook, if it is enabled, and the email addresses and phone numbers whose channel `Workspace.deliveryChannels` lists. A webhook gets a body of the type alert.test about a made-up alert. RATE_LIMITED if the rule was tested less than a minute ago; CONFLICT if the rule has no such target. Requires alert-rules:write at its camera's facility.",
  })
  sendTestDelivery(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @IdArg("the rule", "alertRuleId") alertRuleId: string,
  ): Promise<DeliveryRow[]> {
    return sendTestDelivery(context, alertRuleId, selection);
  }
}
