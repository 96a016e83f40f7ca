import { Field, Int, ObjectType, registerEnumType } from "type-graphql";
import { Uuid } from "../../../platform/input/scalars.js";
import { AlertRule } from "../../alert-rule/alert-rule.type.js";
import { Camera } from "../../camera/camera.type.js";
import { Facility } from "../../facility/facility.type.js";

export enum AlertDimension {
  DAY = "DAY",
  WEEK = "WEEK",
  MONTH = "MONTH",
  HOUR_OF_DAY = "HOUR_OF_DAY",
  DAY_OF_WEEK = "DAY_OF_WEEK",
  TYPE = "TYPE",
  SEVERITY = "SEVERITY",
  FACILITY = "FACILITY",
  CAMERA = "CAMERA",
  ALERT_RULE = "ALERT_RULE",
}

registerEnumType(AlertDimension, {
  name: "AlertDimension",
  description:
    "A property by which alerts are grouped. Days and hours follow the clock of each alert's facility. If the filter's `localTimes` run over midnight, the hours after midnight belong to the day before, as in the filter: DAY, WEEK, MONTH and DAY_OF_WEEK are those of the evening, while HOUR_OF_DAY remains the hour on the clock.",
  valuesConfig: {
    DAY: { description: "Calendar days, with periods such as 2026-11-20." },
    WEEK: { description: "ISO weeks from Monday to Sunday, with periods such as 2026-W47." },
    MONTH: { description: "Calendar months, with periods such as 2026-11." },
    HOUR_OF_DAY: {
      description: "Hours of the day from 0 to 23, over all days. The alerts are counted one by one.",
    },
    DAY_OF_WEEK: { description: "Days of the week from 1, Monday, to 7, Sunday." },
    TYPE: { description: "The alert type, as in `Alert.name`." },
    SEVERITY: {
      description: "The severity, as in `Alert.severity`; alerts without a severity form a group, too.",
    },
    FACILITY: { description: "The facility at which the alerts were raised." },
    CAMERA: { description: "The camera that raised the alerts." },
    ALERT_RULE: {
      description:
        "The rule that raised the alerts; alerts without a rule form a group, too. The alerts are counted one by one.",
    },
  },
});

@ObjectType({
  description: "The number of alerts in a group. Fields of other dimensions are null.",
  simpleResolvers: true,
})
export class AlertStatistic {
  @Field(() => Int, {
    description: "The number of alerts, not of the objects involved; 0 only in groups that `fillGaps` added.",
  })
  count!: number;

  @Field(() => String, {
    nullable: true,
    description:
      "The day, such as 2026-11-20, the ISO week, such as 2026-W47, or the month, such as 2026-11; null without DAY, WEEK and MONTH.",
  })
  period!: string | null;

  @Field(() => Int, {
    nullable: true,
    description: "The hour of the day from 0 to 23; null without HOUR_OF_DAY.",
  })
  hourOfDay!: number | null;

  @Field(() => Int, {
    nullable: true,
    description: "The day of the week from 1, Monday, to 7, Sunday; null without DAY_OF_WEEK.",
  })
  dayOfWeek!: number | null;

  @Field(() => String, {
    nullable: true,
    description: "The alert type, as in `Alert.name`; null without TYPE.",
  })
  type!: string | null;

  @Field(() => String, {
    nullable: true,
    description: "The severity; null without SEVERITY, and for alerts that have none.",
  })
  severity!: string | null;

  @Field(() => Uuid, {
    nullable: true,
    description:
      "The ID of the rule, which may have been deleted; null without ALERT_RULE, and for alerts without a rule.",
  })
  alertRuleId!: string | null;

  @Field(() => Facility, { nullable: true, description: "The facility; null without FACILITY." })
  facility!: Facility | null;

  @Field(() => Camera, {
    nullable: true,
    description:
      "The camera; null without CAMERA, and if the camera is now at a facility that the caller may not see.",
  })
  camera!: Camera | null;

  @Field(() => AlertRule, {
    nullable: true,
    description:
      "The rule; null without ALERT_RULE, for alerts without a rule, and if the rule has been deleted.",
  })
  alertRule!: AlertRule | null;
}
