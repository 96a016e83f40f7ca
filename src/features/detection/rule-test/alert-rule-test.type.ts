import { Field, Int, ObjectType } from "type-graphql";
import { DateTimeIso } from "../../../platform/input/scalars.js";
import { Point } from "../../camera/camera.type.js";

@ObjectType({ description: "An alert that a rule would raise.", simpleResolvers: true })
export class TestAlert {
  @Field(() => DateTimeIso, { description: "When the frame was taken that would raise the alert." })
  at!: Date;

  @Field(() => Int, { description: "The number of objects that the alert would tell." })
  count!: number;

  @Field(() => [Point], {
    description: "Where these objects stand in the frame: the bottom centres of their boxes.",
  })
  violatingCoordinates!: Point[];
}

@ObjectType({ description: "What a rule would raise.", simpleResolvers: true })
export class AlertRuleTest {
  @Field(() => [TestAlert], { description: "The alerts, in the order of the frames." })
  alerts!: TestAlert[];
}
