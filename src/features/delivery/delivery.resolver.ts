import { Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import { can } from "../../engine/access/permissions.js";
import type { RequestContext } from "../../engine/operation/request-context.js";
import { ReadAhead, RequiresColumns, ReturnsLoaded } from "../../engine/reading/annotations.js";
import type { Connection } from "../../engine/reading/connection.js";
import { loadReferenced } from "../../engine/reading/load-referenced.js";
import { Selected } from "../../engine/reading/selection/selected-fields.js";
import type { Selection } from "../../engine/reading/selection/selection.js";
import { defined } from "../../platform/defined.js";
import { CheckedArgs } from "../../platform/input/input-type.js";
import { type AlertRow, alertById } from "../alert/alert.loader.js";
import { Alert } from "../alert/alert.type.js";
import { type AlertRuleRow, alertRuleById } from "../alert-rule/alert-rule.loader.js";
import { AlertRule } from "../alert-rule/alert-rule.type.js";
import { type CameraRow, cameraById } from "../camera/camera.loader.js";
import { Camera } from "../camera/camera.type.js";
import { type FacilityRow, facilityById } from "../facility/facility.loader.js";
import { Facility } from "../facility/facility.type.js";
import type { WorkspaceRow } from "../workspace/workspace.loader.js";
import { Workspace } from "../workspace/workspace.type.js";
import { channelNames } from "./channels/delivery-channels.js";
import { DeliveryListArguments } from "./delivery.input.js";
import { type DeliveryRow, deliveriesByAlert, deliveryLists } from "./delivery.loader.js";
import { Delivery, DeliveryConnection } from "./delivery.type.js";
import { managingPermission } from "./delivery-access.js";
import { DeliveryChannel } from "./outbox/delivery-state.js";

@Resolver(() => Delivery)
export class DeliveryResolver {
  @RequiresColumns("target", "facilityId")
  @FieldResolver(() => String, {
    nullable: true,
    description:
      "The URL, the email address or the phone number. Null for callers without alert-rules:write at the facility; for mails to people, without users:write in the workspace.",
  })
  target(@Ctx() context: RequestContext, @Root() delivery: DeliveryRow): string | null {
    const needed = managingPermission(delivery.facilityId ?? null);
    return can(context.caller, ...needed) ? defined(delivery.target) : null;
  }

  @ReturnsLoaded()
  @RequiresColumns("alertId")
  @FieldResolver(() => Alert, {
    nullable: true,
    description:
      "The alert that the notification is about; null if it is about no alert, or the alert has been deleted.",
  })
  alert(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Root() delivery: DeliveryRow,
  ): Promise<AlertRow | null> | null {
    return delivery.alertId ? alertById(context, selection).load(delivery.alertId) : null;
  }

  @ReturnsLoaded()
  @RequiresColumns("alertRuleId")
  @FieldResolver(() => AlertRule, {
    nullable: true,
    description: "The rule of the alert or the test; null if there is no rule, or the rule has been deleted.",
  })
  alertRule(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Root() delivery: DeliveryRow,
  ): Promise<AlertRuleRow | null> | null {
    return delivery.alertRuleId ? alertRuleById(context, selection).load(delivery.alertRuleId) : null;
  }

  @ReturnsLoaded()
  @RequiresColumns("cameraId")
  @FieldResolver(() => Camera, {
    nullable: true,
    description:
      "The camera that the notification is about; null if it is about a whole facility, or for a person.",
  })
  camera(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Root() delivery: DeliveryRow,
  ): Promise<CameraRow | null> | null {
    return delivery.cameraId ? cameraById(context, selection).load(delivery.cameraId) : null;
  }

  @ReturnsLoaded()
  @RequiresColumns("facilityId")
  @FieldResolver(() => Facility, {
    nullable: true,
    description: "The facility that the notification is about; null for a mail to a person.",
  })
  facility(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Root() delivery: DeliveryRow,
  ): Promise<FacilityRow> | null {
    return delivery.facilityId ? loadReferenced(context, facilityById, selection, delivery.facilityId) : null;
  }
}

@Resolver(() => Workspace)
export class WorkspaceDeliveriesResolver {
  @RequiresColumns()
  @ReadAhead(deliveryLists.workspace.pages)
  @FieldResolver(() => DeliveryConnection, {
    description:
      "The notifications of all facilities that are visible to the caller, newest first. Callers with users:read or users:write in the workspace also see mails to people, except for those with sign-in links.",
  })
  deliveries(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Root() workspace: WorkspaceRow,
    @CheckedArgs(DeliveryListArguments) list: DeliveryListArguments,
  ): Promise<Connection<DeliveryRow>> {
    return deliveryLists.workspace(context, workspace.id, selection, list);
  }

  @RequiresColumns()
  @FieldResolver(() => [DeliveryChannel], {
    description:
      "The channels for which the gateway is set up. The gateway queues nothing for addresses and numbers of other channels.",
  })
  deliveryChannels(@Ctx() context: RequestContext): DeliveryChannel[] {
    return channelNames.filter((channel) => context.services.settings.deliveryChannels.has(channel));
  }
}

@Resolver(() => AlertRule)
export class AlertRuleDeliveriesResolver {
  @RequiresColumns()
  @ReadAhead(deliveryLists.alertRule.pages)
  @FieldResolver(() => DeliveryConnection, {
    description: "The notifications of the rule's alerts, and of tests, newest first.",
  })
  deliveries(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Root() rule: AlertRuleRow,
    @CheckedArgs(DeliveryListArguments) list: DeliveryListArguments,
  ): Promise<Connection<DeliveryRow>> {
    return deliveryLists.alertRule(context, rule.id, selection, list);
  }
}

@Resolver(() => Alert)
export class AlertDeliveriesResolver {
  @RequiresColumns()
  @ReadAhead(deliveriesByAlert)
  @FieldResolver(() => [Delivery], {
    description: "The notifications of the alert, sent or not, newest first.",
  })
  deliveries(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Root() alert: AlertRow,
  ): Promise<DeliveryRow[]> {
    return deliveriesByAlert(context, selection).load(alert.id);
  }
}
