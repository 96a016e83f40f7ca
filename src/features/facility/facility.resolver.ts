import { Arg, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { heldPermissions } from "../../engine/access/permissions.js";
import type { RequestContext } from "../../engine/operation/request-context.js";
import { ReadAhead, RequiresColumns, ReturnsLoaded } from "../../engine/reading/annotations.js";
import { Selected } from "../../engine/reading/selection/selected-fields.js";
import type { Selection } from "../../engine/reading/selection/selection.js";
import { idToFind } from "../../platform/input/descriptions.js";
import { Uuid } from "../../platform/input/scalars.js";
import { ownWorkspace } from "../workspace/workspace.service.js";
import { Workspace } from "../workspace/workspace.type.js";
import { type FacilityRow, facilitiesByWorkspace, facilityById } from "./facility.loader.js";
import { isMonitored, isOnline, locationOf } from "./facility.service.js";
import { Facility, GeographicCoordinates } from "./facility.type.js";

@Resolver(() => Facility)
export class FacilityResolver {
  @ReturnsLoaded()
  @Query(() => [Facility], { description: "The facilities that are visible to the caller, ordered by name." })
  facilities(@Ctx() context: RequestContext, @Selected() selection: Selection) {
    return facilitiesByWorkspace(context, selection).load(context.caller.workspaceId);
  }

  @ReturnsLoaded()
  @Query(() => Facility, {
    nullable: true,
    description: "A facility by ID; null if there is none that the caller may see.",
  })
  facility(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Arg("id", () => Uuid, { description: idToFind("the facility") }) id: string,
  ) {
    return facilityById(context, selection).load(id);
  }

  @RequiresColumns("latitude", "longitude")
  @FieldResolver(() => GeographicCoordinates, {
    nullable: true,
    description: "The location of the facility; null if unknown.",
  })
  geographicCoordinates(@Root() facility: FacilityRow): GeographicCoordinates | null {
    return locationOf(facility);
  }

  @RequiresColumns("lastHeartbeatAt")
  @FieldResolver(() => Boolean, {
    description:
      "Whether the facility's device sent a heartbeat recently (within five minutes, unless configured otherwise).",
  })
  online(@Ctx() context: RequestContext, @Root() facility: FacilityRow): boolean {
    return isOnline(context, facility.lastHeartbeatAt);
  }

  @RequiresColumns("lastHeartbeatAt", "heartbeatsIgnored")
  @FieldResolver(() => Boolean, {
    description:
      "Whether heartbeats decide about the facility. If not, because it never sent one or `monitorFacility` said so, the state of its cameras comes from the cameras alone, and nobody is told that it is offline.",
  })
  monitored(@Root() facility: FacilityRow): boolean {
    return isMonitored(facility);
  }

  @ReturnsLoaded()
  @RequiresColumns()
  @FieldResolver(() => Workspace, { description: "The workspace that the facility belongs to." })
  workspace(@Ctx() context: RequestContext, @Selected() selection: Selection) {
    return ownWorkspace(context, selection);
  }

  @RequiresColumns()
  @FieldResolver(() => [String], {
    description:
      "The caller's permissions at the facility, sorted: those in the whole workspace, and those granted at the facility.",
  })
  viewerPermissions(@Ctx() { caller }: RequestContext, @Root() facility: FacilityRow): string[] {
    return heldPermissions(caller, facility.id);
  }
}

@Resolver(() => Workspace)
export class WorkspaceFacilitiesResolver {
  @RequiresColumns()
  @ReadAhead(facilitiesByWorkspace)
  @FieldResolver(() => [Facility], {
    description: "The facilities that are visible to the caller, ordered by name.",
  })
  facilities(@Ctx() context: RequestContext, @Selected() selection: Selection) {
    return facilitiesByWorkspace(context, selection).load(context.caller.workspaceId);
  }
}
