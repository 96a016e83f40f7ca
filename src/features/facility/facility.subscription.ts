import { Ctx, Resolver, Root, Subscription } from "type-graphql";
import type { RequestContext } from "../../engine/operation/request-context.js";
import { type EventRoot, eventsFor } from "../../engine/operation/subscription.js";
import { ReturnsLoaded } from "../../engine/reading/annotations.js";
import { Selected } from "../../engine/reading/selection/selected-fields.js";
import type { Selection } from "../../engine/reading/selection/selection.js";
import { orNotFound } from "../../platform/errors/errors.js";
import { facilityById } from "./facility.loader.js";
import { Facility } from "./facility.type.js";

@Resolver()
export class FacilitySubscriptions {
  @ReturnsLoaded()
  @Subscription(() => Facility, {
    description:
      "Delivers each facility that is visible to the caller whenever its device sends a heartbeat.",
    subscribe: ({ context }) => eventsFor(context, "facilityHeartbeat"),
  })
  async facilityHeartbeat(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Root() { id }: EventRoot,
  ) {
    return orNotFound(await facilityById(context, selection).load(id));
  }
}
