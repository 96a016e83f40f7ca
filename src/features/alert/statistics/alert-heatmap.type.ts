import { Field, Int, ObjectType } from "type-graphql";

@ObjectType({
  description: "Where in a camera's picture alerts were raised, as counts in the cells of a grid.",
  simpleResolvers: true,
})
export class AlertHeatmap {
  @Field(() => Int, { description: "The number of cells from left to right, as requested." })
  columns!: number;

  @Field(() => Int, { description: "The number of cells from top to bottom, as requested." })
  rows!: number;

  @Field(() => [Int], {
    description:
      "The number of violating coordinates in each cell, row by row from the upper left: `columns` × `rows` numbers. Coordinates outside the canvas are left out.",
  })
  counts!: number[];

  @Field(() => Int, { description: "The number of alerts with at least one counted coordinate." })
  alerts!: number;
}
