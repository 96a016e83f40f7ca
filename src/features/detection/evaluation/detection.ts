import type { Point, Size } from "../../../platform/geometry.js";
import type { ObjectAttributes } from "../../alert-rule/object-attributes.js";
import type { RuleNode } from "../../alert-rule/rule-tree.js";

export interface DetectedObject {
  label: string;
  confidence: number;
  /** In pixels of the frame, and within it. */
  box: Point & Size;
  /** The same in all frames that show the object; at most one object of a frame has it. */
  trackId?: string | undefined;
  attributes?: ObjectAttributes | undefined;
}

export interface DetectionFrame extends Size {
  /** When the frame was taken, in milliseconds since 1970, as all times here. */
  at: number;
  objects: readonly DetectedObject[];
}

/** A rule that is ACTIVE and evaluated by the gateway. */
export interface EvaluatedRule {
  id: string;
  /** The condition tree as stored, a GROUP at its root. */
  group: RuleNode;
  /** The local days of the week on which the rule applies; 0 is Sunday. */
  dayRange: readonly number[];
  /**
   * The rule applies between the clock times that the facility's zone shows at these instants; null for the
   * whole day.
   */
  timeRange: { start: number; end: number } | null;
  /** When the rule, its camera or facility is snoozed, the ends not included. */
  snoozes: readonly { from: number; until: number }[];
}

export interface CameraScene {
  /** The size of the picture in which areas are drawn; null if unknown. */
  imageDimensions: Size | null;
  /** The time zone of the camera's facility; null for UTC. */
  timeZoneId: string | null;
}

export interface FiredAlert {
  ruleId: string;
  at: number;
  count: number;
  /** Where these objects stand, in pixels of the frame. */
  points: Point[];
  /** The areas in which the rule found these objects, in the order of the tree. */
  areaIds: string[];
  /** The polygon of the area, in pixels of the frame; null unless there is exactly one. */
  area: Point[] | null;
  objects: DetectedObject[];
}

/** What is known about a camera between two frames: plain JSON of bounded size. Only `step` reads or makes it. */
export interface CameraState {
  /** The time of the last frame, in milliseconds since 1970; null before the first one. */
  at: number | null;
  rules: RuleState[];
  /** The tracked objects that belong to a rule, or did within the last minute. */
  objects: RememberedObject[];
}

export interface RuleState {
  id: string;
  /** When the rule last fired; null if it never did. */
  firedAt: number | null;
  /** The time shared by untracked objects, shortages and excesses; null if none is there. */
  timer: Stay | null;
}

export interface RememberedObject {
  trackId: string;
  seenAt: number;
  stays: readonly RuleStay[];
}

/** A time during which something belongs to a rule, with short gaps at most. */
export interface Stay {
  since: number;
  lastAt: number;
}

/** The stay of a tracked object in a rule. */
export interface RuleStay extends Stay {
  /** The position of the rule in `CameraState.rules`. */
  rule: number;
  /** Whether an alert has reported the object. */
  isReported: boolean;
}

export const emptyState: CameraState = { at: null, rules: [], objects: [] };
