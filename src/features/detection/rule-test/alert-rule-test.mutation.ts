import { Ctx, Mutation, Resolver } from "type-graphql";
import type { RequestContext } from "../../../engine/operation/request-context.js";
import { OneForEach } from "../../../engine/reading/annotations.js";
import { CheckedArgs } from "../../../platform/input/input-type.js";
import { TestAlertRuleArguments } from "./alert-rule-test.input.js";
import { testAlertRule } from "./alert-rule-test.service.js";
import { AlertRuleTest } from "./alert-rule-test.type.js";

@Resolver()
export class AlertRuleTestMutations {
  @OneForEach("frames")
  @Mutation(() => AlertRuleTest, {
    description:
      "Says which alerts a rule would raise on frames of a camera, if the gateway evaluated it and knew nothing of the camera from before. Writes nothing: a mutation only since its arguments may be long. Requires alert-rules:write at the camera's facility.",
  })
  testAlertRule(
    @Ctx() context: RequestContext,
    @CheckedArgs(TestAlertRuleArguments) testArguments: TestAlertRuleArguments,
  ): Promise<AlertRuleTest> {
    return testAlertRule(context, testArguments);
  }
}
