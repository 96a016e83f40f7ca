import { Field, Int, ObjectType, registerEnumType } from "type-graphql";

export enum QuietReason {
  NOT_EVALUATED = "NOT_EVALUATED",
  INACTIVE = "INACTIVE",
  TOO_LARGE = "TOO_LARGE",
  SNOOZED = "SNOOZED",
  OUTSIDE_WINDOW = "OUTSIDE_WINDOW",
}

registerEnumType(QuietReason, {
  name: "QuietReason",
  description: "Why a rule could raise nothing for a frame. If there are several reasons, the first of them.",
  valuesConfig: {
    NOT_EVALUATED: { description: "The rule is not `evaluated`: its detector raises the alerts." },
    INACTIVE: { description: "The status of the rule is not ACTIVE." },
    TOO_LARGE: {
      description:
        "The condition tree exceeds what `CreateAlertRuleInput.group` allows, or the camera has 30 older rules that are `evaluated`.",
    },
    SNOOZED: { description: "The rule, its camera or facility was snoozed at the time of the frame." },
    OUTSIDE_WINDOW: { description: "The frame was taken outside the days or times of the rule." },
  },
});

@ObjectType({ description: "A rule that could raise nothing for a frame.", simpleResolvers: true })
export class QuietRule {
  @Field(() => QuietReason, { description: "The reason." })
  reason!: QuietReason;
}

@ObjectType({
  description: "A camera of which frames were recorded, and its rules at the last frame that was sent.",
  simpleResolvers: true,
})
export class EvaluatedCamera {
  @Field(() => Int, { description: "The number of rules that the frame was put to." })
  evaluatedRules!: number;

  @Field(() => [QuietRule], {
    description: "All other rules of the camera, ordered by name, and why they could raise nothing.",
  })
  quietRules!: QuietRule[];
}
