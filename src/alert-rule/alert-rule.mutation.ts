import { Arg, Ctx, Mutation, Resolver } from "type-graphql";
import { z } from "zod";
import type { RequestContext } from "../access/request-context.js";
import { ArgumentRules } from "../platform/argument-rules.js";
import { Uuid } from "../platform/scalars.js";
import { CreateAlertRuleInput, createAlertRuleInput, UpdateAlertRuleInput, updateAlertRuleInput } from "./alert-rule.input.js";
import type { AlertRuleRow } from "./alert-rule.loader.js";
import { AlertRule } from "./alert-rule.type.js";
import { createAlertRule, deleteAlertRule, updateAlertRule } from "./alert-rule-write.service.js";

@Resolver()
export class AlertRuleMutations {
  @ArgumentRules(z.object({ input: createAlertRuleInput }))
  @Mutation(() => AlertRule, { description: "Adds a rule to a camera. Needs alert-rules:write at its facility." })
  createAlertRule(
    @Ctx() context: RequestContext,
    @Arg("cameraId", () => Uuid) cameraId: string,
    @Arg("input", () => CreateAlertRuleInput) input: CreateAlertRuleInput,
  ): Promise<AlertRuleRow> {
    return createAlertRule(context, cameraId, input);
  }

  @ArgumentRules(z.object({ input: updateAlertRuleInput }))
  @Mutation(() => AlertRule, { description: "Changes a rule. Needs alert-rules:write at its camera's facility." })
  updateAlertRule(
    @Ctx() context: RequestContext,
    @Arg("id", () => Uuid) id: string,
    @Arg("input", () => UpdateAlertRuleInput) input: UpdateAlertRuleInput,
  ): Promise<AlertRuleRow> {
    return updateAlertRule(context, id, input);
  }

  @Mutation(() => AlertRule, {
    description: "Deletes a rule and answers it as it was; its alerts stay and keep its id. Needs alert-rules:write at its camera's facility.",
  })
  deleteAlertRule(@Ctx() context: RequestContext, @Arg("id", () => Uuid) id: string): Promise<AlertRuleRow> {
    return deleteAlertRule(context, id);
  }
}
