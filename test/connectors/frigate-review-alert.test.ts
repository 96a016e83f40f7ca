// Needs no gateway.
import type { Review } from "../../src/programs/connectors/frigate/frigate-messages.js";
import { camerasOfConfig } from "../../src/programs/connectors/frigate/frigate-site.js";
import {
  alertIdOf,
  alertOf,
  meaningOf,
  type RuledCamera,
  type ZoneRule,
} from "../../src/programs/connectors/frigate/reviews/review-alert.js";

const start = Date.parse("2026-11-27T12:00:00Z");
const review = (values: Partial<Review> = {}): Review => ({
  id: "1764244800.0-abcdef",
  camera: "door",
  isAlert: true,
  start,
  end: null,
  objectIds: ["b", "a"],
  labels: ["dog", "person"],
  subLabels: [],
  zones: ["yard", "drive"],
  sounds: [],
  ...values,
});

const rule = (id: string, areaName: string, values: Partial<ZoneRule> = {}): ZoneRule => ({
  id,
  name: `RULE_${id}`,
  dayRange: [0, 1, 2, 3, 4, 5, 6],
  timeRange: null,
  areas: [{ id: `area of ${id}`, name: areaName }],
  ...values,
});
const camera = (...rules: ZoneRule[]): RuledCamera => ({
  id: "camera",
  timeZoneId: "Europe/Istanbul",
  rules,
});
const hours = (from: string, to: string) => ({
  start: Date.parse(`2026-01-01T${from}:00+03:00`),
  end: Date.parse(`2026-01-01T${to}:00+03:00`),
});

const site =
  camerasOfConfig({
    cameras: {
      door: {
        detect: { width: 1280, height: 720 },
        zones: {
          yard: { coordinates: "0,0,0.5,0,0.5,0.5" },
          drive: { coordinates: "", friendly_name: "The Drive" },
        },
        review: { alerts: { labels: ["person", "car"] } },
      },
    },
  })?.get("door") ?? null;

const alert = (given: Review, ...rules: ZoneRule[]) =>
  alertOf(given, meaningOf(given, camera(...rules), site), {
    connector: "site",
    cameraId: "camera",
    site,
    objects: [
      {
        id: "a",
        label: "person",
        zones: [],
        hasEnded: false,
        box: { left: 0.1, top: 0.2, right: 0.3, bottom: 0.5 },
      },
      { id: "b", label: "dog", zones: [], hasEnded: true, box: null },
    ],
  });

describe("the rule of a review", () => {
  it("is that of the first zone that has one", () => {
    expect(meaningOf(review(), camera(rule("1", "elsewhere"), rule("2", "drive")), site)).toEqual({
      rule: rule("2", "drive"),
      areaIds: ["area of 2"],
      zone: "drive",
      isOutsideWindow: false,
    });
  });

  it.each(["The Drive", " DRIVE "])("has an area called %s, as people write it", (name) => {
    expect(meaningOf(review(), camera(rule("1", name)), site).zone).toBe("drive");
  });

  it("is asleep if its clock times, where the camera is, do not include the start of the review", () => {
    const { isOutsideWindow, zone } = meaningOf(
      review(),
      camera(rule("1", "yard", { timeRange: hours("16:00", "18:00") }), rule("2", "drive")),
      site,
    );
    expect([isOutsideWindow, zone]).toEqual([true, "yard"]);
  });

  it("is the one that is awake, of several for a zone", () => {
    const night = rule("1", "yard", { timeRange: hours("22:00", "06:00") });
    const day = rule("2", "yard", { timeRange: hours("06:00", "22:00") });
    expect(meaningOf(review(), camera(night, day), site).rule).toBe(day);
    const atNight = review({ start: start + 11 * 3_600_000 });
    expect(meaningOf(atNight, camera(night, day), site).rule).toBe(night);
    const friday = { timeRange: null, dayRange: [5] };
    expect(meaningOf(review(), camera(night, rule("3", "yard", friday)), site).rule?.id).toBe("3");
  });
});

describe("the alert of a review", () => {
  it("has the rule's name, the zone's polygon and the feet of the objects, on the frame in which Frigate detects", () => {
    expect(alert(review(), rule("1", "yard"))).toEqual({
      id: alertIdOf("site", review().id),
      cameraId: "camera",
      name: "RULE_1",
      createdAt: "2026-11-27T12:00:00.000Z",
      alertRuleId: "1",
      areaIds: ["area of 1"],
      count: 2,
      canvasDimensions: { width: 1280, height: 720 },
      violatingCoordinates: [{ x: 256, y: 360 }],
      area: [
        { x: 0, y: 0 },
        { x: 640, y: 0 },
        { x: 640, y: 360 },
      ],
      info: {
        source: "frigate",
        connector: "site",
        reviewId: "1764244800.0-abcdef",
        camera: "door",
        labels: ["dog", "person"],
        subLabels: [],
        sounds: [],
        zones: ["yard", "drive"],
        objectIds: ["b", "a"],
      },
    });
  });

  it.each<[string, Partial<Review>]>([
    ["PERSON_IN_YARD", {}],
    ["PERSON", { zones: [] }],
    ["DOG_IN_YARD", { labels: ["dog"] }],
    ["SCREAM", { labels: [], sounds: ["yell", "scream"], zones: [] }],
    ["ALERT_IN_BACK_YARD_2", { labels: [], zones: ["back yard-2"] }],
    ["ALERT", { labels: ["!"], zones: ["?"] }],
    [`PERSON_IN_${"Z".repeat(90)}`, { zones: ["z".repeat(200)] }],
  ])("is called %s without a rule", (name, values) => {
    const { alertRuleId, areaIds, ...made } = alert(review(values));
    expect([made.name, alertRuleId, areaIds]).toEqual([name, null, []]);
  });

  it("has an id of its own for each connector and review, always the same", () => {
    expect(alertIdOf("site", "1764244800.0-abcdef")).toBe("3dbf28b8-7570-566f-9f12-d4feefcefab4");
    expect(new Set([alertIdOf("a", "bc"), alertIdOf("ab", "c"), alertIdOf("a", "b")])).toHaveLength(3);
  });
});
