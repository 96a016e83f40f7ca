import type { RuleNode } from "../../src/features/alert-rule/rule-tree.js";
import type {
  CameraScene,
  DetectedObject,
  DetectionFrame,
  EvaluatedRule,
  FiredAlert,
} from "../../src/features/detection/evaluation/detection.js";
import type { Point, Size } from "../../src/platform/geometry.js";

// What the rules of a camera raise, written from the words of the documentation alone: it
// keeps all frames for ever, looks at all of them again for each new one, and shares no
// code with what it checks.

/** An object that a tree yields, and how. */
interface Found {
  object: number;
  seconds: number;
  /** Whether a shortage or an excess yields it. */
  isAboutNumber: boolean;
  areas: RuleNode[];
}

type Event =
  | { kind: "in"; at: number; trackId: string }
  | { kind: "shared in"; at: number }
  | { kind: "told"; at: number; trackId: string }
  | { kind: "fired"; at: number }
  | { kind: "dropped"; at: number; trackId: string }
  | { kind: "ended"; at: number };

/** Evaluates the rules of a camera, slowly. */
export class Oracle {
  readonly #frames: DetectionFrame[] = [];
  /** What happened in each rule, in order. */
  readonly #events = new Map<string, Event[]>();

  /** The alerts that the next frame raises; undefined if it comes too late. */
  next(
    frame: DetectionFrame,
    rules: readonly EvaluatedRule[],
    { imageDimensions, timeZoneId }: CameraScene,
  ): FiredAlert[] | undefined {
    if (this.#frames.some(({ at }) => at >= frame.at)) return undefined;
    const seen = { ...frame, objects: frame.objects.flatMap((object) => cut(object, frame)) };
    this.#frames.push(seen);
    const picture = imageDimensions ?? frame;
    const alerts = rules.flatMap((rule) => {
      // A snooze is from when it was set until its end.
      const isSnoozed = rule.snoozes.some(({ from, until }) => frame.at >= from && frame.at < until);
      const applies = isInWindow(rule, frame.at, timeZoneId ?? "UTC") && !isSnoozed;
      return this.#evaluate(rule, seen, { picture, applies });
    });
    for (const [ruleId, events] of this.#events)
      if (!rules.some(({ id }) => id === ruleId)) events.push({ kind: "ended", at: frame.at });
    this.#dropObjects(frame.at);
    return alerts;
  }

  #eventsOf(ruleId: string): Event[] {
    const events = this.#events.get(ruleId) ?? [];
    this.#events.set(ruleId, events);
    return events;
  }

  #evaluate(
    rule: EvaluatedRule,
    frame: DetectionFrame,
    { picture, applies }: { picture: Size; applies: boolean },
  ): FiredAlert[] {
    const { at } = frame;
    const events = this.#eventsOf(rule.id);
    if (!applies) {
      events.push({ kind: "ended", at });
      return [];
    }
    const found = yieldsOf(
      rule.group,
      frame.objects.map((_, object) => object),
      { frame, picture },
      [],
    );
    const isShared = ({ object, isAboutNumber }: Found) =>
      isAboutNumber || frame.objects[object]?.trackId === undefined;
    // A tracked object belongs to the rule while the whole tree yields it, by whatever leaf.
    for (const trackId of new Set(found.map(({ object }) => frame.objects[object]?.trackId)))
      if (trackId !== undefined) events.push({ kind: "in", at, trackId });
    if (found.some(isShared)) events.push({ kind: "shared in", at });

    const fired = events.filter(({ kind }) => kind === "fired").at(-1);
    if (fired && at - fired.at < (rule.group.cooldownSeconds ?? 60) * 1000) return [];
    const told = found.filter((each) => {
      if (isShared(each)) return lasted(sharedTimes(events), at) >= each.seconds * 1000;
      const trackId = frame.objects[each.object]?.trackId as string;
      return lasted(timesOf(events, trackId), at) >= each.seconds * 1000 && !isTold(events, trackId);
    });
    if (told.length === 0) return [];
    events.push({ kind: "fired", at });
    const objects = [...new Set(told.map(({ object }) => object))].sort((one, other) => one - other);
    for (const object of objects) {
      const { trackId } = frame.objects[object] as DetectedObject;
      if (trackId !== undefined) events.push({ kind: "told", at, trackId });
    }
    const narrowing = new Set(
      found.filter(({ object }) => objects.includes(object)).flatMap(({ areas }) => areas),
    );
    const areas = areasOf(rule.group).filter((area) => narrowing.has(area));
    const [area] = areas;
    return [
      {
        ruleId: rule.id,
        at,
        count: objects.length,
        points: objects.map((object) => footOf(frame.objects[object] as DetectedObject)),
        areaIds: areas.map(({ id }) => id),
        area:
          area && areas.length === 1
            ? (area.points ?? []).map(({ x, y }) => ({
                x: (x * frame.width) / picture.width,
                y: (y * frame.height) / picture.height,
              }))
            : null,
        objects: objects.map((object) => frame.objects[object] as DetectedObject),
      },
    ];
  }

  /** Of more than 200 remembered objects the one not seen for longest goes. */
  #dropObjects(at: number): void {
    const trackIds = new Set(
      [...this.#events.values()].flatMap((events) =>
        events.flatMap((event) => (event.kind === "in" ? event.trackId : [])),
      ),
    );
    const remembered = [...trackIds].filter((trackId) =>
      [...this.#events.values()].some((events) => {
        const last = timesOf(events, trackId).at(-1);
        return last !== undefined && at - last <= 60_000;
      }),
    );
    const seenAt = (trackId: string) =>
      Math.max(
        ...this.#frames
          .filter(({ objects }) => objects.some((object) => object.trackId === trackId))
          .map((frame) => frame.at),
      );
    while (remembered.length > 200) {
      remembered.sort((one, other) => seenAt(one) - seenAt(other) || (one < other ? -1 : 1));
      const trackId = remembered.shift() as string;
      for (const events of this.#events.values()) events.push({ kind: "dropped", at, trackId });
    }
  }
}

/** The times at which an object was in, since its stays were last ended. */
function timesOf(events: readonly Event[], trackId: string): number[] {
  const end = events.findLastIndex(
    (event) => event.kind === "ended" || (event.kind === "dropped" && event.trackId === trackId),
  );
  return events
    .slice(end + 1)
    .flatMap((event) => (event.kind === "in" && event.trackId === trackId ? event.at : []));
}

function sharedTimes(events: readonly Event[]): number[] {
  const end = events.findLastIndex(({ kind }) => kind === "ended");
  return events.slice(end + 1).flatMap((event) => (event.kind === "shared in" ? event.at : []));
}

/** The last of several times, and those before it without a gap of more than `gap`. */
function withoutGaps(times: readonly number[], gap: number): number[] {
  const start = times.findLastIndex((time, index) => index > 0 && time - (times[index - 1] as number) > gap);
  return times.slice(Math.max(start, 0));
}

/** How long something has belonged that is in now. */
const lasted = (times: readonly number[], at: number): number =>
  at - (withoutGaps(times, 2_000)[0] ?? Number.POSITIVE_INFINITY);

/** Whether an object was told and not forgotten since. */
function isTold(events: readonly Event[], trackId: string): boolean {
  const [since = Number.POSITIVE_INFINITY] = withoutGaps(timesOf(events, trackId), 60_000);
  return events.some((event) => event.kind === "told" && event.trackId === trackId && event.at >= since);
}

interface Picture {
  frame: DetectionFrame;
  picture: Size;
}

const hasDetection = (node: RuleNode): boolean =>
  node.type !== "AREA" && (node.type !== "GROUP" || (node.children ?? []).some(hasDetection));

const areasOf = (node: RuleNode): RuleNode[] =>
  node.type === "AREA" ? [node] : (node.children ?? []).flatMap(areasOf);

/** The objects that a node yields within a region. `areas` are those that narrow it. */
function yieldsOf(node: RuleNode, region: number[], picture: Picture, areas: RuleNode[]): Found[] {
  const children = node.children ?? [];
  if (node.type === "AREA")
    return region
      .filter((object) => isInside(node, object, picture))
      .map((object) => ({ object, seconds: 1, isAboutNumber: false, areas: [...areas, node] }));
  if (node.type !== "GROUP") return detectionsOf(node, region, picture, areas);
  if (node.operator === "OR") return children.flatMap((child) => yieldsOf(child, region, picture, areas));
  const narrowing = children.filter((child) => !hasDetection(child));
  let within = region;
  for (const child of narrowing) {
    const inside = new Set(yieldsOf(child, within, picture, []).map(({ object }) => object));
    within = within.filter((object) => inside.has(object));
  }
  const narrowed = [...areas, ...narrowing.flatMap(areasOf)];
  const others = children.filter(hasDetection).map((child) => yieldsOf(child, within, picture, narrowed));
  if (others.some((found) => found.length === 0)) return [];
  if (others.length > 0) return others.flat();
  return within.map((object) => ({ object, seconds: 1, isAboutNumber: false, areas: narrowed }));
}

function detectionsOf(node: RuleNode, region: number[], { frame }: Picture, areas: RuleNode[]): Found[] {
  const found = region.filter((position) => {
    const object = frame.objects[position] as DetectedObject;
    const labels = (node.objects ?? []).map((label) => label.toUpperCase());
    if (labels.length > 0 && !labels.includes(object.label.toUpperCase())) return false;
    if (object.confidence < (node.minConfidence ?? 0.5)) return false;
    const given = new Map(Object.entries(object.attributes ?? {}));
    return Object.entries(node.attributes ?? {}).every(([name, value]) => given.get(name) === value);
  });
  const count = found.length;
  const isShortage = node.type.startsWith("MIN_");
  const isExcess = node.type.startsWith("MAX_");
  let holds = count >= (node.minCount ?? 1) && count <= (node.maxCount ?? 1e9);
  if (isShortage) holds = count > 0 && count < (node.minCount ?? 2);
  if (isExcess) holds = count > (node.maxCount ?? 0);
  if (!holds) return [];
  const seconds = node.minSeconds ?? 1;
  return found.map((object) => ({ object, seconds, isAboutNumber: isShortage || isExcess, areas }));
}

/** A box is cut to its frame first; an object whose box then has no area is left out. */
function cut(object: DetectedObject, { width, height }: Size): DetectedObject[] {
  const { box } = object;
  const clamped = (value: number, end: number) => (value < 0 ? 0 : value > end ? end : value);
  const [left, right] = [clamped(box.x, width), clamped(box.x + box.width, width)];
  const [top, bottom] = [clamped(box.y, height), clamped(box.y + box.height, height)];
  if ((right - left) * (bottom - top) <= 0) return [];
  return [{ ...object, box: { x: left, y: top, width: right - left, height: bottom - top } }];
}

const footOf = ({ box }: DetectedObject): Point => ({ x: box.x + box.width / 2, y: box.y + box.height });

/** By the even-odd rule, with a ray to the top; the border is inside. */
function isInside({ points = [] }: RuleNode, position: number, { frame, picture }: Picture): boolean {
  const foot = footOf(frame.objects[position] as DetectedObject);
  const x = (foot.x * picture.width) / frame.width;
  const y = (foot.y * picture.height) / frame.height;
  let crossings = 0;
  for (let index = 0; index < points.length; index += 1) {
    const one = points[index] as Point;
    const other = points[(index + 1) % points.length] as Point;
    const [left, right] = one.x <= other.x ? [one, other] : [other, one];
    const turn = (right.x - left.x) * (y - left.y) - (right.y - left.y) * (x - left.x);
    const isBeside = (x - one.x) * (x - other.x) + (y - one.y) * (y - other.y) <= 0;
    if (turn === 0 && isBeside) return true;
    // The edge is above the point if the point is below the line from left to right.
    if (left.x <= x && x < right.x && turn > 0) crossings += 1;
  }
  return crossings % 2 === 1;
}

const clocks = new Map<string, Intl.DateTimeFormat>();
const weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

/** The day of the week and the milliseconds since midnight that clocks show. */
function clockOf(at: number, timeZone: string): { day: number; time: number } {
  const clock =
    clocks.get(timeZone) ??
    new Intl.DateTimeFormat("en-US", {
      timeZone,
      hourCycle: "h23",
      weekday: "short",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
  clocks.set(timeZone, clock);
  const parts = new Map(clock.formatToParts(at).map(({ type, value }) => [type, value]));
  const [hour, minute, second] = ["hour", "minute", "second"].map((type) =>
    Number(parts.get(type as Intl.DateTimeFormatPartTypes)),
  ) as [number, number, number];
  return {
    day: weekdays.indexOf(parts.get("weekday") as string),
    time: ((hour * 60 + minute) * 60 + second) * 1000 + (at % 1000),
  };
}

function isInWindow({ dayRange, timeRange }: EvaluatedRule, at: number, timeZone: string): boolean {
  const { day, time } = clockOf(at, timeZone);
  if (!timeRange) return dayRange.includes(day);
  const start = clockOf(timeRange.start, timeZone).time;
  const end = clockOf(timeRange.end, timeZone).time;
  if (start === end) return dayRange.includes(day);
  if (end > start) return dayRange.includes(day) && time >= start && time < end;
  // The window of a day begins on it and ends on the next one.
  const yesterday = (day + 6) % 7;
  return (dayRange.includes(day) && time >= start) || (dayRange.includes(yesterday) && time < end);
}
