import { Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import type { CameraRow } from "../../camera/camera.loader.js";
import { Camera } from "../../camera/camera.type.js";
import type { RequestContext } from "../../operation/request-context.js";
import { CheckedArgs } from "../../platform/input-type.js";
import { Costs, RequiresColumns } from "../../reading/annotations.js";
import { AlertHeatmapArguments } from "./alert-heatmap.input.js";
import { alertHeatmaps, defaultColumns, defaultRows } from "./alert-heatmap.js";
import { AlertHeatmap } from "./alert-heatmap.type.js";
import { costOfAlerts } from "./alert-statistics.js";

@Resolver(() => Camera)
export class CameraAlertHeatmapResolver {
  @RequiresColumns()
  @Costs(costOfAlerts)
  @FieldResolver(() => AlertHeatmap, {
    nullable: true,
    description: `Where in the picture the camera's alerts were raised: the number of their violating coordinates, scaled from the canvas, in each cell of a grid. Costs ${costOfAlerts}. Null if counting took too long: try a shorter period.`,
  })
  alertHeatmap(
    @Ctx() context: RequestContext,
    @Root() camera: CameraRow,
    @CheckedArgs(AlertHeatmapArguments) { filter, columns, rows }: AlertHeatmapArguments,
  ): Promise<AlertHeatmap | null> {
    return alertHeatmaps(context, {
      filter,
      columns: columns ?? defaultColumns,
      rows: rows ?? defaultRows,
    }).load(camera.id);
  }
}
