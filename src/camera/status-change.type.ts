import { Field, ObjectType } from "type-graphql";
import { StatusSource } from "../generated/prisma/enums.js";
import { connectionOf } from "../platform/connection.js";
import { DateTimeIso, Uuid } from "../platform/scalars.js";

@ObjectType({ description: "One entry of a camera's status history.", simpleResolvers: true })
export class StatusChange {
  @Field(() => Uuid)
  id!: string;

  @Field(() => String, { description: "The status detail from then on." })
  statusDetail!: string;

  @Field(() => StatusSource, { description: "Who reported it." })
  source!: StatusSource;

  @Field(() => DateTimeIso, { description: "When it was reported." })
  createdAt!: Date;
}

export const StatusChangeConnection = connectionOf(StatusChange, "StatusChange", "a camera's status history");
