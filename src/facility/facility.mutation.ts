import { Arg, Ctx, Mutation, Resolver } from "type-graphql";
import { z } from "zod";
import type { RequestContext } from "../access/request-context.js";
import { ArgumentRules } from "../platform/argument-rules.js";
import { Uuid } from "../platform/scalars.js";
import { CreateFacilityInput, createFacilityInput, renameFacilityInput } from "./facility.input.js";
import type { FacilityRow } from "./facility.loader.js";
import { Facility } from "./facility.type.js";
import { createFacility, recordHeartbeat, renameFacility } from "./facility-write.service.js";

@Resolver()
export class FacilityMutations {
  @ArgumentRules(z.object({ input: createFacilityInput }))
  @Mutation(() => Facility, { description: "Adds a facility to the workspace. Needs facilities:write in the workspace." })
  createFacility(@Ctx() context: RequestContext, @Arg("input", () => CreateFacilityInput) input: CreateFacilityInput): Promise<FacilityRow> {
    return createFacility(context, input);
  }

  @ArgumentRules(renameFacilityInput)
  @Mutation(() => Facility, { description: "Renames a facility, 1 to 200 characters. Needs facilities:read there." })
  renameFacility(@Ctx() context: RequestContext, @Arg("id", () => Uuid) id: string, @Arg("name", () => String) name: string): Promise<FacilityRow> {
    return renameFacility(context, id, name);
  }

  @Mutation(() => Facility, { description: "Says that the facility's device is alive. Needs that the caller sees the facility." })
  recordHeartbeat(@Ctx() context: RequestContext, @Arg("facilityId", () => Uuid) facilityId: string): Promise<FacilityRow> {
    return recordHeartbeat(context, facilityId);
  }
}
