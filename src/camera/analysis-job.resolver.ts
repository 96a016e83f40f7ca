import type { GraphQLResolveInfo } from "graphql";
import { Arg, Ctx, FieldResolver, Info, Resolver, Root } from "type-graphql";
import type { RequestContext } from "../access/request-context.js";
import type { AnalysisJob as AnalysisJobRecord } from "../generated/prisma/client.js";
import { defineLoader, groupBy } from "../platform/loader.js";
import { Uuid } from "../platform/scalars.js";
import { Reads, type Selected, selectedColumns, selectOf } from "../platform/selection.js";
import { AnalysisJob } from "./analysis-job.type.js";
import type { CameraRow } from "./camera.loader.js";
import { Camera } from "./camera.type.js";

const analysisJobKeys = ["id", "cameraId"] as const;

type AnalysisJobRow = Selected<AnalysisJobRecord, (typeof analysisJobKeys)[number]>;

const analysisJobsByCamera = defineLoader<RequestContext, AnalysisJobRow[], { columns: string[]; id?: string }>(
  async (context, cameraIds, { columns, id }) => {
    const rows = await context.visible.analysisJob.findMany({
      where: { cameraId: { in: [...cameraIds] }, ...(id && { id }) },
      select: selectOf(columns),
      orderBy: [{ createdAt: "desc" }, { id: "desc" }],
    });
    return groupBy(rows as unknown as AnalysisJobRow[], (job) => job.cameraId);
  },
  () => [],
);

@Resolver(() => Camera)
export class CameraAnalysisJobsResolver {
  @Reads()
  @FieldResolver(() => [AnalysisJob], { description: "The camera's analysis jobs, newest first." })
  analysisJobs(@Ctx() context: RequestContext, @Info() info: GraphQLResolveInfo, @Root() camera: CameraRow): Promise<AnalysisJobRow[]> {
    return analysisJobsByCamera(context, { columns: selectedColumns(info, analysisJobKeys) }).load(camera.id);
  }

  @Reads()
  @FieldResolver(() => AnalysisJob, { nullable: true, description: "One of the camera's analysis jobs; null when it has none of this id." })
  async analysisJob(
    @Ctx() context: RequestContext,
    @Info() info: GraphQLResolveInfo,
    @Root() camera: CameraRow,
    @Arg("id", () => Uuid) id: string,
  ): Promise<AnalysisJobRow | null> {
    const [job] = await analysisJobsByCamera(context, { columns: selectedColumns(info, analysisJobKeys), id }).load(camera.id);
    return job ?? null;
  }
}
