import type { CameraToTryFragment } from "../../generated/console.js";
import { defined } from "../../platform/defined.js";
import type { Point } from "../../platform/geometry.js";
import { detectionsOf, type RuleNode, ruleNode } from "../rules/rule-node.js";

/**
 * A command for a shell that sends some frames, one each second, as a detector with a key does. They show what the
 * first rule of the camera looks for, in its area.
 */
export function detectorCommand(
  key: string,
  { id, imageDimensions, alertRules: [rule] }: CameraToTryFragment,
): string {
  const { width, height } = imageDimensions ?? { width: 1280, height: 720 };
  const { x, y } = pointIn(rule?.areas[0]?.points ?? []) ?? { x: width / 2, y: height / 2 };
  const detections = rule ? detectionsOf(ruleNode(rule.group)) : [];
  // A box that is cut at the edge of the frame would stand elsewhere.
  const across = 2 * Math.min(x, width - x, width / 40);
  const box = { x: x - across / 2, y: y / 2, width: across, height: y / 2 };
  const objects = detections
    .flatMap(objectsOf)
    .map((object, index) => ({ ...object, trackId: `${index}`, box }));
  const frame = { cameraId: id, at: "", width, height, objects };
  const query =
    "mutation($frames:[DetectionFrameInput!]!){recordDetections(input:$frames){processed alerts{name} cameras{quietRules{reason}}}}";
  const body = JSON.stringify({ query, variables: { frames: [frame] } })
    .replaceAll("'", "\\u0027")
    .replace('"at":""', `"at":"'$(date -u +%FT%TZ)'"`);
  const seconds = Math.max(1, ...detections.map(({ minSeconds }) => Math.ceil(Number(minSeconds ?? 1))));
  return `for i in $(seq ${seconds + 2}); do curl -sS -u ${key}: -H 'Content-Type: application/json' ${location.origin}/graphql -d '${body}'; sleep 1; done`;
}

/** As many objects as a condition looks for, of its first label and with its attributes. */
function objectsOf({ type, objects = [], attributes, minCount, maxCount }: RuleNode) {
  const object = { label: objects[0] ?? "PERSON", ...(attributes && { attributes }) };
  const isExcess = type.startsWith("MAX_");
  const count = isExcess ? Number(maxCount ?? 0) + 1 : type.startsWith("MIN_") ? 1 : Number(minCount ?? 1);
  return Array.from({ length: count }, () => object);
}

/** A point in a polygon: in the middle of where a horizontal line through its middle first lies in it, if at all. */
function pointIn(polygon: readonly Point[]): Point | undefined {
  const heights = polygon.map(({ y }) => y);
  const y = (Math.min(...heights) + Math.max(...heights)) / 2;
  const [from, to] = polygon
    .map((end, index) => [defined(polygon.at(index - 1)), end] as const)
    .filter(([start, end]) => start.y > y !== end.y > y)
    .map(([start, end]) => start.x + ((y - start.y) / (end.y - start.y)) * (end.x - start.x))
    .sort((one, other) => one - other);
  return from === undefined || to === undefined ? undefined : { x: (from + to) / 2, y };
}
