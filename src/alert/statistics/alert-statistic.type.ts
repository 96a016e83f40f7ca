import { Field, Int, ObjectType, registerEnumType } from "type-graphql";
import { AlertRule } from "../../alert-rule/alert-rule.type.js";
import { Camera } from "../../camera/camera.type.js";
import { Facility } from "../../facility/facility.type.js";
import { Uuid } from "../../platform/scalars.js";

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
    "What alerts are grouped by. Days and hours are those of the facility of each alert, by its own clock. Where the `localTimes` of the filter run over midnight, the hours after midnight are grouped with the day before, as the filter selects them: DAY, WEEK, MONTH and DAY_OF_WEEK are those of the evening, HOUR_OF_DAY stays the hour of the clock.",
  valuesConfig: {
    DAY: { description: "Calendar days, with periods such as 2026-11-20." },
    WEEK: { description: "ISO weeks from Monday to Sunday, with periods such as 2026-W47." },
    MONTH: { description: "Calendar months, with periods such as 2026-11." },
    HOUR_OF_DAY: { description: "Hours of the day from 0 to 23, whatever the day. Counted alert by alert." },
    DAY_OF_WEEK: { description: "Days of the week from 1, Monday, to 7, Sunday." },
    TYPE: { description: "The alert type, as in `Alert.name`." },
    SEVERITY: { description: "The severity, as in `Alert.severity`; alerts without one are a group, too." },
    FACILITY: { description: "The facility at which the alerts were raised." },
    CAMERA: { description: "The camera that raised the alerts." },
    ALERT_RULE: {
      description:
        "The rule that raised the alerts; those without one are a group, too. Counted alert by alert.",
    },
  },
});

@ObjectType({
  description: "The number of alerts of a group. What was not grouped by is null.",
  simpleResolvers: true,
})
export class AlertStatistic {
  @Field(() => Int, {
    description: "The number of alerts, not of the objects involved; 0 only for what `fillGaps` has added.",
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
      "The ID of the rule, which may have been deleted; null without ALERT_RULE, and for alerts that were raised without a rule.",
  })
  alertRuleId!: string | null;

  @Field(() => Facility, { nullable: true, description: "The facility; null without FACILITY." })
  facility!: Facility | null;

  @Field(() => Camera, {
    nullable: true,
    description:
      "The camera; null without CAMERA, and where it is at another facility now that the caller may not see.",
  })
  camera!: Camera | null;

  @Field(() => AlertRule, {
    nullable: true,
    description: "The rule; null without ALERT_RULE, for alerts without one, and if it has been deleted.",
  })
  alertRule!: AlertRule | null;
}
