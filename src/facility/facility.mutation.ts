import { Ctx, Mutation, Resolver } from "type-graphql";
import { strictRemark } from "../access/strict-permissions.js";
import type { RequestContext } from "../operation/request-context.js";
import { CheckedArgs, IdArg, InputArg } from "../platform/input-type.js";
import { CreateFacilityInput, RenameFacilityArguments, UpdateFacilityInput } from "./facility.input.js";
import type { FacilityRow } from "./facility.loader.js";
import { Facility } from "./facility.type.js";
import {
  createFacility,
  deleteFacility,
  recordHeartbeat,
  renameFacility,
  updateFacility,
} from "./facility-write.service.js";

@Resolver()
export class FacilityMutations {
  @Mutation(() => Facility, {
    description: "Adds a facility to the workspace. Requires facilities:write in the workspace.",
  })
  createFacility(
    @Ctx() context: RequestContext,
    @InputArg(CreateFacilityInput, "The new facility.") input: CreateFacilityInput,
  ): Promise<FacilityRow> {
    return createFacility(context, input);
  }

  @Mutation(() => Facility, {
    description:
      "Updates a facility. Another time zone moves its alerts to other days, for counts and statistics immediately. Requires facilities:write at the facility.",
  })
  updateFacility(
    @Ctx() context: RequestContext,
    @IdArg("the facility") id: string,
    @InputArg(UpdateFacilityInput, "The fields to change.")
    input: UpdateFacilityInput,
  ): Promise<FacilityRow> {
    return updateFacility(context, id, input);
  }

  @Mutation(() => Facility, {
    description: `Renames a facility. Requires only facilities:read at the facility. ${strictRemark("renameFacility")}`,
  })
  renameFacility(
    @Ctx() context: RequestContext,
    @CheckedArgs(RenameFacilityArguments) { id, name }: RenameFacilityArguments,
  ): Promise<FacilityRow> {
    return renameFacility(context, id, name);
  }

  @Mutation(() => Facility, {
    description:
      "Deletes a facility with its cameras, rules and alerts, and returns it as it was, but without cameras. It disappears from every view immediately. Users' permissions there end, and API keys that were limited to it alone see nothing any more. The audit log stays. Requires facilities:write, cameras:write and alerts:delete at the facility.",
  })
  deleteFacility(@Ctx() context: RequestContext, @IdArg("the facility") id: string): Promise<FacilityRow> {
    return deleteFacility(context, id);
  }

  @Mutation(() => Facility, {
    description: `Records a heartbeat of the facility's device, which makes the facility \`online\`. Requires the facility to be visible to the caller. ${strictRemark("recordHeartbeat")}`,
  })
  recordHeartbeat(
    @Ctx() context: RequestContext,
    @IdArg("the facility", "facilityId") facilityId: string,
  ): Promise<FacilityRow> {
    return recordHeartbeat(context, facilityId);
  }
}
