import {
  Ctx,
  Field,
  FieldResolver,
  ObjectType,
  Resolver,
  Root,
  registerEnumType,
  Subscription,
} from "type-graphql";
import { z } from "zod";
import { seesAlertsOf } from "../../engine/access/permissions.js";
import type { EventStream } from "../../engine/events/event-hub.js";
import type { Topic } from "../../engine/events/gateway-event.js";
import type { RequestContext } from "../../engine/operation/request-context.js";
import { type EventRoot, eventsFor } from "../../engine/operation/subscription.js";
import { RequiresColumns, ReturnsLoaded } from "../../engine/reading/annotations.js";
import { Selected } from "../../engine/reading/selection/selected-fields.js";
import { columnsOnly, type Selection } from "../../engine/reading/selection/selection.js";
import { notFound, orNotFound } from "../../platform/errors/errors.js";
import { argumentsType, CheckedArgs, idField } from "../../platform/input/input-type.js";
import { Uuid } from "../../platform/input/scalars.js";
import { cameraById } from "../camera/camera.loader.js";
import { facilityById } from "../facility/facility.loader.js";
import { AlertFilter } from "./alert.input.js";
import { type AlertRow, alertById, matchingAlert } from "./alert.loader.js";
import { Alert } from "./alert.type.js";

const place = z.object({
  facilityId: idField
    .nullish()
    .describe("Only alerts of this facility; NOT_FOUND if it is not visible to the caller."),
  cameraId: idField
    .nullish()
    .describe("Only alerts of this camera; NOT_FOUND if it is not visible to the caller."),
});

type AlertPlaceArguments = InstanceType<typeof AlertPlaceArguments>;
const AlertPlaceArguments = argumentsType(place);

const { types, severities } = AlertFilter.rules.shape;
type AlertRaisedArguments = InstanceType<typeof AlertRaisedArguments>;
const AlertRaisedArguments = argumentsType(place.extend({ types, severities }));

enum AlertChangeKind {
  MARKED = "MARKED",
  COMMENTED = "COMMENTED",
  PICTURE = "PICTURE",
  CLIP = "CLIP",
  DELETED = "DELETED",
}

registerEnumType(AlertChangeKind, {
  name: "AlertChangeKind",
  description: "The kinds of changes of alerts.",
  valuesConfig: {
    MARKED: { description: "The bookmark, the false positive mark or the acknowledgement changed." },
    COMMENTED: { description: "A comment was written or deleted." },
    PICTURE: { description: "The gateway added a picture that it took for the alert." },
    CLIP: { description: "The clip is READY or FAILED, or was deleted." },
    DELETED: { description: "The alert was deleted by `deleteAlerts`." },
  },
});

@ObjectType({ description: "A change of an alert.", simpleResolvers: true })
class AlertChange {
  @Field(() => Uuid, { description: "The ID of the alert." })
  alertId!: string;

  @Field(() => AlertChangeKind, { description: "The kind of change." })
  kind!: AlertChangeKind;
}

@Resolver(() => AlertChange)
export class AlertChangeResolver {
  @RequiresColumns()
  @FieldResolver(() => Alert, {
    nullable: true,
    description: "The alert as it is now; null if it has been deleted.",
  })
  alert(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Root() { alertId, kind }: AlertChange,
  ): Promise<AlertRow | null> | null {
    // A new alert may have taken its ID.
    return kind === AlertChangeKind.DELETED ? null : alertById(context, selection).load(alertId);
  }
}

@Resolver()
export class AlertSubscriptions {
  @ReturnsLoaded()
  @Subscription(() => Alert, {
    description: "Delivers each alert that is visible to the caller when it is recorded.",
    subscribe: ({ context, args }) => alertEvents(context, "alertRaised", args),
  })
  async alertRaised(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Root() { id }: EventRoot,
    @CheckedArgs(AlertRaisedArguments) { types = null, severities = null }: AlertRaisedArguments,
  ): Promise<AlertRow> {
    return orNotFound(await matchingAlert(context, selection, { types, severities }).load(id));
  }

  @Subscription(() => AlertChange, {
    description:
      "Delivers each change of an alert that is visible to the caller: its marks, its comments, a picture that the gateway adds, its clip, and its deletion by `deleteAlerts`, but not its deletion along with its camera.",
    subscribe: ({ context, args }) => alertEvents(context, "alertChanged", args),
  })
  alertChanged(
    @Ctx() { caller }: RequestContext,
    @Root() { id, facilityId, cameraId, change }: EventRoot,
    @CheckedArgs(AlertPlaceArguments) _wanted: AlertPlaceArguments,
  ): AlertChange {
    if (!facilityId || !cameraId || !change || !seesAlertsOf(caller, { facilityId, cameraId }))
      throw notFound();
    return { alertId: id, kind: AlertChangeKind[change] };
  }
}

async function alertEvents(
  context: RequestContext,
  topic: Topic,
  { facilityId, cameraId }: AlertPlaceArguments,
): Promise<EventStream> {
  if (facilityId != null) orNotFound(await facilityById(context, columnsOnly(["id"])).load(facilityId));
  if (cameraId != null) orNotFound(await cameraById(context, columnsOnly(["id"])).load(cameraId));
  return eventsFor(context, topic, { facilityId, cameraId });
}
