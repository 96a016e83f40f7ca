import { Arg, Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import { Uuid } from "../platform/scalars.js";
import { ReadAhead, RequiresColumns } from "../reading/annotations.js";
import { Selected, type Selection } from "../reading/selection.js";
import type { RequestContext } from "../request/request-context.js";
import { type AnalysisJobRow, analysisJobOfCamera, analysisJobsByCamera } from "./analysis-job.loader.js";
import { AnalysisJob } from "./analysis-job.type.js";
import type { CameraRow } from "./camera.loader.js";
import { Camera } from "./camera.type.js";

@Resolver(() => Camera)
export class CameraAnalysisJobsResolver {
  @RequiresColumns()
  @ReadAhead(analysisJobsByCamera)
  @FieldResolver(() => [AnalysisJob], { description: "The camera's analysis jobs, newest first." })
  analysisJobs(@Ctx() context: RequestContext, @Selected() selection: Selection, @Root() camera: CameraRow): Promise<AnalysisJobRow[]> {
    return analysisJobsByCamera(context, selection).load(camera.id);
  }

  @RequiresColumns()
  @ReadAhead(analysisJobOfCamera)
  @FieldResolver(() => AnalysisJob, { nullable: true, description: "One of the camera's analysis jobs; null if the camera has none with this ID." })
  analysisJob(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Root() camera: CameraRow,
    @Arg("id", () => Uuid) id: string,
  ): Promise<AnalysisJobRow | null> {
    return analysisJobOfCamera(context, selection, id).load(camera.id);
  }
}
