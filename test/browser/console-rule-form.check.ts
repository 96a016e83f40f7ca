import type { Page } from "playwright-core";
import { Webhook } from "standardwebhooks";
import { WebhookReceiver } from "../delivery/webhook-receiver.js";
import { createCamera, createFacility } from "../support/factories.js";
import {
  browseSharedGateway,
  clickButton,
  clickLink,
  expectAccessible,
  expectCount,
  expectNone,
  fillIn,
  loseAnswers,
  notifying,
  tick,
  waitForStatus,
  waitForText,
} from "./console-page.js";
import { noProblems } from "./monitored-page.js";
import { newSite, person, treeOf } from "./own-console.js";

const own = browseSharedGateway({ environment: notifying });

const square = [
  { x: 100, y: 100 },
  { x: 300, y: 100 },
  { x: 300, y: 300 },
];

/** Opens the rules of a camera with one rule. */
async function openRule(values: Record<string, unknown> = {}) {
  const { prisma } = own;
  const { workspaceId, facilityId, cameraId, addRule, open } = await newSite(own, {
    camera: { imageDimensions: { width: 1280, height: 720 } },
  });
  const id = await addRule({ group: treeOf(person), ...values });
  const { page, problems } = await open(`/?view=rules&camera=${cameraId}`);
  const where = { workspaceId_id: { workspaceId, id } };
  /** The rule as stored. */
  const stored = () => prisma.alertRule.findUniqueOrThrow({ where });
  return { page, problems, workspaceId, facilityId, cameraId, stored };
}

const change = (page: Page) => clickLink(page, "Change", { exact: true });
const save = async (page: Page) => {
  await clickButton(page, "Save", { exact: true });
  await waitForStatus(page, "The rule was saved.");
  await page.getByRole("article").waitFor();
};

test("all that a rule has can be set, and is said in words meanwhile", async () => {
  const { page, problems, stored } = await openRule({ dayRange: [0, 1, 2, 3, 4, 5, 6] });
  await change(page);
  await waitForText(page, "Every day, all day");
  expect(await page.getByLabel(/^Name in alerts/).evaluate((field) => field === document.activeElement)).toBe(
    true,
  );
  await fillIn(page, /^Name in alerts/, "Night shift");
  await page.getByLabel("Type").selectOption("Vehicle in a pedestrian area");
  await page.getByLabel("People", { exact: true }).uncheck();
  await tick(page, "Forklifts");
  await fillIn(page, "Other objects", "pallet jack");
  await page.getByText("How many, how long, how sure").click();
  await tick(page, "The gateway evaluates this rule");
  await fillIn(page, "At least how many", "2");
  await fillIn(page, "For how many seconds", "90000");
  await clickButton(page, "Save", { exact: true });
  await waitForText(page, "At most 86400.");
  await fillIn(page, "For how many seconds", "0,5");
  await fillIn(page, "Confidence, in percent", "70");
  await fillIn(page, "Only objects with these properties", "moving = true\nlane = A");
  await fillIn(page, "Seconds until the next alert", "120");
  await waitForText(
    page,
    "At least 2 forklifts or “pallet jack” are detected, for at least 0.5 seconds, with a confidence of at least 70%, with moving = true, with lane = A. At most one alert every 2 minutes",
  );
  await tick(page, "As observations");
  await page.getByText("When:").click();
  for (const day of ["Saturday", "Sunday"]) await page.getByLabel(day).uncheck();
  await page.getByLabel("From", { exact: true }).fill("22:00");
  await page.getByLabel("To", { exact: true }).fill("06:00");
  await waitForText(page, "Mon–Fri, 22:00–06:00 the next day");
  await expectAccessible(page);
  await save(page);
  const card = page.getByRole("article", { name: "Night shift, Vehicle in a pedestrian area" });
  await waitForText(card, "Mon–Fri, 22:00–06:00 the next day");
  const rule = await stored();
  expect(rule).toMatchObject({
    name: "VEHICLE_IN_PEDESTRIAN_AREA",
    observation: true,
    evaluated: true,
    dayRange: [1, 2, 3, 4, 5],
    group: {
      name: "Night shift",
      cooldownSeconds: 120,
      children: [
        {
          type: "VEHICLE_IN_PEDESTRIAN_AREA",
          objects: ["FORKLIFT", "pallet jack"],
          minCount: 2,
          minSeconds: 0.5,
          minConfidence: 0.7,
          attributes: { moving: true, lane: "A" },
        },
      ],
    },
  });
  // Istanbul is three hours ahead.
  expect([rule.timeRangeStart, rule.timeRangeEnd].map((time) => time?.toISOString().slice(11))).toEqual([
    "19:00:00.000Z",
    "03:00:00.000Z",
  ]);
  // What the form shows is read again as it is, and an unchanged rule keeps it.
  await change(page);
  await save(page);
  const { updatedAt: _, ...again } = await stored();
  expect(rule).toMatchObject(again);
  await change(page);
  await page.getByText("When:").click();
  for (const time of ["From", "To"]) await page.getByLabel(time, { exact: true }).fill("");
  await save(page);
  expect(await stored()).toMatchObject({ timeRangeStart: null, timeRangeEnd: null });
  expect(problems).toEqual(noProblems);
});

test("conditions that the form cannot change stay as they are, and it says so", async () => {
  const group = treeOf({ type: "AREA", name: "Dock", points: square }, person, treeOf(person, person));
  const { page, stored } = await openRule({ group, dayRange: [] });
  await change(page);
  await waitForText(page, "They stay as they are.");
  await expectNone(page.getByLabel("Type"));
  await page.getByLabel("Severity").selectOption("Critical");
  await fillIn(page, /^Name in alerts/, "Two crews");
  await save(page);
  expect(await stored()).toMatchObject({
    severity: "CRITICAL",
    dayRange: [],
    name: "STATIC_DELIMITATION_AREA",
    group: { ...group, name: "Two crews" },
  });
});

describe("the secret of a webhook", () => {
  const shownSecret = (page: Page) =>
    page.getByRole("dialog", { name: "The secret of the webhook" }).getByText(/^whsec_/);

  test("is made here, shown once, and signs a test whose outcome is shown", async () => {
    const receiver = await WebhookReceiver.forTest();
    const { page, stored } = await openRule();
    await change(page);
    await page.getByLabel("Webhook", { exact: false }).fill(receiver.url("/hook"));
    await save(page);
    const secret = (await shownSecret(page).textContent()) as string;
    // 32 bytes as Base64.
    expect(secret).toMatch(/^whsec_[\w+/]{43}=$/);
    expect((await stored()).notificationSecret).toBe(secret);
    await expectAccessible(page);
    const dialog = page.getByRole("dialog");
    await clickButton(dialog, "Send a signed test");
    const [post] = await receiver.received(1, "/hook");
    expect(() =>
      new Webhook(secret).verify(post?.text ?? "", post?.headers as Record<string, string>),
    ).not.toThrow();
    await waitForText(dialog, "Test sent");
    await clickButton(dialog, "I have copied it");
    await expectCount(dialog, 0);
    const card = page.getByRole("article");
    await waitForText(card, "Signed", { exact: true });
    expect(await page.content()).not.toContain(secret);
    expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain(secret);
  });

  test("stays on saving, and is replaced on demand", async () => {
    const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
    const { page, stored } = await openRule({
      notificationUrl: "https://hooks.example/",
      notificationSecret: secret,
      notificationEnabled: true,
    });
    await change(page);
    await page.getByLabel("Post alerts to it").uncheck();
    await save(page);
    await waitForText(page.getByRole("article"), "Switched off");
    expect(await stored()).toMatchObject({ notificationSecret: secret, notificationEnabled: false });
    await change(page);
    await tick(page, "Replace the secret");
    await save(page);
    const replaced = await shownSecret(page).textContent();
    expect(replaced).not.toBe(secret);
    expect((await stored()).notificationSecret).toBe(replaced);
  });
});

test("a rule is added beside another one while the page still waits for what else it reads", async () => {
  const { page, problems, cameraId } = await openRule();
  await page.route("**/graphql", (route) =>
    /query (?:RulesCameras|AlertPoints)\b/.test(route.request().postData() ?? "")
      ? undefined
      : route.continue(),
  );
  await page.goto(`${own.gateway.url}/?view=rules&camera=${cameraId}&rule=new`);
  await clickButton(page, "Too many people");
  await clickButton(page, "Save", { exact: true });
  await waitForStatus(page, "The rule was added.");
  await expectCount(page.getByRole("article"), 2);
  expect(problems.consoleErrors).toEqual([]);
});

test("recipients of the camera are shown as the camera's, with the way to where they are set", async () => {
  const { page, facilityId, cameraId } = await openRule({ emails: ["mine@demo.example"] });
  await own.prisma.camera.updateMany({
    where: { id: cameraId },
    data: { emailAddresses: ["mine@demo.example", "guard@demo.example"] },
  });
  await page.reload();
  const card = page.getByRole("article");
  await waitForText(card, "Also told: guard@demo.example, of the camera.");
  await clickLink(card, "Change in the settings");
  await expect.poll(() => new URL(page.url()).searchParams.get("facility")).toBe(facilityId);
});

test("a rule is copied to other cameras, scaled, and another try after a failure doubles nothing", async () => {
  const { prisma } = own;
  const area = { type: "AREA", name: "Dock", color: "#ff8800", points: square };
  const nineToFive = {
    timeRangeStart: new Date("2026-11-20T06:00:00Z"),
    timeRangeEnd: new Date("2026-11-20T14:00:00Z"),
  };
  const group = treeOf(area, person);
  const { page, workspaceId } = await openRule({
    group,
    dayRange: [1],
    emails: ["a@b.example"],
    ...nineToFive,
  });
  const other = await createFacility(prisma, { workspaceId, name: "Far", timeZoneId: "Asia/Kathmandu" });
  const names = ["Half", "Unknown size", "Lost"];
  const [half = "", unknown = "", lost = ""] = await Promise.all(
    names.map((name) => createCamera(prisma, { workspaceId, facilityId: other, name })),
  );
  await prisma.camera.updateMany({
    where: { id: { in: [half, lost] } },
    data: { imageDimensions: { width: 640, height: 180 } },
  });
  const rulesOf = (cameraId: string) => prisma.alertRule.findMany({ where: { workspaceId, cameraId } });
  await clickButton(page, "More");
  await clickButton(page, "Copy", { exact: true });
  const dialog = page.getByRole("dialog");
  for (const name of names) await tick(dialog, name);
  await dialog.getByText("corners stay as they are").first().waitFor();
  await expectAccessible(page);
  // The gateway copies, but its answer is lost.
  await loseAnswers(page, (body) => body.includes(lost));
  await clickButton(dialog, "Copy to 3 cameras");
  await waitForText(dialog.getByRole("alert"), "Lost: ");
  expect(await rulesOf(lost)).toHaveLength(1);
  await page.unroute("**/graphql");
  await clickButton(dialog, /^Try again with/);
  await waitForStatus(page, "The rule was copied to 3 cameras.");
  for (const camera of [half, unknown, lost]) expect(await rulesOf(camera)).toHaveLength(1);
  const [copied] = await rulesOf(half);
  expect(copied).toMatchObject({
    dayRange: [1],
    emails: ["a@b.example"],
    group: {
      children: [
        {
          ...area,
          points: [
            { x: 50, y: 25 },
            { x: 150, y: 25 },
            { x: 150, y: 75 },
          ],
        },
        person,
      ],
    },
  });
  expect(JSON.stringify(copied?.group)).not.toContain(group.id);
  // 09:00 in Kathmandu, which is 5:45 hours ahead.
  expect(copied?.timeRangeStart?.toISOString().slice(11, 16)).toBe("03:15");
  expect((await rulesOf(unknown))[0]?.group).toMatchObject({ children: [area, person] });
});

test("a new rule is evaluated by default, and where the gateway cannot evaluate it beside others, its form says so", async () => {
  const { cameraId, addRule, open } = await newSite(own);
  for (let count = 0; count < 30; count++) await addRule({ evaluated: true });
  const { page } = await open(`/?view=rules&camera=${cameraId}`);
  await clickLink(page, "Add a rule");
  await tick(page, "Watch the whole picture");
  await clickButton(page, "Save", { exact: true });
  await waitForText(page, "Clear the tick here, or change or delete another rule");
  await page.getByLabel("The gateway evaluates this rule").uncheck();
  await clickButton(page, "Save", { exact: true });
  await waitForStatus(page, "The rule was added.");
  expect(await own.prisma.alertRule.count({ where: { cameraId } })).toBe(31);
});
