import type { GraphQLResolveInfo } from "graphql";
import { Ctx, Info, Resolver, Root, Subscription } from "type-graphql";
import type { RequestContext } from "../access/request-context.js";
import { type Announced, eventsFor } from "../access/subscription.js";
import { found } from "../platform/errors.js";
import { selectionOf } from "../platform/selection.js";
import { type FacilityRow, facilityKeys } from "./facility.loader.js";
import { findFacility } from "./facility.service.js";
import { Facility } from "./facility.type.js";

@Resolver()
export class FacilitySubscriptions {
  @Subscription(() => Facility, {
    description: "Each facility that the caller sees, whenever its device reports that it is alive.",
    subscribe: ({ context }) => eventsFor(context as RequestContext, "facilityHeartbeat"),
  })
  async facilityHeartbeat(@Ctx() context: RequestContext, @Info() info: GraphQLResolveInfo, @Root() { id }: Announced): Promise<FacilityRow> {
    return found(await findFacility(context, id, selectionOf(info, facilityKeys)));
  }
}
