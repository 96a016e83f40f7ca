import { Ctx, Mutation, Resolver } from "type-graphql";
import type { RequestContext } from "../../engine/operation/request-context.js";
import { CheckedArgs } from "../../platform/input/input-type.js";
import type { CameraRow } from "../camera/camera.loader.js";
import { Camera } from "../camera/camera.type.js";
import type { FacilityRow } from "../facility/facility.loader.js";
import { Facility } from "../facility/facility.type.js";
import type { AlertRuleRow } from "./alert-rule.loader.js";
import { AlertRule } from "./alert-rule.type.js";
import {
  SnoozeAlertRuleArguments,
  type SnoozeArguments,
  SnoozeCameraArguments,
  SnoozeFacilityArguments,
} from "./snooze.input.js";
import { snoozeAlertRule, snoozeCamera, snoozeFacility } from "./snooze.service.js";

@Resolver()
export class SnoozeMutations {
  @Mutation(() => Camera, {
    description:
      "Snoozes a camera: alerts that `recordAlerts` is given and that happen from its beginning until its end, by their `createdAt`, are recorded, but nobody is notified of them, not even later. Rules that the gateway evaluates raise no alerts for frames of that time. What happened before or happens after is told as if there were no snooze, whenever it arrives. It replaces the snooze before. Outages are still told, and digests count the alerts. Snoozing leaves `updatedAt` as it is. Requires alert-rules:write at its facility.",
  })
  snoozeCamera(
    @Ctx() context: RequestContext,
    @CheckedArgs(SnoozeCameraArguments) given: SnoozeArguments,
  ): Promise<CameraRow> {
    return snoozeCamera(context, given);
  }

  @Mutation(() => AlertRule, {
    description:
      "Snoozes a rule, as `snoozeCamera` does a camera: if the rule is `evaluated`, it raises no alerts; otherwise its alerts are recorded, but nobody is notified of them, nor are the camera's `emailAddresses`. Requires alert-rules:write at its camera's facility.",
  })
  snoozeAlertRule(
    @Ctx() context: RequestContext,
    @CheckedArgs(SnoozeAlertRuleArguments) given: SnoozeArguments,
  ): Promise<AlertRuleRow> {
    return snoozeAlertRule(context, given);
  }

  @Mutation(() => Facility, {
    description:
      "Snoozes a facility, as `snoozeCamera` does a camera, with all of its cameras: rules that the gateway evaluates raise no alerts for frames of that time, and nobody is notified of the others. Requires alert-rules:write at the facility.",
  })
  snoozeFacility(
    @Ctx() context: RequestContext,
    @CheckedArgs(SnoozeFacilityArguments) given: SnoozeArguments,
  ): Promise<FacilityRow> {
    return snoozeFacility(context, given);
  }
}
