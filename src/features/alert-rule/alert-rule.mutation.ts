import { Ctx, Mutation, Resolver } from "type-graphql";
import type { RequestContext } from "../../engine/operation/request-context.js";
import { IdArg, InputArg } from "../../platform/input/input-type.js";
import { restorableForDays } from "../camera/restoring.js";
import { CreateAlertRuleInput, UpdateAlertRuleInput } from "./alert-rule.input.js";
import type { AlertRuleRow } from "./alert-rule.loader.js";
import { AlertRule } from "./alert-rule.type.js";
import {
  createAlertRule,
  deleteAlertRule,
  restoreAlertRule,
  updateAlertRule,
} from "./alert-rule-write.service.js";

@Resolver()
export class AlertRuleMutations {
  @Mutation(() => AlertRule, {
    description:
      "Adds a rule to a camera. A camera has at most 100 rules, 30 of which are `evaluated`: CONFLICT. Requires alert-rules:write at its facility.",
  })
  createAlertRule(
    @Ctx() context: RequestContext,
    @IdArg("the camera", "cameraId") cameraId: string,
    @InputArg(CreateAlertRuleInput, "The new rule.") input: CreateAlertRuleInput,
  ): Promise<AlertRuleRow> {
    return createAlertRule(context, cameraId, input);
  }

  @Mutation(() => AlertRule, {
    description:
      "Updates a rule. A camera has at most 30 rules that are `evaluated`: CONFLICT. Requires alert-rules:write at its camera's facility.",
  })
  updateAlertRule(
    @Ctx() context: RequestContext,
    @IdArg("the rule") id: string,
    @InputArg(UpdateAlertRuleInput, "The fields to change.")
    input: UpdateAlertRuleInput,
  ): Promise<AlertRuleRow> {
    return updateAlertRule(context, id, input);
  }

  @Mutation(() => AlertRule, {
    description:
      "Deletes a rule, and returns the rule as it was. The rule's alerts keep its ID. `restoreAlertRule` brings it back. Requires alert-rules:write at its camera's facility.",
  })
  deleteAlertRule(@Ctx() context: RequestContext, @IdArg("the rule") id: string): Promise<AlertRuleRow> {
    return deleteAlertRule(context, id);
  }

  @Mutation(() => AlertRule, {
    description: `Restores a rule that was deleted in the last ${restorableForDays} days, with its areas, snooze and targets, as it was. CONFLICT if its camera has as many rules as it may have. Requires alert-rules:write at its camera's facility.`,
  })
  restoreAlertRule(@Ctx() context: RequestContext, @IdArg("the rule") id: string): Promise<AlertRuleRow> {
    return restoreAlertRule(context, id);
  }
}
