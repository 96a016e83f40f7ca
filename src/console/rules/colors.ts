/**
 * Colours of Okabe and Ito, which people with any colour vision can tell apart; the first is for areas
 * without a colour of their own.
 */
export const areaColors: readonly string[] = [
  "#56b4e9",
  "#e69f00",
  "#009e73",
  "#f0e442",
  "#d55e00",
  "#cc79a7",
  "#0072b2",
  "#ffffff",
];

type Triple = readonly [number, number, number];
type Matrix = readonly [Triple, Triple, Triple];

/**
 * What people see, in linear RGB: all colours; without the cones for long, medium or short waves (Machado,
 * Oliveira and Fernandes, 2009).
 */
const visions: readonly Matrix[] = [
  [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
];

const coneResponses: Matrix = [
  [0.4122214708, 0.5363325363, 0.0514459929],
  [0.2119034982, 0.6806995451, 0.1073969566],
  [0.0883024619, 0.2817188376, 0.6299787005],
];

const oklab: Matrix = [
  [0.2104542553, 0.793617785, -0.0040720468],
  [1.9779984951, -2.428592205, 0.4505937099],
  [0.0259040371, 0.7827717662, -0.808675766],
];

const inTriple = <Item>([a, b, c]: readonly [Item, Item, Item], map: (item: Item) => number): Triple => [
  map(a),
  map(b),
  map(c),
];

const times = (matrix: Matrix, [x, y, z]: Triple) => inTriple(matrix, ([a, b, c]) => a * x + b * y + c * z);

/** The light of a colour such as #ff8800, as linear RGB. */
const lightOf = (color: string) =>
  inTriple([1, 3, 5], (start) => {
    const value = Number.parseInt(color.slice(start, start + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });

/** How people with a kind of colour vision perceive a colour: its position in Oklab. */
function perceived(color: string, vision: Matrix) {
  const seen = inTriple(times(vision, lightOf(color)), (light) => Math.max(light, 0));
  return times(oklab, inTriple(times(coneResponses, seen), Math.cbrt));
}

/** How well the least fortunate reader tells two colours apart: the least distance over all kinds of colour vision. */
export const contrastOf = (one: string, other: string): number =>
  Math.min(
    ...visions.map((vision) => {
      const [a, b] = [perceived(one, vision), perceived(other, vision)];
      return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
    }),
  );

/** The contrast with which nobody mistakes one colour for another. */
const clearContrast = 0.1;

/** The first colour that everybody can tell from those that are taken, or else the one that differs most. */
export function distinctColor(taken: readonly string[]): string {
  const nearest = (color: string) => Math.min(...taken.map((other) => contrastOf(color, other)));
  return (
    areaColors.find((color) => nearest(color) >= clearContrast) ??
    areaColors.reduce((best, color) => (nearest(color) > nearest(best) ? color : best))
  );
}
