import type { CameraRuleFragment, RulesCameraFragment } from "../../../generated/console.js";
import type { Point } from "../../../platform/geometry.js";
import { memberIn } from "../../../platform/record.js";
import { keepDraft, keptDraft } from "../../session/drafts.js";
import { hasTexts } from "../../storage.js";
import { type DrawnArea, defaultColor, minCorners } from "../areas.js";
import { distinctColor } from "../colors.js";

/** An area of a rule while it is drawn. */
export interface Drawing extends DrawnArea {
  rule: CameraRuleFragment;
  /** False while the viewer still adds corners. */
  isClosed: boolean;
  /** The number of the corner that the viewer touched last. */
  corner?: number | undefined;
}

export type DrawingChange = Partial<Pick<Drawing, "points" | "isClosed" | "corner">>;

/** Begins to draw an area that a rule has, or else a new one. */
export function newDrawing(
  rule: CameraRuleFragment,
  camera: RulesCameraFragment,
  newName: string,
  id?: string,
): Drawing {
  const area = rule.areas.find((each) => each.id === id);
  if (area) {
    const { name, color, points } = area;
    const isClosed = points.length >= minCorners;
    return { rule, id, name: name ?? "", color: color ?? defaultColor, points, isClosed };
  }
  const taken = camera.alertRules.flatMap(({ areas }) => areas.map(({ color }) => color ?? defaultColor));
  return { rule, name: newName, color: distinctColor(taken), points: [], isClosed: false };
}

const draftKey = ({ id }: CameraRuleFragment) => `outline ${id}`;

/** Keeps a drawing in this tab. */
export function keepDrawing({ rule, corner: _, ...drawn }: Drawing): void {
  keepDraft(draftKey(rule), { ...drawn, updatedAt: rule.updatedAt });
}

export const forgetDrawing = ({ rule }: Drawing): void => keepDraft(draftKey(rule), undefined);

/** The drawing from before the session ended; undefined if there was none. */
export function interruptedDrawing({ alertRules }: RulesCameraFragment): Drawing | undefined {
  return alertRules.flatMap((rule) => {
    const kept = keptDraft(draftKey(rule));
    if (!isDrawing(kept)) return [];
    const { updatedAt, ...drawn } = kept;
    return [{ ...drawn, rule: { ...rule, updatedAt } }];
  })[0];
}

type KeptDrawing = DrawnArea & { isClosed: boolean; updatedAt: string };

function isDrawing(value: unknown): value is KeptDrawing {
  const [id, points] = [memberIn(value, "id"), memberIn(value, "points")];
  return (
    hasTexts(value, ["name", "color", "updatedAt"]) &&
    (id === undefined || typeof id === "string") &&
    typeof memberIn(value, "isClosed") === "boolean" &&
    Array.isArray(points) &&
    points.every((point: Partial<Point> | null) => Number.isFinite(point?.x) && Number.isFinite(point?.y))
  );
}
