import type { Page } from "playwright-core";
import { type Gateway, sharedGateway } from "../support/harness.js";
import { listOf } from "../support/list-of.js";
import {
  browseOwnGateway,
  clickButton,
  clickLink,
  expectAccessible,
  expectNone,
  fillIn,
  waitForText,
} from "./console-page.js";
import { noProblems } from "./monitored-page.js";
import { newSite, person, treeOf } from "./own-console.js";

const own = browseOwnGateway({ environment: { KEEP_DETECTIONS: "on" } });

/** Opens the form of a rule whose camera saw persons for some seconds, one frame a second. */
async function openForm(
  of: Gateway,
  seconds: number,
  { locale = "en-GB", persons = 1 } = {},
): Promise<{ page: Page; problems: object }> {
  const { as, cameraId, addRule, open } = await newSite({ gateway: of });
  await addRule({ group: treeOf(person), dayRange: [0, 1, 2, 3, 4, 5, 6] });
  const began = Date.now() - 3_600_000;
  const frames = listOf(seconds, (second) => ({
    ...{ cameraId, at: new Date(began + second * 1000), width: 640, height: 360 },
    objects: listOf(persons, (person) => ({
      ...{ label: "person", trackId: `${person}`, box: { x: 300, y: 100, width: 40, height: 80 } },
    })),
  }));
  for (let first = 0; first < frames.length; first += 250)
    await of.data(
      "mutation ($input: [DetectionFrameInput!]!) { recordDetections(input: $input) { processed } }",
      {
        as,
        variables: { input: frames.slice(first, first + 250) },
      },
    );
  const { page, problems } = await open(`/?view=rules&camera=${cameraId}`, { locale });
  await clickLink(page, locale.startsWith("de") ? "Ändern" : "Change", { exact: true });
  return { page, problems };
}

test("a rule is tried in its form on what the detectors saw, before it is saved", async () => {
  const { page, problems } = await openForm(own.gateway, 120);
  const dialog = page.getByRole("main");
  const tryIt = () => clickButton(dialog, "Try the rule");
  await tryIt();
  await waitForText(dialog, "It would have raised 1 alert. Tried on 120 frames since");
  const alert = dialog
    .getByRole("list", { name: "Alerts that the rule would have raised" })
    .getByRole("button");
  await alert.click();
  expect(await alert.getAttribute("aria-pressed")).toBe("true");
  // The object stands at the bottom centre of its box.
  const place = dialog.locator(".trial-points span");
  expect(await place.evaluate((element) => [element.style.left, element.style.top])).toEqual(["50%", "50%"]);
  await expectAccessible(page);
  await dialog.getByText("How many, how long, how sure").click();
  await fillIn(dialog, "For how many seconds", "300");
  await alert.waitFor({ state: "detached" });
  await tryIt();
  await waitForText(dialog, "It would have raised no alert.");
  expect(await own.prisma.alert.count()).toBe(0);
  expect(problems).toEqual(noProblems);
});

test("a rule is tried on the newest frames that fit into a request", async () => {
  const { page } = await openForm(own.gateway, 1000, { persons: 20 });
  await clickButton(page, "Try the rule");
  await waitForText(page, /It would have raised 1 alert. Tried on 250 frames since/);
});

test("trying a rule says when there is nothing to try it on", async () => {
  const { page } = await openForm(own.gateway, 0);
  await clickButton(page, "Try the rule");
  await waitForText(page, "The gateway has kept no detections of this camera in the last 24 hours.");
});

test("frames from which no rule can raise an alert are told on the rules and the camera, with the reason of each rule", async () => {
  const { as, cameraId, addRule, open } = await newSite(own);
  const rule = { group: treeOf(person), evaluated: true, status: "INACTIVE" };
  const ruleId = await addRule({ ...rule, dayRange: [0, 1, 2, 3, 4, 5, 6] });
  const frame = { cameraId, at: new Date(), width: 640, height: 360, objects: [] };
  await own.gateway.data(
    "mutation ($input: [DetectionFrameInput!]!) { recordDetections(input: $input) { processed } }",
    { as, variables: { input: [frame] } },
  );
  const { page } = await open(`/?view=rules&camera=${cameraId}`);
  await waitForText(page, "No rule can raise an alert now.");
  await waitForText(
    page,
    /The gateway evaluates it. Last frame of a detector .*Not active: it raises nothing/,
  );
  await own.prisma.alertRule.updateMany({
    where: { id: ruleId },
    data: { status: "ACTIVE", evaluated: false },
  });
  await page.goto(`${own.gateway.url}/?camera=${cameraId}`);
  await waitForText(page, "No rule of this camera is evaluated by the gateway");
  await waitForText(page, "the detector itself raises its alerts");
  await own.prisma.alertRule.updateMany({ where: { id: ruleId }, data: { evaluated: true } });
  await page.reload();
  await waitForText(page, "The gateway evaluates it.");
  await expectNone(page.locator(".frames-in-vain"));
  await expectAccessible(page);
});

test("where the gateway keeps no detections, trying a rule says so", async () => {
  const { page } = await openForm(await sharedGateway(), 3, { locale: "de-DE" });
  await page.setViewportSize({ width: 375, height: 700 });
  await clickButton(page, "Regel ausprobieren");
  await waitForText(page, "Wer es betreibt, kann KEEP_DETECTIONS=on setzen.");
  await expectAccessible(page);
});
