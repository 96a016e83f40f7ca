import type { RuleNode } from "../../src/features/alert-rule/rule-tree.js";
import type {
  CameraScene,
  DetectedObject,
  DetectionFrame,
  EvaluatedRule,
} from "../../src/features/detection/evaluation/detection.js";
import type { Point } from "../../src/platform/geometry.js";
import { SeededRandom } from "../../src/programs/demo/seeded-random.js";
import { listOf } from "../support/list-of.js";

/** What happens before a camera: its frames, and the rules and the place of each time. */
export interface RandomScene {
  frames: DetectionFrame[];
  /** The rules and the camera as they are at each frame. */
  at: { rules: EvaluatedRule[]; camera: CameraScene }[];
}

/** A few places, so that objects often stand on corners and borders. Exact when scaled. */
const grid = 8;
const labels = ["person", "Person", "VEHICLE"];

/** Times around the changes of the clocks of these zones. */
const zones: [timeZoneId: string, changes: string[]][] = [
  ["Europe/Berlin", ["2026-03-29T01:00Z", "2026-10-25T01:00Z"]],
  ["America/Havana", ["2026-03-08T05:00Z", "2026-11-01T05:00Z"]],
  ["Africa/Cairo", ["2026-04-23T22:00Z", "2026-10-29T21:00Z"]],
  ["Asia/Kathmandu", ["2026-06-05T18:15Z"]],
  ["UTC", ["2026-06-05T00:00Z"]],
];

/** Makes scenes of random trees, polygons, tracks, gaps and windows: the same for a seed. */
export class RandomScenes {
  readonly #random: SeededRandom;
  #nodes = 0;

  constructor(seed: number) {
    this.#random = new SeededRandom(seed);
  }

  next(): RandomScene {
    const random = this.#random;
    const [timeZoneId, changes] = random.pick(zones);
    const start = Date.parse(random.pick(changes)) + random.integer(-40, 20) * 1000;
    const rules = listOf(random.integer(1, 2), (position) => this.#rule(position, start));
    const camera: CameraScene = {
      imageDimensions: random.chance(0.5) ? { width: grid * 2, height: grid * 4 } : null,
      timeZoneId: random.chance(0.9) ? timeZoneId : null,
    };
    const frames = this.#frames(start);
    let known = { rules, camera };
    const at = frames.map(() => {
      if (random.chance(0.06))
        known = { ...known, rules: known.rules.map((rule) => this.#changed(rule, start)) };
      if (random.chance(0.03)) known = { ...known, camera: { ...camera, timeZoneId: random.pick(zones)[0] } };
      return random.chance(0.04) ? { ...known, rules: known.rules.slice(1) } : known;
    });
    return { frames, at };
  }

  #rule(position: number, start: number): EvaluatedRule {
    const random = this.#random;
    const cooldown = random.pick([undefined, 0, 1, 2.5, 5, 60]);
    return {
      id: `rule ${position}`,
      group: { ...this.#group(3), ...(cooldown !== undefined && { cooldownSeconds: cooldown }) },
      dayRange: random.chance(0.7)
        ? [0, 1, 2, 3, 4, 5, 6]
        : [0, 1, 2, 3, 4, 5, 6].filter(() => random.chance(0.6)),
      timeRange: random.chance(0.3) ? this.#timeRange(start) : null,
      snoozes: [0.15, 0.05].filter((chance) => random.chance(chance)).map(() => this.#snooze(start)),
    };
  }

  /** Clock times that are near, a season earlier or later. */
  #timeRange(start: number): { start: number; end: number } {
    const near = () =>
      start + this.#random.integer(-20, 40) * 1000 + this.#random.pick([0, 180, 3, -3]) * 86_400_000;
    const first = near();
    return { start: first, end: this.#random.chance(0.2) ? first : near() };
  }

  /** A snooze that began before, or begins among the frames, which then arrive late. */
  #snooze(start: number): { from: number; until: number } {
    const from = start + this.#random.integer(-20, 20) * 500;
    return { from, until: from + this.#random.integer(1, 40) * 500 };
  }

  #changed(rule: EvaluatedRule, start: number): EvaluatedRule {
    return { ...this.#rule(0, start), id: rule.id, ...(this.#random.chance(0.5) && { group: rule.group }) };
  }

  #id(): string {
    this.#nodes += 1;
    return `node ${this.#nodes}`;
  }

  #group(levels: number): RuleNode {
    const random = this.#random;
    // Shortages and excesses beside other leaves.
    if (random.chance(0.15))
      return {
        id: this.#id(),
        type: "GROUP",
        operator: "OR",
        children: [
          random.chance(0.5) ? this.#area() : this.#detection("PERSON"),
          this.#detection(random.pick(["MIN_PERSONS", "MAX_PERSONS"])),
        ],
      };
    const children = listOf(random.integer(1, 3), () => {
      if (levels > 1 && random.chance(0.25)) return this.#group(levels - 1);
      return random.chance(0.4) ? this.#area() : this.#detection();
    });
    return { id: this.#id(), type: "GROUP", operator: random.chance(0.7) ? "AND" : "OR", children };
  }

  /** Outlines cross themselves, and have corners repeated or on one line. */
  #area(): RuleNode {
    const random = this.#random;
    const corner = (): Point => ({ x: random.integer(0, grid) * 2, y: random.integer(0, grid) * 2 });
    const points = Array.from({ length: random.integer(3, 6) }, corner);
    if (random.chance(0.2)) points.push(points[random.integer(0, points.length - 1)] as Point);
    return { id: this.#id(), type: "AREA", name: "Area", points };
  }

  #detection(
    type = this.#random.pick(["PERSON", "PERSON", "PERSON", "MIN_PERSONS", "MAX_PERSONS"]),
  ): RuleNode {
    const random = this.#random;
    const node: RuleNode = {
      id: this.#id(),
      type,
      objects: random.pick([[], ["PERSON"], ["PERSON"], ["Vehicle", "person"]]),
    };
    if (random.chance(0.6)) node.minSeconds = random.pick([0, 0, 0.5, 1, 2, 3]);
    if (random.chance(0.2)) node.minConfidence = random.pick([0, 0.5, 0.75]);
    if (random.chance(0.15)) node.attributes = { helmet: random.chance(0.5) };
    if (type !== "MAX_PERSONS" && random.chance(0.3)) node.minCount = random.integer(2, 3);
    if (type === "PERSON" && random.chance(0.2)) node.maxCount = random.integer(node.minCount ?? 1, 3);
    if (type === "MAX_PERSONS" && random.chance(0.5)) node.maxCount = random.integer(0, 2);
    return node;
  }

  #frames(start: number): DetectionFrame[] {
    const random = this.#random;
    const tracks = listOf(random.integer(1, 4), (position) => this.#object(position));
    let at = start;
    const frames: DetectionFrame[] = [];
    for (let count = random.integer(4, 14); count > 0; count -= 1) {
      at += random.weighted([
        [500, 8],
        [1000, 4],
        [2000, 3],
        [2001, 1],
        [3000, 1],
        [58_000, 0.5],
        [60_000, 0.5],
        [60_001, 0.5],
        // Clocks that are set back.
        [-1500, 0.5],
        [0, 0.5],
      ]);
      const size = random.pick([1, 1, 2]);
      const objects = tracks
        .filter(() => random.chance(0.85))
        .map((object) => ({ ...object, box: this.#moved(object, size) }));
      frames.push({ at, width: grid * 2 * size, height: grid * 2 * size, objects });
    }
    return frames;
  }

  #object(position: number): DetectedObject {
    const random = this.#random;
    return {
      label: random.pick(labels),
      confidence: random.pick([0.25, 0.5, 0.75, 1]),
      // Some reach over the borders of the frame, or are beyond them.
      box: {
        x: random.integer(-1, grid) * 2 - 1,
        y: random.integer(-1, grid) * 2 - 1,
        width: random.pick([2, 2, 4]),
        height: random.pick([1, 1, 3]),
      },
      ...(random.chance(0.75) && { trackId: `${position}` }),
      ...(random.chance(0.4) && { attributes: { helmet: random.chance(0.5) } }),
    };
  }

  /** The box of an object in a frame of some size: mostly where it was. */
  #moved({ box }: DetectedObject, size: number): DetectedObject["box"] {
    const step = () => (this.#random.chance(0.25) ? this.#random.integer(-2, 2) * 2 : 0);
    box.x += step();
    box.y += step();
    return { x: box.x * size, y: box.y * size, width: box.width * size, height: box.height * size };
  }
}
