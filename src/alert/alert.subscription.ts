import type { GraphQLResolveInfo } from "graphql";
import { Args, ArgsType, Ctx, Field, Info, Resolver, Root, Subscription } from "type-graphql";
import type { RequestContext } from "../access/request-context.js";
import { type Announced, eventsFor } from "../access/subscription.js";
import { cameraKeys } from "../camera/camera.loader.js";
import { findCamera } from "../camera/camera.service.js";
import type { EventFeed } from "../events/event-hub.js";
import { facilityKeys } from "../facility/facility.loader.js";
import { findFacility } from "../facility/facility.service.js";
import { found } from "../platform/errors.js";
import { Uuid } from "../platform/scalars.js";
import { columnsAlone, selectionOf } from "../platform/selection.js";
import { type AlertRow, alertById, alertKeys } from "./alert.loader.js";
import { Alert } from "./alert.type.js";

@ArgsType()
class AlertRaisedArguments {
  @Field(() => Uuid, { nullable: true, description: "Only alerts of this facility; NOT_FOUND when the caller does not see it." })
  facilityId?: string | null;

  @Field(() => Uuid, { nullable: true, description: "Only alerts of this camera; NOT_FOUND when the caller does not see it." })
  cameraId?: string | null;
}

@Resolver()
export class AlertSubscriptions {
  @Subscription(() => Alert, {
    description: "Each alert that the caller sees, as soon as it is recorded.",
    subscribe: ({ context, args }) => raisedAlerts(context as RequestContext, args as AlertRaisedArguments),
  })
  async alertRaised(
    @Ctx() context: RequestContext,
    @Info() info: GraphQLResolveInfo,
    @Root() { id }: Announced,
    @Args(() => AlertRaisedArguments) _wanted: AlertRaisedArguments,
  ): Promise<AlertRow> {
    return found(await alertById(context, selectionOf(info, alertKeys)).load(id));
  }
}

async function raisedAlerts(context: RequestContext, { facilityId, cameraId }: AlertRaisedArguments): Promise<EventFeed> {
  if (facilityId != null) found(await findFacility(context, facilityId, columnsAlone(facilityKeys)));
  if (cameraId != null) found(await findCamera(context, cameraId, columnsAlone(cameraKeys)));
  return eventsFor(context, "alertRaised", { facilityId, cameraId });
}
