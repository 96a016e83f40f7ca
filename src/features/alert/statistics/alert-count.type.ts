import { Field, Int, ObjectType, registerEnumType } from "type-graphql";

export enum CountAggregate {
  DAY = "DAY",
  WEEK = "WEEK",
  MONTH = "MONTH",
}

registerEnumType(CountAggregate, {
  name: "CountAggregate",
  description:
    "The period of local time by which alerts are counted. If the filter's `localTimes` run over midnight, the hours after midnight belong to the day before. The REST API uses lowercase values.",
  valuesConfig: {
    DAY: { description: "Calendar days, with keys such as 2026-11-20." },
    WEEK: { description: "ISO weeks from Monday to Sunday, with keys such as 2026-W47." },
    MONTH: { description: "Calendar months, with keys such as 2026-11." },
  },
});

@ObjectType({ description: "The number of alerts in a period of local time.", simpleResolvers: true })
export class AlertCount {
  @Field(() => String, {
    description:
      "The day, such as 2026-11-20, the ISO week, such as 2026-W47, or the month, such as 2026-11, in the facility's time zone.",
  })
  key!: string;

  @Field(() => Int, { description: "The number of alerts, not of the objects involved; at least 1." })
  count!: number;
}
