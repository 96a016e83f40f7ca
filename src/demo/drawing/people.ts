import type { SeededRandom } from "../seeded-random.js";
import { type Drawing, shade } from "./drawing.js";
import type { Vector } from "./perspective.js";

/** Workers wear protective clothing, visitors everyday clothes. */
export type Clothing = "worker" | "visitor";

const filledPath = (path: string, color: string): string => `<path d="${path}" fill="${color}"/>`;

/** Head and torso, in meters above the ground; used for pedestrians and drivers. */
export function drawUpperBody(random: SeededRandom, attire: Clothing, sleeve: string): string {
  const torso = "M-.2,1.44Q-.24,1.4 -.22,1.2L-.175,.86L.175,.86L.22,1.2Q.24,1.4 .2,1.44Q0,1.5 -.2,1.44Z";
  const skin = random.pick(["#c99a7b", "#a87655", "#7d5339", "#dcb294"]);
  const neck = filledPath("M-.05,1.54L.05,1.54L.06,1.44L-.06,1.44Z", shade(skin, 0.75));
  const head = `<ellipse cy="1.615" rx=".088" ry=".115" fill="${skin}"/>`;
  if (attire === "visitor") {
    const hair =
      "M-.092,1.62Q-.11,1.755 0,1.755Q.11,1.755 .092,1.62Q.05,1.69 -.03,1.685Q-.08,1.68 -.092,1.62Z";
    const shirt = filledPath("M-.05,1.47L.05,1.47L0,1.2Z", "#dfe0e2");
    return (
      filledPath(torso, sleeve) +
      shirt +
      filledPath(torso, "url(#round)") +
      neck +
      head +
      filledPath(hair, random.pick(["#2b211b", "#4b3626", "#1a1a1c"]))
    );
  }
  const vest =
    "M-.17,1.46L-.2,1.38L-.205,1.18L-.18,.84L.18,.84L.205,1.18L.2,1.38L.17,1.46L.06,1.47L0,1.3L-.06,1.47Z";
  const bands = "M-.2,1.1L.2,1.1L.195,1.045L-.195,1.045ZM-.187,.96L.187,.96L.183,.905L-.183,.905Z";
  const straps = "M-.15,1.46L-.1,1.47L-.1,1.1L-.15,1.1ZM.15,1.46L.1,1.47L.1,1.1L.15,1.1Z";
  const helmet = "M-.115,1.645Q-.115,1.79 0,1.79Q.115,1.79 .115,1.645L.125,1.625L-.125,1.625Z";
  return [
    filledPath(torso, sleeve),
    filledPath(vest, random.pick(["#e8722a", "#d6e02c"])),
    filledPath(bands + straps, "#dae0dc"),
    filledPath(torso, "url(#round)"),
    neck,
    head,
    filledPath(helmet, random.pick(["#f1f1ec", "#f2c81e", "#2f62b0", "#d8402c"])),
    filledPath(helmet, "url(#round)"),
  ].join("");
}

/** Draws a person standing or walking at a floor point. */
export function drawPerson(drawing: Drawing, foot: Vector, random: SeededRandom, attire: Clothing): void {
  const trousers = random.pick(["#26303f", "#33373d", "#2a3a56", "#4a4438"]);
  const sleeve = random.pick(
    attire === "worker" ? ["#3a4657", "#5a5f66", "#27436b"] : ["#3d4454", "#6d2f35", "#8a8f96", "#b7ad9c"],
  );
  const stride = random.pick([0, 0.03, 0.12, 0.17]);
  const walking = stride > 0.1;
  const leg = (side: 1 | -1, lift: number, color: string): string => {
    const hip = side * 0.075;
    const knee = side * (0.08 + stride * 0.6);
    const ankle = side * (0.09 + stride);
    const path = `M${hip - 0.09},.9L${knee - 0.07},${0.48 + lift}L${ankle - 0.055},${0.08 + lift}h.11L${knee + 0.075},${0.48 + lift}L${hip + 0.09},.9Z`;
    const shoe = `<ellipse cx="${ankle + (walking ? 0.05 : 0.01)}" cy="${0.04 + lift}" rx="${walking ? 0.12 : 0.075}" ry=".05" fill="#15161a"/>`;
    return filledPath(path, color) + shoe;
  };
  const arm = (side: 1 | -1, reach: number, color: string): string => {
    const hand = side * 0.23 + reach;
    const path = `M${side * 0.2},1.39L${side * 0.26 + reach * 0.35},1.14L${hand},.93`;
    const sleeved = `<path d="${path}" fill="none" stroke="${color}" stroke-width=".095" stroke-linecap="round" stroke-linejoin="round"/>`;
    return `${sleeved}<circle cx="${hand}" cy=".88" r=".045" fill="#a87a5c"/>`;
  };
  const swing = walking ? 0.16 : 0.02;
  const body = [
    arm(-1, swing, shade(sleeve, 0.8)),
    leg(-1, walking ? 0.05 : 0.015, shade(trousers, 0.75)),
    leg(1, 0, trousers),
    drawUpperBody(random, attire, sleeve),
    arm(1, -swing * 0.6, shade(sleeve, 0.95)),
  ].join("");
  const size = random.between(0.95, 1.05);
  const facing = random.chance(0.5) ? size : -size;
  drawing.addShadow({ at: foot, size: [0.42, 0.3, 1.7], color: trousers, taper: [0.1, 0.1, 0.06] });
  const figure = `<g transform="scale(${facing} ${size})">${body}</g>`;
  drawing.addObject(foot, drawing.renderBillboard(foot, 1.79 * size, (walking ? 0.41 : 0.33) * size, figure));
}
