import { Arg, Ctx, FieldResolver, Int, Query, Resolver, Root } from "type-graphql";
import { can } from "../../engine/access/permissions.js";
import type { RequestContext } from "../../engine/operation/request-context.js";
import { ReadAhead, RequiresColumns, ReturnsLoaded } from "../../engine/reading/annotations.js";
import { computedColumn } from "../../engine/reading/computed-column.js";
import { PageArguments } from "../../engine/reading/connection.js";
import { loadReferenced } from "../../engine/reading/load-referenced.js";
import { Selected } from "../../engine/reading/selection/selected-fields.js";
import type { Selection } from "../../engine/reading/selection/selection.js";
import { defined } from "../../platform/defined.js";
import { idToFind, linkTo } from "../../platform/input/descriptions.js";
import { CheckedArgs } from "../../platform/input/input-type.js";
import { Uuid } from "../../platform/input/scalars.js";
import { withoutSecrets } from "../../platform/network/url-secrets.js";
import { type FacilityRow, facilityById } from "../facility/facility.loader.js";
import { Facility } from "../facility/facility.type.js";
import { Workspace } from "../workspace/workspace.type.js";
import { analysisJobOfCamera, analysisJobsByCamera } from "./analysis/analysis-job.loader.js";
import { AnalysisJob } from "./analysis/analysis-job.type.js";
import { calibrationByCamera } from "./analysis/calibration.loader.js";
import { Calibration } from "./analysis/calibration.type.js";
import { type CameraRow, cameraById, camerasByFacility, camerasByWorkspace } from "./camera.loader.js";
import { Camera, CameraConnection } from "./camera.type.js";
import { SearchCamerasArguments } from "./camera-search.input.js";
import { cameraSearch } from "./camera-search.loader.js";
import { StatusChangeConnection } from "./status/status-change.type.js";
import { statusHistory } from "./status/status-history.loader.js";
import { streamRequestsByCamera } from "./stream/stream-request.loader.js";
import { StreamRequestConnection } from "./stream/stream-request.type.js";

@Resolver(() => Camera)
export class CameraResolver {
  @ReturnsLoaded()
  @Query(() => [Camera], {
    description: "The cameras that are visible to the caller, ordered by name.",
  })
  cameras(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Arg("facilityId", () => Uuid, {
      nullable: true,
      description: "Only the cameras of this facility; the list is empty if the caller may not see it.",
    })
    facilityId: string | null,
  ) {
    if (facilityId) return camerasByFacility(context, selection).load(facilityId);
    return camerasByWorkspace(context, selection).load(context.caller.workspaceId);
  }

  @ReturnsLoaded(cameraSearch.pages)
  @Query(() => CameraConnection, {
    description:
      "The cameras that are visible to the caller and match a filter, ordered by name, page by page. For workspaces with too many cameras for `cameras`.",
  })
  searchCameras(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @CheckedArgs(SearchCamerasArguments) list: SearchCamerasArguments,
  ) {
    return cameraSearch(context, context.caller.workspaceId, selection, list);
  }

  @ReturnsLoaded()
  @Query(() => Camera, {
    nullable: true,
    description: "A camera by ID; null if there is none that the caller may see.",
  })
  camera(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Arg("id", () => Uuid, { description: idToFind("the camera") }) id: string,
  ) {
    return cameraById(context, selection).load(id);
  }

  @RequiresColumns("imageLink")
  @FieldResolver(() => String, {
    nullable: true,
    description: `${linkTo("the camera's latest picture")} A URL from the feed server is returned as is.`,
  })
  imageLink(@Ctx() context: RequestContext, @Root() camera: CameraRow): string | null {
    return context.services.links.urlFor(camera.imageLink);
  }

  @RequiresColumns("thumbnail")
  @FieldResolver(() => String, {
    nullable: true,
    description: linkTo(
      "a small version of the camera's picture, if it was uploaded or taken by the gateway",
    ),
  })
  thumbnailUrl(@Ctx() context: RequestContext, @Root() camera: CameraRow): string | null {
    return context.services.links.urlFor(camera.thumbnail);
  }

  @RequiresColumns("url", "facilityId")
  @FieldResolver(() => String, {
    nullable: true,
    description:
      "The URL of the camera or its stream. Callers without cameras:write get its scheme, user, host and port, and *** in place of all else but common names of streams and options.",
  })
  url(@Ctx() context: RequestContext, @Root() camera: CameraRow) {
    if (camera.url == null) return null;
    return can(context.caller, "cameras:write", camera.facilityId) ? camera.url : withoutSecrets(camera.url);
  }

  @ReturnsLoaded()
  @RequiresColumns("facilityId")
  @FieldResolver(() => Facility, { description: "The facility that the camera belongs to." })
  facility(@Ctx() context: RequestContext, @Selected() selection: Selection, @Root() camera: CameraRow) {
    return loadReferenced(context, facilityById, selection, defined(camera.facilityId));
  }

  @RequiresColumns()
  @ReadAhead(calibrationByCamera)
  @FieldResolver(() => Calibration, {
    nullable: true,
    description: "The camera's calibration; null if it has none.",
  })
  calibration(@Ctx() context: RequestContext, @Selected() selection: Selection, @Root() camera: CameraRow) {
    return calibrationByCamera(context, selection).load(camera.id);
  }

  @RequiresColumns()
  @ReadAhead(analysisJobsByCamera)
  @FieldResolver(() => [AnalysisJob], { description: "The camera's analysis jobs, newest first." })
  analysisJobs(@Ctx() context: RequestContext, @Selected() selection: Selection, @Root() camera: CameraRow) {
    return analysisJobsByCamera(context, selection).load(camera.id);
  }

  @RequiresColumns()
  @ReadAhead(analysisJobOfCamera)
  @FieldResolver(() => AnalysisJob, {
    nullable: true,
    description: "One of the camera's analysis jobs; null if the camera has none with this ID.",
  })
  analysisJob(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Root() camera: CameraRow,
    @Arg("id", () => Uuid, { description: "The ID of the job, as in `analysisJobs`." }) id: string,
  ) {
    return analysisJobOfCamera(context, selection, id).load(camera.id);
  }

  @RequiresColumns()
  @ReadAhead(statusHistory.pages)
  @FieldResolver(() => StatusChangeConnection, {
    description:
      "The status details that were set by `setCameraStatusDetail` or by who opens the camera's stream, newest first.",
  })
  statusHistory(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Root() camera: CameraRow,
    @CheckedArgs(PageArguments) page: PageArguments,
  ) {
    return statusHistory(context, camera.id, selection, page);
  }

  @RequiresColumns()
  @ReadAhead(streamRequestsByCamera.pages)
  @FieldResolver(() => StreamRequestConnection, {
    description: "The requests to open the camera's stream, newest first.",
  })
  streamRequests(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Root() camera: CameraRow,
    @CheckedArgs(PageArguments) page: PageArguments,
  ) {
    return streamRequestsByCamera(context, camera.id, selection, page);
  }
}

@Resolver(() => Facility)
export class FacilityCamerasResolver {
  @RequiresColumns()
  @ReadAhead(camerasByFacility)
  @FieldResolver(() => [Camera], { description: "The facility's cameras, ordered by name." })
  cameras(@Ctx() context: RequestContext, @Selected() selection: Selection, @Root() facility: FacilityRow) {
    return camerasByFacility(context, selection).load(facility.id);
  }

  @RequiresColumns("cameraCount")
  @FieldResolver(() => Int, { description: "The number of cameras at the facility." })
  cameraCount(@Ctx() context: RequestContext, @Root() facility: FacilityRow): number | Promise<number> {
    return computedColumn(context, facilityById, facility, "cameraCount");
  }
}

@Resolver(() => Workspace)
export class WorkspaceCamerasResolver {
  @RequiresColumns()
  @ReadAhead(camerasByWorkspace)
  @FieldResolver(() => [Camera], {
    description: "The cameras of all facilities that are visible to the caller, ordered by name.",
  })
  cameras(@Ctx() context: RequestContext, @Selected() selection: Selection) {
    return camerasByWorkspace(context, selection).load(context.caller.workspaceId);
  }
}
