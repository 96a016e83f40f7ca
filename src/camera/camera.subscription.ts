import type { GraphQLResolveInfo } from "graphql";
import { Args, ArgsType, Ctx, Field, Info, Resolver, Root, Subscription } from "type-graphql";
import type { RequestContext } from "../access/request-context.js";
import { type Announced, eventsFor } from "../access/subscription.js";
import type { EventFeed } from "../events/event-hub.js";
import { facilityKeys } from "../facility/facility.loader.js";
import { findFacility } from "../facility/facility.service.js";
import { found } from "../platform/errors.js";
import { Uuid } from "../platform/scalars.js";
import { columnsAlone, selectionOf } from "../platform/selection.js";
import { type CameraRow, cameraKeys } from "./camera.loader.js";
import { findCamera } from "./camera.service.js";
import { Camera } from "./camera.type.js";

@ArgsType()
class StatusChangedArguments {
  @Field(() => Uuid, { nullable: true, description: "Only cameras of this facility; NOT_FOUND when the caller does not see it." })
  facilityId?: string | null;
}

@Resolver()
export class CameraSubscriptions {
  @Subscription(() => Camera, {
    description: "Each camera that the caller sees, whenever its status detail changes.",
    subscribe: ({ context, args }) => statusChanges(context as RequestContext, args as StatusChangedArguments),
  })
  async cameraStatusChanged(
    @Ctx() context: RequestContext,
    @Info() info: GraphQLResolveInfo,
    @Root() { id }: Announced,
    @Args(() => StatusChangedArguments) _wanted: StatusChangedArguments,
  ): Promise<CameraRow> {
    return found(await findCamera(context, id, selectionOf(info, cameraKeys)));
  }
}

async function statusChanges(context: RequestContext, { facilityId }: StatusChangedArguments): Promise<EventFeed> {
  if (facilityId != null) found(await findFacility(context, facilityId, columnsAlone(facilityKeys)));
  return eventsFor(context, "cameraStatusChanged", { facilityId });
}
