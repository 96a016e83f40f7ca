import { Ctx, Resolver, Root, Subscription } from "type-graphql";
import { z } from "zod";
import type { EventStream } from "../../engine/events/event-hub.js";
import type { RequestContext } from "../../engine/operation/request-context.js";
import { type EventRoot, eventsFor } from "../../engine/operation/subscription.js";
import { ReturnsLoaded } from "../../engine/reading/annotations.js";
import { Selected } from "../../engine/reading/selection/selected-fields.js";
import { columnsOnly, type Selection } from "../../engine/reading/selection/selection.js";
import { orNotFound } from "../../platform/errors/errors.js";
import { argumentsType, CheckedArgs, idField } from "../../platform/input/input-type.js";
import { facilityById } from "../facility/facility.loader.js";
import { cameraById } from "./camera.loader.js";
import { Camera } from "./camera.type.js";

type StatusChangedArguments = InstanceType<typeof StatusChangedArguments>;
const StatusChangedArguments = argumentsType(
  z.object({
    facilityId: idField
      .nullish()
      .describe("Only cameras of this facility; NOT_FOUND if it is not visible to the caller."),
  }),
);

@Resolver()
export class CameraSubscriptions {
  @ReturnsLoaded()
  @Subscription(() => Camera, {
    description: "Delivers each camera that is visible to the caller whenever its status detail changes.",
    subscribe: ({ context, args }) => statusChanges(context, args),
  })
  async cameraStatusChanged(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Root() { id }: EventRoot,
    @CheckedArgs(StatusChangedArguments) _wanted: StatusChangedArguments,
  ) {
    return orNotFound(await cameraById(context, selection).load(id));
  }
}

async function statusChanges(
  context: RequestContext,
  { facilityId }: StatusChangedArguments,
): Promise<EventStream> {
  if (facilityId != null) orNotFound(await facilityById(context, columnsOnly(["id"])).load(facilityId));
  return eventsFor(context, "cameraStatusChanged", { facilityId });
}
