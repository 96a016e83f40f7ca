import { Arg, Ctx, Mutation, Resolver } from "type-graphql";
import type { RequestContext } from "../../engine/operation/request-context.js";
import { IdArg } from "../../platform/input/input-type.js";
import { DateTimeIso } from "../../platform/input/scalars.js";
import type { CameraRow } from "../camera/camera.loader.js";
import { Camera } from "../camera/camera.type.js";
import type { AlertRuleRow } from "./alert-rule.loader.js";
import { AlertRule } from "./alert-rule.type.js";
import { maxSnoozeDays, snoozeAlertRule, snoozeCamera } from "./snooze.service.js";

const untilDescription = `When it ends by itself: in the future, at most ${maxSnoozeDays} days ahead. Null ends it now.`;

@Resolver()
export class SnoozeMutations {
  @Mutation(() => Camera, {
    description:
      "Snoozes a camera from now on: alerts that `recordAlerts` is given and that happen until the given time, by their `createdAt`, are recorded, but nobody is notified of them, not even later. Rules that the gateway evaluates raise no alerts for frames of that time. What happened before or happens after is told as if there were no snooze, whenever it arrives. Outages are still told, and digests count the alerts. Snoozing leaves `updatedAt` as it is. Requires alert-rules:write at its facility.",
  })
  snoozeCamera(
    @Ctx() context: RequestContext,
    @IdArg("the camera") id: string,
    @Arg("until", () => DateTimeIso, { nullable: true, description: untilDescription }) until: Date | null,
  ): Promise<CameraRow> {
    return snoozeCamera(context, id, until ?? null);
  }

  @Mutation(() => AlertRule, {
    description:
      "Snoozes a rule, as `snoozeCamera` does a camera: if the rule is `evaluated`, it raises no alerts; otherwise its alerts are recorded, but nobody is notified of them, nor are the camera's `emailAddresses`. Requires alert-rules:write at its camera's facility.",
  })
  snoozeAlertRule(
    @Ctx() context: RequestContext,
    @IdArg("the rule") id: string,
    @Arg("until", () => DateTimeIso, { nullable: true, description: untilDescription }) until: Date | null,
  ): Promise<AlertRuleRow> {
    return snoozeAlertRule(context, id, until ?? null);
  }
}
