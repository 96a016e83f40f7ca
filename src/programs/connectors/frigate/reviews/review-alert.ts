import { clockTime, isOpen, windowOf } from "../../../../features/detection/evaluation/window.js";
import { defined } from "../../../../platform/defined.js";
import type { Point, Size } from "../../../../platform/geometry.js";
import { nameUuid } from "../../../../platform/ids/name-uuid.js";
import type { RelativeBox, Review } from "../frigate-messages.js";
import type { FrigateCamera } from "../frigate-site.js";

/** A camera of the gateway, with what its rules say about zones and times. */
export interface RuledCamera {
  id: string;
  timeZoneId: string;
  rules: readonly ZoneRule[];
}

export interface ZoneRule {
  id: string;
  name: string;
  dayRange: readonly number[];
  /** The hours of the rule as instants, in milliseconds since 1970; null for the whole day. */
  timeRange: { start: number; end: number } | null;
  areas: readonly { id: string; name: string | null }[];
}

export interface SeenObject {
  id: string;
  label: string;
  box: RelativeBox | null;
  zones: readonly string[];
  hasEnded: boolean;
}

/** What a review means to the gateway. */
interface ReviewMeaning {
  /** The rule of its zone; null if no zone has one. */
  rule: ZoneRule | null;
  /** The areas of the rule that stand for the zone. */
  areaIds: string[];
  /** The zone that the alert is about: the first with a rule, else the first. */
  zone: string | null;
  /** Whether the rule was asleep when the review began: there is no alert then. */
  isOutsideWindow: boolean;
}

/** What a review means by the rules of its camera, judged at its start. */
export function meaningOf(review: Review, camera: RuledCamera, site: FrigateCamera | null): ReviewMeaning {
  for (const zone of review.zones) {
    const rules = rulesOf(zone, camera, site);
    if (rules.length === 0) continue;
    const open = rules.find(({ rule }) => isRuleOpen(rule, camera.timeZoneId, review.start));
    const { rule, areaIds } = open ?? defined(rules[0]);
    return { rule, areaIds, zone, isOutsideWindow: !open };
  }
  return { rule: null, areaIds: [], zone: review.zones[0] ?? null, isOutsideWindow: false };
}

/** The rules that have an area with the name of a zone. */
function rulesOf(
  zone: string,
  { rules }: RuledCamera,
  site: FrigateCamera | null,
): { rule: ZoneRule; areaIds: string[] }[] {
  const friendlyName = site?.zones.get(zone)?.friendlyName;
  const isNamed = (name: string | null) =>
    name !== null && (isSame(name, zone) || isSame(name, friendlyName));
  return rules.flatMap((rule) => {
    const areaIds = rule.areas.flatMap(({ id, name }) => (isNamed(name) ? [id] : []));
    return areaIds.length > 0 ? [{ rule, areaIds }] : [];
  });
}

const isSame = (one: string, other: string | null | undefined) =>
  one.trim().toLowerCase() === other?.trim().toLowerCase();

function isRuleOpen(rule: ZoneRule, timeZoneId: string, at: number): boolean {
  const window = windowOf(rule, timeZoneId);
  return !window || isOpen(window, clockTime(at, timeZoneId));
}

export interface ReviewAlert {
  id: string;
  cameraId: string;
  name: string;
  createdAt: string;
  alertRuleId: string | null;
  areaIds: string[];
  count: number;
  canvasDimensions: Size | null;
  violatingCoordinates: Point[];
  area: Point[] | null;
  info: Record<string, unknown>;
}

/** The namespace of the ids of alerts that are made of reviews. */
const reviewNamespace = "0f6f9a52-5b5c-4d5b-9a53-0e1c3f9d7a11";

/** The id of a review's alert: the same whoever makes it, as often as it is made. */
export const alertIdOf = (connector: string, reviewId: string): string =>
  nameUuid(nameUuid(reviewNamespace, connector), reviewId);

/** The alert that a review becomes. Its coordinates are on the frame in which Frigate detects. */
export function alertOf(
  review: Review,
  { rule, areaIds, zone }: ReviewMeaning,
  {
    connector,
    cameraId,
    site,
    objects,
  }: { connector: string; cameraId: string; site: FrigateCamera | null; objects: readonly SeenObject[] },
): ReviewAlert {
  const canvas = site?.detect ?? null;
  const polygon = (zone !== null && site?.zones.get(zone)?.polygon) || [];
  return {
    id: alertIdOf(connector, review.id),
    cameraId,
    name: rule?.name ?? nameWithoutRule(review, zone, site),
    createdAt: new Date(review.start).toISOString(),
    alertRuleId: rule?.id ?? null,
    areaIds,
    count: Math.max(1, review.objectIds.length),
    canvasDimensions: canvas,
    violatingCoordinates: canvas
      ? objects.flatMap(({ box }) => (box ? [onCanvas(bottomCentre(box), canvas)] : []))
      : [],
    area: canvas && polygon.length > 0 ? polygon.map((point) => onCanvas(point, canvas)) : null,
    info: {
      source: "frigate",
      connector,
      reviewId: review.id,
      camera: review.camera,
      labels: review.labels.slice(0, maxListed),
      subLabels: review.subLabels.slice(0, maxListed),
      sounds: review.sounds.slice(0, maxListed),
      zones: review.zones.slice(0, maxListed),
      objectIds: review.objectIds.slice(0, maxListed),
    },
  };
}

const bottomCentre = ({ left, right, bottom }: RelativeBox): Point => ({ x: (left + right) / 2, y: bottom });

const onCanvas = ({ x, y }: Point, { width, height }: Size): Point => ({
  x: Math.round(x * width * 100) / 100,
  y: Math.round(y * height * 100) / 100,
});

/** The items of each list in `info`, which keep it within what the gateway takes. */
const maxListed = 50;

/** As long as an alert's name may be. */
const maxNameLength = 100;

/** `<LABEL>_IN_<ZONE>`, or `<LABEL>` without a zone. */
function nameWithoutRule(review: Review, zone: string | null, site: FrigateCamera | null): string {
  const label = asType(mainLabel(review, site)) || "ALERT";
  const zoneType = zone === null ? "" : asType(zone);
  return (zoneType ? `${label}_IN_${zoneType}` : label).slice(0, maxNameLength);
}

/**
 * The label that a review is about: the first that Frigate's configuration counts as an alert, else the first by name,
 * as Frigate lists labels in no order.
 */
function mainLabel({ labels, sounds }: Review, site: FrigateCamera | null): string {
  const all = [...labels, ...sounds];
  return (
    site?.alertLabels.find((label) => all.includes(label)) ??
    labels.toSorted()[0] ??
    sounds.toSorted()[0] ??
    ""
  );
}

const asType = (text: string) =>
  text
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]+/gu, "_")
    .replace(/^_|_$/g, "");
