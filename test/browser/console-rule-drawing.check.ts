import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import { contrastOf } from "../../src/console/rules/colors.js";
import { createAlertRule } from "../support/factories.js";
import {
  browseSharedGateway,
  buttonOf,
  clickButton,
  clickLink,
  drawTriangle,
  expectAccessible,
  expectNone,
  expectSoon,
  fillIn,
  linkOf,
  tick,
  waitForStatus,
  waitForText,
} from "./console-page.js";
import { newSite, person, treeOf } from "./own-console.js";

const shared = browseSharedGateway();

const square = [
  { x: 100, y: 100 },
  { x: 1000, y: 100 },
  { x: 1000, y: 600 },
  { x: 100, y: 600 },
];

interface Tree {
  children: { type: string; name: string; color: string; points: { x: number; y: number }[] }[];
}

/** Rules of a camera with a picture of 1280 × 720 pixels. */
async function ruledSite(groups: readonly object[]) {
  const site = await newSite(shared, { camera: { imageDimensions: { width: 1280, height: 720 } } });
  const { workspaceId, cameraId, addRule } = site;
  const ids: string[] = [];
  for (const group of groups) ids.push(await addRule({ group }));
  const openRules = async (options?: BrowserContextOptions) =>
    (await site.open(`/?view=rules&camera=${cameraId}`, options)).page;
  const treeOfRule = async (index: number) => {
    const where = { workspaceId_id: { workspaceId, id: ids[index] as string } };
    return (await shared.prisma.alertRule.findUniqueOrThrow({ where })).group as unknown as Tree;
  };
  return { openRules, treeOfRule, raise: site.raise };
}

const saveButton = (page: Page) => buttonOf(page, "Save", { exact: true });

/** Drags with a finger for half a second, from a point by some pixels. */
async function dragByTouch(page: Page, from: { x: number; y: number }, by: { x: number; y: number }) {
  const client = await page.context().newCDPSession(page);
  let timestamp = Date.now() / 1000 - 1;
  const send = (type: "touchStart" | "touchMove" | "touchEnd", touchPoints: { x: number; y: number }[]) => {
    // Without the time that fingers take, the browser would see a fling, which the next tap stops.
    timestamp += 0.1;
    return client.send("Input.dispatchTouchEvent", { type, touchPoints, timestamp });
  };
  await send("touchStart", [from]);
  for (const share of [0.5, 1, 1]) {
    await send("touchMove", [{ x: from.x + by.x * share, y: from.y + by.y * share }]);
  }
  await send("touchEnd", []);
}

async function centerOf(element: Locator): Promise<{ x: number; y: number }> {
  const { x, y, width, height } = (await element.boundingBox()) as NonNullable<
    Awaited<ReturnType<Locator["boundingBox"]>>
  >;
  return { x: x + width / 2, y: y + height / 2 };
}

test("with a finger, corners are dragged, added on an edge and removed", async () => {
  const { openRules, treeOfRule } = await ruledSite([
    treeOf({ type: "AREA", name: "Dock", points: square }, person),
  ]);
  const viewport = { width: 375, height: 800 };
  const page = await openRules({ hasTouch: true, isMobile: true, viewport });
  await linkOf(page, "Change the area").tap();
  const corner = (number: number, of: number) => buttonOf(page, new RegExp(`^Corner ${number} of ${of}:`));
  await corner(1, 4).scrollIntoViewIfNeeded();
  await expectAccessible(page);
  const { width } = (await page.locator(".area-editor").boundingBox()) as { width: number };
  const pixels = 1280 / width;
  // A finger beside the corner has it, as 44 pixels of the screen belong to it.
  const first = await centerOf(corner(1, 4));
  await dragByTouch(page, { x: first.x + 18, y: first.y + 18 }, { x: 20, y: 30 });
  const [, x, y] = /: (\d+), (\d+)$/.exec((await corner(1, 4).getAttribute("aria-label")) ?? "") ?? [];
  expect(Math.abs(Number(x) - (100 + 20 * pixels))).toBeLessThan(5);
  expect(Math.abs(Number(y) - (100 + 30 * pixels))).toBeLessThan(5);
  // On the lower edge, between its point in the middle and its third corner.
  const third = await centerOf(corner(3, 4));
  const fourth = await centerOf(corner(4, 4));
  await dragByTouch(page, { x: third.x + (fourth.x - third.x) * 0.25, y: third.y }, { x: 0, y: -30 });
  await corner(4, 5).waitFor();
  await saveButton(page).tap();
  await waitForStatus(page, "The rule was saved.");
  const added = (await treeOfRule(0)).children[0]?.points[3] as { x: number; y: number };
  expect(Math.abs(added.x - 775)).toBeLessThan(5);
  expect(Math.abs(added.y - (600 - 30 * pixels))).toBeLessThan(5);
  await linkOf(page, "Change the area").tap();
  await corner(4, 5).tap();
  await buttonOf(page, "Remove corner 4").tap();
  await corner(4, 4).waitFor();
  // A corner follows the finger until it is released, and the last one is taken back.
  await buttonOf(page, "Start over").tap();
  const surface = buttonOf(page, /^Drawing surface/);
  await surface.scrollIntoViewIfNeeded();
  await dragByTouch(page, await centerOf(surface), { x: 40, y: 0 });
  await buttonOf(page, "Drawing surface, 1 corner").waitFor();
  await buttonOf(page, "Take the last corner back").tap();
  await buttonOf(page, "Drawing surface, 0 corners").waitFor();
});

test("while an area is drawn, the recent alerts with a point in it are counted", async () => {
  const { openRules, raise } = await ruledSite([
    treeOf({ type: "AREA", name: "Dock", points: square }, person),
  ]);
  const inside = { x: 300, y: 200 };
  const outside = { x: 620, y: 350 };
  const day = 24 * 3600 * 1000;
  const canvas = { canvasDimensions: { width: 640, height: 360 } };
  // The first one is at a corner, and the border belongs to the area.
  const places = [[{ x: 50, y: 50 }], [inside], [outside, inside, inside], [outside], [inside]];
  await raise(
    ...places.map((violatingCoordinates, index) => ({
      ...{ ...canvas, violatingCoordinates },
      createdAt: new Date(Date.now() - (index < 4 ? 60_000 : 8 * day)),
    })),
  );
  const page = await openRules();
  await clickLink(page, "Change the area");
  const said = (number: number) =>
    waitForText(page, `${number} of 4 alerts of this camera in the last 7 days`);
  await said(3);
  await buttonOf(page, /^Corner 1 of 4/).press("ArrowRight");
  await said(2);
  await buttonOf(page, /^Corner 1 of 4/).press("ArrowLeft");
  await said(3);
  await clickButton(page, "Start over");
  await page.getByText("alerts of this camera").waitFor({ state: "detached" });
});

test("a new area gets a colour that differs from the others of the camera, and its name", async () => {
  const colored = (color: string) => treeOf({ type: "AREA", name: "Dock", color, points: square }, person);
  const taken = ["#56b4e9", "#e69f00"];
  const { openRules, treeOfRule } = await ruledSite([...taken.map(colored), treeOf(person)]);
  const page = await openRules();
  await clickLink(page.getByRole("article").last(), "Draw an area");
  await drawTriangle(page);
  await fillIn(page, "Name of the area", "Ramp");
  await saveButton(page).click();
  await waitForText(page.getByRole("article"), "A person is in the area “Ramp”");
  const area = (await treeOfRule(2)).children.find(({ type }) => type === "AREA");
  expect(area?.name).toBe("Ramp");
  for (const color of taken) expect(contrastOf(area?.color as string, color)).toBeGreaterThan(0.1);
  await clickLink(page.getByRole("article").filter({ hasText: "Ramp" }), "Change the area");
  await page.getByRole("radio", { name: "Pink" }).check();
  await saveButton(page).click();
  await waitForStatus(page, "The rule was saved.");
  expect((await treeOfRule(2)).children).toContainEqual(expect.objectContaining({ color: "#cc79a7" }));
  await clickLink(page.getByRole("article").filter({ hasText: "Ramp" }), "Change the area");
  await clickButton(page, "Remove the area");
  await saveButton(page).click();
  await waitForText(page.getByRole("article"), "A person is detected");
  expect((await treeOfRule(2)).children).toMatchObject([person]);
});

test("a rule that has an area gets another one, of which either is enough", async () => {
  const { openRules, treeOfRule } = await ruledSite([
    treeOf({ type: "AREA", name: "Dock", points: square }, person),
    { ...treeOf(treeOf({ type: "AREA", name: "Yard", points: square }, person), person), operator: "OR" },
  ]);
  const page = await openRules();
  await clickLink(page.getByRole("article").filter({ hasText: "Dock" }), "Change the area");
  await clickButton(page, "Draw another area");
  await drawTriangle(page);
  await fillIn(page, "Name of the area", "Ramp");
  await saveButton(page).click();
  await waitForText(page.getByRole("article"), "A person is in the area “Dock” or in the area “Ramp”");
  // A program has combined areas and conditions of the other rule.
  await clickLink(page.getByRole("article").filter({ hasText: "Yard" }), "Change the area");
  await buttonOf(page, /^Corner 1 of 4/).waitFor();
  await expectNone(buttonOf(page, "Draw another area"));
  expect((await treeOfRule(0)).children).toMatchObject([
    {
      type: "GROUP",
      operator: "OR",
      children: [
        { type: "AREA", name: "Dock" },
        { type: "AREA", name: "Ramp" },
      ],
    },
    person,
  ]);
});

test("six clicks after the camera's page, a new rule raises an alert under its own name, and none is made before it is complete", async () => {
  const { as, workspaceId, cameraId, open } = await newSite(shared);
  const { page } = await open(`/?camera=${cameraId}`);
  const rules = () => shared.prisma.alertRule.count({ where: { workspaceId } });
  await clickLink(page, "Add a rule");
  const first = buttonOf(page, "Person in a forbidden area");
  await expectSoon(() => first.evaluate((button) => button === document.activeElement), true);
  await clickButton(page, "Vehicle among pedestrians");
  const { x, y } = await centerOf(page.locator(".area-editor"));
  await page.mouse.click(x, y);
  await page.mouse.click(x + 200, y);
  await saveButton(page).click();
  await waitForText(page, "at least three corners");
  expect(await rules()).toBe(0);
  // Going back loses nothing without a question, and signing in again neither.
  await page.goBack();
  await clickButton(page, "Keep editing");
  await page.reload();
  await buttonOf(page, "Drawing surface, 2 corners").waitFor();
  const again = await centerOf(page.locator(".area-editor"));
  await page.mouse.click(again.x, again.y + 120);
  await saveButton(page).click();
  await waitForStatus(page, "The rule was added.");
  const rule = await shared.prisma.alertRule.findFirstOrThrow({ where: { workspaceId } });
  expect(rule).toMatchObject({
    status: "ACTIVE",
    evaluated: true,
    group: { name: "Vehicle among pedestrians" },
  });
  const frames = [2, 1].map((seconds) => ({
    ...{ cameraId, at: new Date(Date.now() - seconds * 1000), width: 1280, height: 720 },
    objects: [{ label: "truck", trackId: "1", box: { x: 650, y: 300, width: 40, height: 80 } }],
  }));
  const { recordDetections } = await shared.gateway.data<{ recordDetections: object }>(
    "mutation ($input: [DetectionFrameInput!]!) { recordDetections(input: $input) { alerts { alertRuleName } } }",
    { as, variables: { input: frames } },
  );
  expect(recordDetections).toEqual({ alerts: [{ alertRuleName: "Vehicle among pedestrians" }] });
});

test("a new rule is made for other cameras at once, and those that refuse it are named", async () => {
  const { workspaceId, cameraId, addCamera, open } = await newSite(shared);
  const yard = await addCamera({ name: "Yard" });
  const full = await addCamera({ name: "Ramp" });
  for (let count = 0; count < 30; count++)
    await createAlertRule(shared.prisma, { workspaceId, cameraId: full, evaluated: true });
  const { page } = await open(`/?view=rules&camera=${cameraId}&rule=new`);
  await buttonOf(page, /^Drawing surface/).focus();
  await drawTriangle(page);
  await page.getByText("Also for other cameras").click();
  for (const name of ["Yard", "Ramp"]) await tick(page, name);
  await saveButton(page).click();
  const dialog = page.getByRole("dialog");
  await waitForText(dialog, "The rule was copied to 1 camera.");
  await waitForText(dialog.getByRole("alert"), "Ramp: ");
  await expectAccessible(page);
  expect(await shared.prisma.alertRule.count({ where: { cameraId: yard } })).toBe(1);
});
