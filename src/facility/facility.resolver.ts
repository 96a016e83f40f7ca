import type { GraphQLResolveInfo } from "graphql";
import { Arg, Ctx, FieldResolver, Info, Query, Resolver, Root } from "type-graphql";
import type { RequestContext } from "../access/request-context.js";
import { Uuid } from "../platform/scalars.js";
import { Reads, selectedColumns, selectionOf } from "../platform/selection.js";
import { ownWorkspace, type WorkspaceRow } from "../workspace/workspace.service.js";
import { Workspace } from "../workspace/workspace.type.js";
import { type FacilityRow, facilityKeys } from "./facility.loader.js";
import { findFacility, isOnline, listFacilities } from "./facility.service.js";
import { Facility, GeographicCoordinates } from "./facility.type.js";

@Resolver(() => Facility)
export class FacilityResolver {
  @Query(() => [Facility], { description: "The facilities that the caller sees, by name." })
  facilities(@Ctx() context: RequestContext, @Info() info: GraphQLResolveInfo): Promise<FacilityRow[]> {
    return listFacilities(context, selectionOf(info, facilityKeys));
  }

  @Query(() => Facility, { nullable: true, description: "One facility; null when there is none of this id that the caller sees." })
  facility(@Ctx() context: RequestContext, @Info() info: GraphQLResolveInfo, @Arg("id", () => Uuid) id: string): Promise<FacilityRow | null> {
    return findFacility(context, id, selectionOf(info, facilityKeys));
  }

  @Reads("latitude", "longitude")
  @FieldResolver(() => GeographicCoordinates, { nullable: true, description: "Where the facility is; null when not known." })
  geographicCoordinates(@Root() facility: FacilityRow): GeographicCoordinates | null {
    const { latitude, longitude } = facility;
    return latitude == null || longitude == null ? null : { lat: latitude, lng: longitude };
  }

  @Reads("lastHeartbeatAt")
  @FieldResolver(() => Boolean, { description: "Whether the facility's device reported lately (within five minutes, unless configured otherwise)." })
  online(@Ctx() context: RequestContext, @Root() facility: FacilityRow): boolean {
    return isOnline(context, facility.lastHeartbeatAt);
  }

  @Reads()
  @FieldResolver(() => Workspace)
  workspace(@Ctx() context: RequestContext, @Info() info: GraphQLResolveInfo): Promise<WorkspaceRow> {
    return ownWorkspace(context, selectedColumns(info, ["id"]));
  }
}

@Resolver(() => Workspace)
export class WorkspaceFacilitiesResolver {
  @Reads()
  @FieldResolver(() => [Facility], { description: "The facilities that the caller sees, by name." })
  facilities(@Ctx() context: RequestContext, @Info() info: GraphQLResolveInfo): Promise<FacilityRow[]> {
    return listFacilities(context, selectionOf(info, facilityKeys));
  }
}
