import { z } from "zod";
import {
  type CameraState,
  ToolAwayDocument,
  type ToolCameraFragment,
  ToolCamerasDocument,
  ToolDeliveriesDocument,
  ToolFacilitiesDocument,
  ToolRulesDocument,
  type ToolRulesQuery,
} from "../../generated/operations.js";
import { notFound } from "../../platform/errors/errors.js";
import { localTime } from "../../platform/time.js";
import { id } from "./alert-arguments.js";
import { time, untrusted } from "./result-texts.js";
import { itemsFrom, itemsOf, maxItems, tool } from "./tool.js";

/**
 * A text without differences of upper and lower case, in whatever language it is, as the function
 * "foldedText" of the database folds names: İSTANBUL, Istanbul and ISTANBUL are the same.
 */
export const foldedText = (text: string): string =>
  text
    .normalize("NFC")
    .replaceAll("ẞ", "ß")
    .toUpperCase()
    .toLowerCase()
    .replaceAll("ς", "σ")
    .replaceAll("i\u0307", "i")
    .normalize("NFC");

/** What a camera may be, besides WORKING, and whether its facility is not to blame. */
const statesAway: CameraState[] = ["NO_STREAM", "FAULT_REPORTED", "PICTURE_OLD", "NEVER_CONNECTED"];
const states = [...statesAway, "FACILITY_OFFLINE", "WORKING"] as const;

const name = (what: string) =>
  z
    .string("must be a string")
    .min(1, "must not be empty")
    .max(200, "must have at most 200 characters")
    .optional()
    .describe(what);

/** What to try if a name finds nothing: people seldom say the whole name as it is written. */
const hintForNone = (
  count: number,
  { name, facility_id }: { name?: string | undefined; facility_id?: string | undefined },
): { hint?: string } =>
  count === 0 && (name ?? facility_id) !== undefined
    ? { hint: "Nothing matches: try one word of the name, or leave arguments out to list all." }
    : {};

function cameraItem({ id, facility, state, statusDetail, ...camera }: ToolCameraFragment) {
  const { effectiveTimeZoneId: zone } = facility;
  return {
    camera_id: id,
    facility_id: facility.id,
    state,
    status_since: time(camera.statusDetailChangedAt, zone),
    picture_taken: time(camera.pictureAt, zone),
    snoozed_until: time(camera.snoozedUntil, zone),
    ...untrusted({ camera: camera.name, facility: facility.name, status: statusDetail }),
  };
}

const findFacilities = tool({
  name: "find_facilities",
  title: "Find facilities",
  description:
    "Lists the sites (facilities) that the user may see, with their ids, time zones, the number of cameras and of open alerts, and whether the device at the site is online (if not monitored, that says nothing). Use it first to turn the name of a site into a facility_id for the other tools.",
  operation: ToolFacilitiesDocument,
  hasPages: true,
  input: { name: name("Only facilities whose name or address contains this text, in upper or lower case") },
  variables: () => ({}),
  toResult: ({ facilities }, { name }, circumstances) => {
    const wanted = foldedText(name ?? "");
    const found = facilities.filter((facility) =>
      [facility.name, facility.address].some((text) => text != null && foldedText(text).includes(wanted)),
    );
    const item = (facility: (typeof found)[number]) => ({
      facility_id: facility.id,
      time_zone: facility.effectiveTimeZoneId,
      monitored: facility.monitored,
      online: facility.online,
      last_heartbeat: time(facility.lastHeartbeatAt, facility.effectiveTimeZoneId),
      cameras: facility.cameraCount,
      open_alerts: facility.openAlertCount,
      ...untrusted({ name: facility.name, address: facility.address }),
    });
    const facts = { total: found.length, ...hintForNone(found.length, { name }) };
    return { facts, ...itemsFrom(found, item, circumstances) };
  },
});

const findCameras = tool({
  name: "find_cameras",
  title: "Find cameras",
  description:
    "Lists cameras by name, with their ids, facility, state, the time of their last picture, and the number of open alerts. Filter by facility_id, by a part of the camera's name, or by state.",
  operation: ToolCamerasDocument,
  hasPages: true,
  input: {
    name: name("Only cameras whose name contains this text, in upper or lower case"),
    facility_id: id("Only cameras at this facility; find_facilities tells ids").optional(),
    states: z
      .array(z.enum(states, `must be one of ${states.join(", ")}`))
      .min(1, "must not be empty")
      .max(states.length, "is too long")
      .optional()
      .describe("Only cameras in one of these states; all others than WORKING mean that the camera is away"),
  },
  variables: ({ name, facility_id, states }, { position }) => ({
    filter: {
      ...(name !== undefined && { text: name }),
      ...(facility_id !== undefined && { facilityIds: [facility_id] }),
      ...(states && { states: [...new Set(states)] }),
    },
    first: maxItems,
    after: position ?? null,
  }),
  toResult: ({ searchCameras }, given) => ({
    facts: { total: searchCameras.totalCount, ...hintForNone(searchCameras.totalCount, given) },
    ...itemsOf(searchCameras, ({ openAlertCount, ...camera }) => ({
      ...cameraItem(camera),
      open_alerts: openAlertCount,
    })),
  }),
});

/** Positions among facilities are numbers, and those among cameras their cursors. */
const amongCameras = "cameras ";

const whatIsAway = tool({
  name: "what_is_away",
  title: "What is away",
  description:
    "Tells what does not work at this moment: facilities whose device is offline (unless not monitored), and then cameras that deliver no picture or report a fault, at the other facilities. No items means that all is well. Answers “is anything down?”.",
  operation: ToolAwayDocument,
  hasPages: true,
  input: { facility_id: id("Only this facility; find_facilities tells ids").optional() },
  variables: ({ facility_id }, { position }) => ({
    filter: { states: statesAway, ...(facility_id !== undefined && { facilityIds: [facility_id] }) },
    first: maxItems,
    after: position?.startsWith(amongCameras) ? position.slice(amongCameras.length) || null : null,
  }),
  toResult: ({ facilities, searchCameras }, { facility_id }, circumstances) => {
    const asked = facilities.filter(({ id }) => facility_id === undefined || id === facility_id);
    const offline = asked.filter(({ monitored, online }) => monitored && !online);
    const facts = {
      facilities_offline: offline.length,
      cameras_away_elsewhere: searchCameras.totalCount,
      ...(asked.length === 0 && { hint: "No such facility is visible: find_facilities tells ids." }),
    };
    const isPastFacilities = circumstances.position?.startsWith(amongCameras) ?? false;
    const ofFacilities: ReturnType<typeof itemsFrom> = isPastFacilities
      ? { items: [] }
      : itemsFrom(
          offline,
          (facility) => ({
            kind: "facility",
            facility_id: facility.id,
            cameras: facility.cameraCount,
            last_heartbeat: time(facility.lastHeartbeatAt, facility.effectiveTimeZoneId),
            ...untrusted({ facility: facility.name }),
          }),
          circumstances,
        );
    const { items = [], hasMore = false } = ofFacilities;
    if (hasMore) return { facts, items, hasMore };
    const ofCameras = itemsOf(searchCameras, (camera) => ({ kind: "camera", ...cameraItem(camera) }));
    const cameras = (ofCameras.items ?? []).map(({ item, position }) => ({
      item,
      position: amongCameras + position,
    }));
    return { facts, items: [...items, ...cameras], hasMore: ofCameras.hasMore ?? false };
  },
});

const listFailedDeliveries = tool({
  name: "list_failed_deliveries",
  title: "List failed deliveries",
  description:
    "Lists notifications (webhooks, mails, text messages) that did not reach their targets, newest first, with the reason. given_up: the gateway stopped trying; waiting: it has not succeeded yet.",
  operation: ToolDeliveriesDocument,
  hasPages: true,
  input: {
    state: z
      .enum(["given_up", "waiting"], "must be given_up or waiting")
      .optional()
      .describe("given_up by default"),
  },
  variables: ({ state }, { position }) => ({
    filter: { states: [state === "waiting" ? ("PENDING" as const) : ("PARKED" as const)] },
    first: maxItems,
    after: position ?? null,
  }),
  toResult: ({ workspace: { deliveries } }) => ({
    facts: { total: deliveries.totalCount },
    ...itemsOf(deliveries, (delivery) => {
      const zone = delivery.facility?.effectiveTimeZoneId;
      return {
        delivery_id: delivery.id,
        about: delivery.kind,
        channel: delivery.channel,
        attempts: delivery.attempts,
        recorded: time(delivery.createdAt, zone),
        next_attempt: time(delivery.nextAttemptAt, zone),
        alert_id: delivery.alert?.id,
        alert_rule_id: delivery.alertRule?.id,
        camera_id: delivery.camera?.id,
        facility_id: delivery.facility?.id,
        ...untrusted({
          error: delivery.lastError,
          target: delivery.target,
          camera: delivery.camera?.name,
          facility: delivery.facility?.name,
        }),
      };
    }),
  }),
});

type ToolRule = NonNullable<ToolRulesQuery["camera"]>["alertRules"][number];

const days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/** When a rule is active. Detectors define themselves which day is 0, and what the times mean. */
function windowItem(
  { evaluated, dayRange, timeRange }: Pick<ToolRule, "evaluated" | "dayRange" | "timeRange">,
  zone: string | undefined,
) {
  if (!evaluated)
    return {
      days_numbered_by_detector: dayRange,
      active_between: timeRange?.map((instant) => time(instant, zone)),
    };
  const clockTime = (instant: string) => localTime(new Date(instant), zone ?? "UTC").slice(11, 16);
  return { days: dayRange.map((day) => days[day]), active_between: timeRange?.map(clockTime) };
}

const listRules = tool({
  name: "list_alert_rules",
  title: "List the alert rules of a camera",
  description:
    "Lists the rules that raise the alerts of a camera: what they look for in words, their severity and status, on which days and between which times of the facility's clock they are active, when they last raised an alert, and until when they are snoozed.",
  operation: ToolRulesDocument,
  hasPages: true,
  input: { camera_id: id("The camera; find_cameras tells ids") },
  variables: ({ camera_id }) => ({ cameraId: camera_id }),
  toResult: ({ camera }, _given, circumstances) => {
    if (!camera) throw notFound();
    const { alertRules, ...others } = camera;
    const zone = camera.facility.effectiveTimeZoneId;
    const item = (rule: (typeof alertRules)[number]) => ({
      alert_rule_id: rule.id,
      is_observation: rule.observation,
      is_evaluated_by_gateway: rule.evaluated,
      ...windowItem(rule, zone),
      last_fired: time(rule.lastFiredAt, zone),
      snoozed_until: time(rule.snoozedUntil, zone),
      ...untrusted(
        { type: rule.name, severity: rule.severity, status: rule.status, condition: rule.pretty },
        1_000,
      ),
    });
    return {
      facts: { camera: cameraItem(others), total: alertRules.length },
      ...itemsFrom(alertRules, item, circumstances),
    };
  },
});

export const fleetTools = [findFacilities, findCameras, whatIsAway, listFailedDeliveries, listRules];
