import { Field, ObjectType } from "type-graphql";
import { DateTimeIso, Uuid } from "../platform/scalars.js";

@ObjectType({ description: "One run of the analysis over a camera's pictures.", simpleResolvers: true })
export class AnalysisJob {
  @Field(() => Uuid)
  id!: string;

  @Field(() => Uuid)
  cameraId!: string;

  @Field(() => Uuid)
  configId!: string;

  @Field(() => Uuid, { nullable: true, description: "The recording that was analysed; null for the live stream." })
  videoId!: string | null;

  @Field(() => String, { description: "How far the job is, such as VALIDATING." })
  state!: string;

  @Field(() => Boolean)
  isTest!: boolean;

  @Field(() => DateTimeIso)
  createdAt!: Date;

  @Field(() => DateTimeIso)
  updatedAt!: Date;

  @Field(() => DateTimeIso, { nullable: true, description: "Null until the job has started." })
  startedAt!: Date | null;

  @Field(() => DateTimeIso, { nullable: true, description: "Null until the job has ended." })
  endedAt!: Date | null;
}
