import type { GraphQLResolveInfo } from "graphql";
import { Arg, Ctx, FieldResolver, Info, Int, Query, Resolver, Root } from "type-graphql";
import type { RequestContext } from "../access/request-context.js";
import { type FacilityRow, facilityById, facilityKeys } from "../facility/facility.loader.js";
import { Facility } from "../facility/facility.type.js";
import { found } from "../platform/errors.js";
import { Uuid } from "../platform/scalars.js";
import { Follows, Reads, selectionOf } from "../platform/selection.js";
import { Workspace } from "../workspace/workspace.type.js";
import { type CameraRow, cameraCountByFacility, cameraKeys, camerasByFacility } from "./camera.loader.js";
import { findCamera, listCameras, shownUrl } from "./camera.service.js";
import { Camera } from "./camera.type.js";

@Resolver(() => Camera)
export class CameraResolver {
  @Query(() => [Camera], { description: "The cameras that the caller sees, by name; those of one facility if it is given." })
  cameras(
    @Ctx() context: RequestContext,
    @Info() info: GraphQLResolveInfo,
    @Arg("facilityId", () => Uuid, { nullable: true }) facilityId: string | null,
  ): Promise<CameraRow[]> {
    return listCameras(context, facilityId, selectionOf(info, cameraKeys));
  }

  @Query(() => Camera, { nullable: true, description: "One camera; null when there is none of this id that the caller sees." })
  camera(@Ctx() context: RequestContext, @Info() info: GraphQLResolveInfo, @Arg("id", () => Uuid) id: string): Promise<CameraRow | null> {
    return findCamera(context, id, selectionOf(info, cameraKeys));
  }

  @Reads("imageLink")
  @FieldResolver(() => String, { nullable: true, description: "A link to the camera's latest picture, good for an hour at least; null without one." })
  imageLink(@Ctx() context: RequestContext, @Root() camera: CameraRow): string | null {
    return context.services.links.show(camera.imageLink);
  }

  @Reads("thumbnail")
  @FieldResolver(() => String, {
    nullable: true,
    description: "A link to a small version of an uploaded picture, good for an hour at least; null where `imageLink` is no uploaded one.",
  })
  thumbnailUrl(@Ctx() context: RequestContext, @Root() camera: CameraRow): string | null {
    return context.services.links.show(camera.thumbnail);
  }

  @Reads("url", "facilityId")
  @FieldResolver(() => String, {
    nullable: true,
    description: "The address of the camera or its stream. A password in it shows as *** to callers without cameras:write.",
  })
  url(@Ctx() context: RequestContext, @Root() camera: CameraRow): string | null {
    return shownUrl(context, camera);
  }

  @Reads("facilityId")
  @FieldResolver(() => Facility, { description: "The facility that the camera belongs to." })
  async facility(@Ctx() context: RequestContext, @Info() info: GraphQLResolveInfo, @Root() camera: CameraRow): Promise<FacilityRow> {
    return found(await facilityById(context, selectionOf(info, facilityKeys)).load(camera.facilityId as string));
  }
}

@Resolver(() => Facility)
export class FacilityCamerasResolver {
  @Reads()
  @Follows(camerasByFacility)
  @FieldResolver(() => [Camera], { description: "The facility's cameras, by name." })
  cameras(@Ctx() context: RequestContext, @Info() info: GraphQLResolveInfo, @Root() facility: FacilityRow): Promise<CameraRow[]> {
    return camerasByFacility(context, selectionOf(info, cameraKeys)).load(facility.id);
  }

  @Reads()
  @FieldResolver(() => Int, { description: "How many cameras the facility has." })
  cameraCount(@Ctx() context: RequestContext, @Root() facility: FacilityRow): Promise<number> {
    return cameraCountByFacility(context, undefined).load(facility.id);
  }
}

@Resolver(() => Workspace)
export class WorkspaceCamerasResolver {
  @Reads()
  @FieldResolver(() => [Camera], { description: "The cameras of all facilities that the caller sees, by name." })
  cameras(@Ctx() context: RequestContext, @Info() info: GraphQLResolveInfo): Promise<CameraRow[]> {
    return listCameras(context, null, selectionOf(info, cameraKeys));
  }
}
