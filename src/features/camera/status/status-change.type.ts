import { Field, ObjectType } from "type-graphql";
import { BackedBy } from "../../../engine/reading/annotations.js";
import { connectionOf } from "../../../engine/reading/connection.js";
import { assignedId } from "../../../platform/input/descriptions.js";
import { DateTimeIso, Uuid } from "../../../platform/input/scalars.js";
import { statusChanges } from "./status-history.loader.js";
import { StatusSource } from "./status-source.js";

@BackedBy(() => statusChanges)
@ObjectType({ description: "An entry of a camera's status history.", simpleResolvers: true })
class StatusChange {
  @Field(() => Uuid, { description: assignedId })
  id!: string;

  @Field(() => String, { description: "The new status detail." })
  statusDetail!: string;

  @Field(() => StatusSource, { description: "Who reported the status detail." })
  source!: StatusSource;

  @Field(() => DateTimeIso, { description: "When the status detail was reported." })
  createdAt!: Date;
}

export const StatusChangeConnection = connectionOf(StatusChange, "StatusChange", "a camera's status history");
