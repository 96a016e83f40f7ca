import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { permissions } from "../../src/access/permissions.js";
import { createAlertRule, createAlerts, createUser } from "../support/factories.js";
import {
  browseSharedGateway,
  clickLink,
  expectAccessible,
  expectSoon,
  openSignedOutPage,
  signIn,
  tick,
  tokenOf,
  waitForHeading,
  waitForText,
} from "./console-page.js";
import { equippedWorkspace, recordAlerts } from "./own-console.js";

const shared = browseSharedGateway();

/** Two open alerts, and an administrator who looks at them. */
async function newSite() {
  const { prisma } = shared;
  const place = await equippedWorkspace(shared.gateway);
  const { workspaceId, cameraId } = place;
  const user = `test|${randomUUID()}`;
  const as = { user };
  await createUser(prisma, { workspaceId, authId: user, roles: [...permissions] });
  const ids = await createAlerts(prisma, [place, place]);
  const alertRuleId = await createAlertRule(prisma, { workspaceId, cameraId, observation: true });
  const raise = (name: string) => recordAlerts(shared.gateway, as, [{ cameraId, name }]);
  const observe = (name: string) => recordAlerts(shared.gateway, as, [{ cameraId, name, alertRuleId }]);
  return { user, ids, raise, observe };
}

async function openAs(user: string, address = "/?view=fleet") {
  const { page } = await openSignedOutPage(shared.gateway.url, address);
  await replaceBrowserOutput(page);
  await page.reload();
  await signIn(page, await tokenOf(user));
  return page;
}

interface BrowserOutput {
  /** What the next request for permission is answered. */
  permission: NotificationPermission;
  notifications: (NotificationOptions & { title: string; onclick?: () => void })[];
  /** The number of notes that were played. */
  notes: number;
}

/** Headless browsers have neither notifications nor loudspeakers. */
const replaceBrowserOutput = (page: Page) =>
  page.addInitScript(() => {
    const output: BrowserOutput = { permission: "granted", notifications: [], notes: 0 };
    Object.assign(window, { output });
    class ShownNotification {
      static permission: NotificationPermission = "default";
      static requestPermission() {
        ShownNotification.permission = output.permission;
        return Promise.resolve(output.permission);
      }
      readonly close = () => {};
      constructor(title: string, options: NotificationOptions) {
        output.notifications.push(Object.assign(this, { title, ...options }));
      }
    }
    Object.assign(window, { Notification: ShownNotification });
    const { start } = OscillatorNode.prototype;
    OscillatorNode.prototype.start = function (when) {
      output.notes += 1;
      start.call(this, when);
    };
  });

const outputOf = (page: Page) =>
  page.evaluate(() => {
    const { notifications, notes } = (window as unknown as { output: BrowserOutput }).output;
    return { notifications: notifications.map(({ title, body }) => [title, body ?? ""].join("\n")), notes };
  });

const setVisibility = (page: Page, state: DocumentVisibilityState) =>
  page.evaluate((value) => {
    Object.defineProperty(document, "visibilityState", { value, configurable: true });
  }, state);

const titleBecomes = (page: Page, title: string) => expectSoon(() => page.title(), title);

const profile = "/?view=settings&part=profile";

test("the tab's title and icon show the number of open alerts, and follow it", async () => {
  const { user, ids, raise } = await newSite();
  const page = await openAs(user);
  await titleBecomes(page, "(2) Fleet · Camera monitoring gateway");
  await raise("PERSON");
  await titleBecomes(page, "(3) Fleet · Camera monitoring gateway");
  const icon = page.locator("link[rel=icon]");
  await expectSoon(() => icon.getAttribute("href"), "/favicon.svg?open=3");
  const response = await fetch(`${shared.gateway.url}/favicon.svg?open=3`);
  expect(response.headers.get("content-type")).toContain("image/svg+xml");
  expect(await response.text()).toContain(">3</text>");
  await clickLink(page, "Insight", { exact: true });
  await titleBecomes(page, "(3) Insight · Camera monitoring gateway");
  await shared.gateway.data(
    "mutation ($ids: [UUID!]!) { markAlerts(ids: $ids, marks: { acknowledged: true }) { alerts { id } } }",
    { as: { user }, variables: { ids } },
  );
  await titleBecomes(page, "(1) Insight · Camera monitoring gateway");
});

test("an icon without a number is the ordinary one", async () => {
  const iconOf = async (query: string) => (await fetch(`${shared.gateway.url}/favicon.svg${query}`)).text();
  const ordinary = await iconOf("");
  expect(ordinary).not.toContain("<text");
  for (const query of ["?open=0", "?open=<script>", "?open=1&open=2"])
    expect(await iconOf(query)).toBe(ordinary);
  expect(await iconOf("?open=12345")).toContain(">99+</text>");
});

test("a notification tells of a new alert, but no observation, in the background, and leads to it", async () => {
  const { user, raise, observe } = await newSite();
  const page = await openAs(user, profile);
  await tick(page, "Show a notification");
  await expect
    .poll(() => outputOf(page))
    .toMatchObject({ notifications: ["New alerts will look like this\n"] });
  await titleBecomes(page, "(2) Settings · Camera monitoring gateway");
  await raise("PERSON_WHILE_VISIBLE");
  await titleBecomes(page, "(3) Settings · Camera monitoring gateway");
  await setVisibility(page, "hidden");
  await observe("CROWD");
  await raise("INTRUSION");
  const { notifications } = await expect
    .poll(() => outputOf(page))
    .toMatchObject({ notifications: [expect.any(String), expect.any(String)] })
    .then(() => outputOf(page));
  expect(notifications[1]?.replaceAll(/[\u2066-\u2069]/g, "")).toBe("Intrusion\nGate · Plant");
  await setVisibility(page, "visible");
  await page.evaluate(() =>
    (window as unknown as { output: BrowserOutput }).output.notifications[1]?.onclick?.(),
  );
  await waitForHeading(page, "Intrusion");
});

test("alerts that follow a notification are told together", async () => {
  const { user, raise } = await newSite();
  const page = await openAs(user, profile);
  await tick(page, "Show a notification");
  await expect.poll(() => outputOf(page)).toMatchObject({ notifications: [expect.any(String)] });
  await titleBecomes(page, "(2) Settings · Camera monitoring gateway");
  await setVisibility(page, "hidden");
  for (const name of ["ONE", "TWO", "THREE"]) await raise(name);
  await titleBecomes(page, "(5) Settings · Camera monitoring gateway");
  await expect
    .poll(() => outputOf(page), { timeout: 20_000 })
    .toMatchObject({
      notifications: [expect.any(String), expect.stringContaining("One"), "2 more new alerts\n"],
    });
});

test("whoever has blocked notifications is told how to allow them", async () => {
  const { user } = await newSite();
  const page = await openAs(user, profile);
  await page.evaluate(() => {
    (window as unknown as { output: BrowserOutput }).output.permission = "denied";
  });
  await page.getByLabel("Show a notification").click();
  await waitForText(page, "The browser blocks notifications of this page.");
  expect(await page.getByLabel("Show a notification").isChecked()).toBe(false);
  await expectAccessible(page);
});

test("a sound tells of a new alert", async () => {
  const { user, raise } = await newSite();
  const page = await openAs(user, profile);
  await tick(page, "Play a sound");
  await expect.poll(() => outputOf(page)).toMatchObject({ notes: 2 });
  await titleBecomes(page, "(2) Settings · Camera monitoring gateway");
  await raise("INTRUSION");
  await expect.poll(() => outputOf(page)).toMatchObject({ notes: 4 });
});
