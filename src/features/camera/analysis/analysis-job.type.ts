import { Field, ObjectType } from "type-graphql";
import { BackedBy } from "../../../engine/reading/annotations.js";
import { assignedId, readOnly } from "../../../platform/input/descriptions.js";
import { DateTimeIso, Uuid } from "../../../platform/input/scalars.js";
import { analysisJobs } from "./analysis-job.loader.js";

@BackedBy(() => analysisJobs)
@ObjectType({
  description: `A run of the analysis on a camera's pictures. ${readOnly}`,
  simpleResolvers: true,
})
export class AnalysisJob {
  @Field(() => Uuid, { description: assignedId })
  id!: string;

  @Field(() => Uuid, { description: "The ID of the camera whose pictures are analyzed." })
  cameraId!: string;

  @Field(() => Uuid, {
    description:
      "The ID of the analysis configuration that the job runs with; the configuration itself is not part of this API.",
  })
  configId!: string;

  @Field(() => Uuid, { nullable: true, description: "The analyzed recording; null for the live stream." })
  videoId!: string | null;

  @Field(() => String, { description: "The state of the job: VALIDATING, COMPLETED; others may occur." })
  state!: string;

  @Field(() => Boolean, { description: "Whether the job only tries out a configuration." })
  isTest!: boolean;

  @Field(() => DateTimeIso, { description: "When the job was requested." })
  createdAt!: Date;

  @Field(() => DateTimeIso, { description: "When the job last changed." })
  updatedAt!: Date;

  @Field(() => DateTimeIso, {
    nullable: true,
    description: "When the job started; null if it has not started.",
  })
  startedAt!: Date | null;

  @Field(() => DateTimeIso, { nullable: true, description: "When the job ended; null if it has not ended." })
  endedAt!: Date | null;
}
