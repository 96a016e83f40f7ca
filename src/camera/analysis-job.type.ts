import { Field, ObjectType } from "type-graphql";
import { DateTimeIso, Uuid } from "../platform/scalars.js";
import { BackedBy } from "../reading/annotations.js";
import { analysisJobs } from "./analysis-job.loader.js";

@BackedBy(() => analysisJobs)
@ObjectType({ description: "A run of the analysis on a camera's pictures.", simpleResolvers: true })
export class AnalysisJob {
  @Field(() => Uuid)
  id!: string;

  @Field(() => Uuid)
  cameraId!: string;

  @Field(() => Uuid)
  configId!: string;

  @Field(() => Uuid, { nullable: true, description: "The analyzed recording; null for the live stream." })
  videoId!: string | null;

  @Field(() => String, { description: "The state of the job, such as VALIDATING." })
  state!: string;

  @Field(() => Boolean)
  isTest!: boolean;

  @Field(() => DateTimeIso)
  createdAt!: Date;

  @Field(() => DateTimeIso)
  updatedAt!: Date;

  @Field(() => DateTimeIso, { nullable: true, description: "When the job started; null if it has not." })
  startedAt!: Date | null;

  @Field(() => DateTimeIso, { nullable: true, description: "When the job ended; null if it has not." })
  endedAt!: Date | null;
}
