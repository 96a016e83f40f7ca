import { Ctx, Resolver, Root, Subscription } from "type-graphql";
import { z } from "zod";
import { cameraById } from "../camera/camera.loader.js";
import type { EventFeed } from "../events/event-hub.js";
import { facilityById } from "../facility/facility.loader.js";
import { orNotFound } from "../platform/errors.js";
import { argumentsType, CheckedArgs, idField } from "../platform/input-type.js";
import { columnsOnly, Selected, type Selection } from "../reading/selection.js";
import type { RequestContext } from "../request/request-context.js";
import { type EventRoot, eventsFor } from "../request/subscription.js";
import { type AlertRow, alertById } from "./alert.loader.js";
import { Alert } from "./alert.type.js";

type AlertRaisedArguments = InstanceType<typeof AlertRaisedArguments>;
const AlertRaisedArguments = argumentsType(
  z.object({
    facilityId: idField.nullish().describe("Only alerts of this facility; NOT_FOUND if it is not visible to the caller."),
    cameraId: idField.nullish().describe("Only alerts of this camera; NOT_FOUND if it is not visible to the caller."),
  }),
);

@Resolver()
export class AlertSubscriptions {
  @Subscription(() => Alert, {
    description: "Delivers each alert that is visible to the caller when it is recorded.",
    subscribe: ({ context, args }) => raisedAlerts(context as RequestContext, args as AlertRaisedArguments),
  })
  async alertRaised(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Root() { id }: EventRoot,
    @CheckedArgs(AlertRaisedArguments) _wanted: AlertRaisedArguments,
  ): Promise<AlertRow> {
    return orNotFound(await alertById(context, selection).load(id));
  }
}

async function raisedAlerts(context: RequestContext, { facilityId, cameraId }: AlertRaisedArguments): Promise<EventFeed> {
  if (facilityId != null) orNotFound(await facilityById(context, columnsOnly(["id"])).load(facilityId));
  if (cameraId != null) orNotFound(await cameraById(context, columnsOnly(["id"])).load(cameraId));
  return eventsFor(context, "alertRaised", { facilityId, cameraId });
}
