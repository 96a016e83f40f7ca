import { Arg, Ctx, Query, Resolver } from "type-graphql";
import type { Caller } from "../../engine/access/permissions.js";
import type { RequestContext } from "../../engine/operation/request-context.js";
import { ReadAhead, ReturnsLoaded } from "../../engine/reading/annotations.js";
import type { Connection } from "../../engine/reading/connection.js";
import type { ReadingContext } from "../../engine/reading/loader.js";
import { fieldsOf, reference } from "../../engine/reading/selection/fields.js";
import { Selected } from "../../engine/reading/selection/selected-fields.js";
import type { Selection } from "../../engine/reading/selection/selection.js";
import { idToFind, linkTo } from "../../platform/input/descriptions.js";
import { CheckedArgs } from "../../platform/input/input-type.js";
import { Uuid } from "../../platform/input/scalars.js";
import { localTime } from "../../platform/time.js";
import { alertRuleById } from "../alert-rule/alert-rule.loader.js";
import { AlertRule } from "../alert-rule/alert-rule.type.js";
import { type CameraRow, cameraById } from "../camera/camera.loader.js";
import { Camera } from "../camera/camera.type.js";
import { facilityById } from "../facility/facility.loader.js";
import { Facility } from "../facility/facility.type.js";
import { Workspace } from "../workspace/workspace.type.js";
import {
  AlertCountArguments,
  AlertListArguments,
  LastAlertArguments,
  NestedAlertListArguments,
} from "./alert.input.js";
import {
  type AlertParent,
  type AlertRow,
  alertById,
  alertCounts,
  alertLists,
  lastAlertOfType,
} from "./alert.loader.js";
import { Alert, AlertConnection } from "./alert.type.js";
import { clipOfAlert } from "./clips/alert-clip.loader.js";
import { AlertClip } from "./clips/alert-clip.type.js";
import type { PicturedAlert } from "./pictures/alert-picture.js";
import { annotatedPictureText, annotatedUrl } from "./pictures/annotated-picture.service.js";
import { proxiedPictureText, proxiedUrl } from "./pictures/proxied-picture.service.js";
import { AlertCount } from "./statistics/alert-count.type.js";
import { alertKinds, maxKinds } from "./statistics/alert-kinds.js";
import { costOfDays } from "./statistics/alert-statistics.js";

@Resolver()
export class AlertQueries {
  @ReturnsLoaded(alertLists.workspace.pages)
  @Query(() => AlertConnection, { description: "The alerts that are visible to the caller, newest first." })
  alerts(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @CheckedArgs(AlertListArguments) list: AlertListArguments,
  ): Promise<Connection<AlertRow>> {
    return alertLists.workspace(context, context.caller.workspaceId, selection, list);
  }

  @ReturnsLoaded()
  @Query(() => Alert, {
    nullable: true,
    description: "An alert by ID; null if there is none that the caller may see.",
  })
  alert(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Arg("id", () => Uuid, { description: idToFind("the alert") }) id: string,
  ): Promise<AlertRow | null> {
    return alertById(context, selection).load(id);
  }

  @Query(() => [AlertCount], {
    description:
      "The number of alerts that are visible to the caller per day, week or month, ascending. Each alert counts by the calendar of its own facility.",
  })
  alertCounts(
    @Ctx() context: RequestContext,
    @CheckedArgs(AlertCountArguments) counts: AlertCountArguments,
  ): Promise<AlertCount[]> {
    return alertCounts(context, { parent: "workspace", ...counts }).load(context.caller.workspaceId);
  }
}

const alertOf = ({ workspaceId }: Caller, { id }: AlertRow): PicturedAlert => ({ workspaceId, alertId: id });

export const AlertFields = fieldsOf<AlertRow>(Alert, {
  localCreatedAt: {
    type: () => String,
    description:
      "`createdAt` in the facility's local time with the UTC offset, such as 2026-11-20T12:30:00.000+03:00.",
    columns: ["timeZoneId"],
    // A facility that someone removed by SQL has no time zone.
    resolve: ({ createdAt, timeZoneId = "UTC" }) => localTime(createdAt, timeZoneId),
  },
  url: {
    type: () => String,
    nullable: true,
    description: `${linkTo("the picture")} A URL from the detector is returned as is.`,
    columns: ["url"],
    resolve: ({ url }, { services }: RequestContext) => services.links.urlFor(url),
  },
  thumbnailUrl: {
    type: () => String,
    nullable: true,
    description: `${linkTo("a small version of the picture")} A URL from the detector is returned as is.`,
    columns: ["thumbnailUrl"],
    resolve: ({ thumbnailUrl }, { services }: RequestContext) => services.links.urlFor(thumbnailUrl),
  },
  annotatedUrl: {
    type: () => String,
    nullable: true,
    description: `${linkTo("the picture with `area` and `violatingCoordinates` drawn on it")} ${annotatedPictureText} Also null if the picture is at a URL from the detector, or if there is nothing to draw.`,
    columns: ["isAnnotatable"],
    resolve: (alert, { services, caller }: RequestContext) =>
      alert.isAnnotatable ? annotatedUrl(services.links, alertOf(caller, alert)) : null,
  },
  proxiedUrl: {
    type: () => String,
    nullable: true,
    description: `${linkTo("the picture if it is at a URL from the detector")} ${proxiedPictureText} Null for pictures in the store, which \`url\` shows, and for addresses that the gateway is not configured to fetch from. A link may lead to nothing where the detector's server does not answer.`,
    columns: ["url"],
    resolve: (alert, { services, caller }: RequestContext) =>
      proxiedUrl(services, alertOf(caller, alert), alert.url),
  },
  clip: {
    type: () => AlertClip,
    nullable: true,
    description: "The clip of the alert; null without one.",
    columns: ["id"],
    readAhead: ReadAhead(clipOfAlert),
    load: ({ id }, context, selection) => clipOfAlert(context, selection).load(id),
  },
  camera: {
    type: () => Camera,
    description: "The camera that raised the alert.",
    ...reference("cameraId", cameraById),
  },
  facility: {
    type: () => Facility,
    description: "The facility at which the alert was raised.",
    ...reference("facilityId", facilityById),
  },
  alertRule: {
    type: () => AlertRule,
    nullable: true,
    description: "The rule that raised the alert; null if no rule did, or the rule has been deleted.",
    columns: ["alertRuleId"],
    load: ({ alertRuleId }, context, selection) =>
      alertRuleId ? alertRuleById(context, selection).load(alertRuleId) : null,
  },
});

const alertList = (parent: AlertParent, description: string) => ({
  type: () => AlertConnection,
  description,
  args: NestedAlertListArguments,
  readAhead: ReadAhead(alertLists[parent].pages),
  load: (
    { id }: { id: string },
    context: ReadingContext,
    selection: Selection,
    list: NestedAlertListArguments,
  ) => alertLists[parent](context, id, selection, list),
});

const alertCountList = (parent: AlertParent) => ({
  type: () => [AlertCount],
  description: `The number of the ${parent}'s alerts per day, week or month, ascending.`,
  args: AlertCountArguments,
  resolve: ({ id }: { id: string }, context: ReadingContext, counts: AlertCountArguments) =>
    alertCounts(context, { parent, ...counts }).load(id),
});

const kindList = (kinds: "types" | "severities") => ({
  type: () => [String],
  cost: costOfDays,
  description: `The ${kinds} of the alerts of all facilities that are visible to the caller, to choose from in \`AlertFilter.${kinds}\`; sorted, the first ${maxKinds} at most. Costs ${costOfDays}.`,
  resolve: async ({ id }: { id: string }, context: ReadingContext) =>
    (await alertKinds(context, undefined).load(id))[kinds],
});

export const alertFieldsOfParents = [
  fieldsOf(Workspace, {
    alerts: alertList(
      "workspace",
      "The alerts of all facilities that are visible to the caller, newest first.",
    ),
    alertTypes: kindList("types"),
    alertSeverities: kindList("severities"),
  }),
  fieldsOf(Facility, {
    alerts: alertList("facility", "The facility's alerts, newest first."),
    alertCounts: alertCountList("facility"),
  }),
  fieldsOf<CameraRow>(Camera, {
    alerts: alertList("camera", "The camera's alerts, newest first."),
    alertCounts: alertCountList("camera"),
    lastAlert: {
      type: () => Alert,
      nullable: true,
      description: "The camera's newest alert of a type; null if there is none.",
      args: LastAlertArguments,
      readAhead: ReadAhead(lastAlertOfType),
      load: ({ id }, context, selection, { type }: LastAlertArguments) =>
        lastAlertOfType(context, selection, type).load(id),
    },
  }),
  fieldsOf(AlertRule, {
    alerts: alertList("alertRule", "The alerts raised by the rule, newest first."),
  }),
];
