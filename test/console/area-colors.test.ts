// Needs no gateway.
import { areaColors, contrastOf, distinctColor } from "../../src/console/rules/colors.js";

it("each new area gets a colour that people with any colour vision can tell from the others", () => {
  const taken: string[] = [];
  for (let area = 1; area <= areaColors.length; area += 1) {
    const color = distinctColor(taken);
    const nearest = Math.min(...taken.map((other) => contrastOf(color, other)));
    expect(nearest, `${color} beside ${taken}`).toBeGreaterThan(area <= 6 ? 0.1 : 0.07);
    taken.push(color);
  }
});

it("a colour beside those that people chose themselves differs from all of them", () => {
  const taken = ["#f59e0b", "#38bdf8", "#a78bfa"];
  const color = distinctColor(taken);
  for (const other of taken) expect(contrastOf(color, other)).toBeGreaterThan(0.1);
});

it("red and green of equal lightness are not far apart for everybody", () => {
  expect(contrastOf("#ff0000", "#00ff00")).toBeGreaterThan(contrastOf("#c04040", "#6f7a20"));
  expect(contrastOf("#c04040", "#6f7a20")).toBeLessThan(0.1);
});
