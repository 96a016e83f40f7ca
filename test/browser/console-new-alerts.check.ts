import type { Page } from "playwright-core";
import {
  browseSharedGateway,
  clickLink,
  expectAccessible,
  expectSoon,
  setVisibility,
  tick,
  waitForHeading,
  waitForText,
} from "./console-page.js";
import { newSite, recordAlerts } from "./own-console.js";

const shared = browseSharedGateway();

/** Two open alerts, and an administrator who looks at them in a browser with outputs. */
async function newViewer() {
  const site = await newSite(shared);
  const { as, cameraId, record, addRule, raise } = site;
  const ids = await raise({}, {});
  const alertRuleId = await addRule({ observation: true });
  const observe = (name: string) => recordAlerts(shared.gateway, as, [{ cameraId, name, alertRuleId }]);
  const open = async (address = "/?view=settings&part=profile") => {
    const { page } = await site.open(address);
    await replaceBrowserOutput(page);
    await page.reload();
    return page;
  };
  return { as, ids, record, observe, open };
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

const titleBecomes = (page: Page, title: string) => expectSoon(() => page.title(), title);

test("the tab's title and icon show the number of open alerts, and follow it", async () => {
  const { open, ids, as, record } = await newViewer();
  const page = await open("/?view=fleet");
  await titleBecomes(page, "(2) Cameras · Camera monitoring gateway");
  await record("PERSON");
  await titleBecomes(page, "(3) Cameras · Camera monitoring gateway");
  const icon = page.locator("link[rel=icon]");
  await expectSoon(() => icon.getAttribute("href"), "/favicon.svg?open=3");
  const response = await fetch(`${shared.gateway.url}/favicon.svg?open=3`);
  expect(response.headers.get("content-type")).toContain("image/svg+xml");
  expect(await response.text()).toContain(">3</text>");
  await clickLink(page, "Insight", { exact: true });
  await titleBecomes(page, "(3) Insight · Camera monitoring gateway");
  await shared.gateway.data(
    "mutation ($ids: [UUID!]!) { markAlerts(ids: $ids, marks: { acknowledged: true }) { alerts { id } } }",
    { as, variables: { ids } },
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
  const { open, record, observe } = await newViewer();
  const page = await open();
  await tick(page, "Show a notification");
  await expect
    .poll(() => outputOf(page))
    .toMatchObject({ notifications: ["New alerts will look like this\n"] });
  await titleBecomes(page, "(2) Settings · Camera monitoring gateway");
  await record("PERSON_WHILE_VISIBLE");
  await titleBecomes(page, "(3) Settings · Camera monitoring gateway");
  await setVisibility(page, "hidden");
  await observe("CROWD");
  await record("INTRUSION");
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
  const { open, record } = await newViewer();
  const page = await open();
  await tick(page, "Show a notification");
  await expect.poll(() => outputOf(page)).toMatchObject({ notifications: [expect.any(String)] });
  await titleBecomes(page, "(2) Settings · Camera monitoring gateway");
  await setVisibility(page, "hidden");
  for (const name of ["ONE", "TWO", "THREE"]) await record(name);
  await titleBecomes(page, "(5) Settings · Camera monitoring gateway");
  await expect
    .poll(() => outputOf(page), { timeout: 20_000 })
    .toMatchObject({
      notifications: [expect.any(String), expect.stringContaining("One"), "2 more new alerts\n"],
    });
});

test("whoever has blocked notifications is told how to allow them", async () => {
  const { open } = await newViewer();
  const page = await open();
  await page.evaluate(() => {
    (window as unknown as { output: BrowserOutput }).output.permission = "denied";
  });
  await page.getByLabel("Show a notification").click();
  await waitForText(page, "The browser blocks notifications of this page.");
  expect(await page.getByLabel("Show a notification").isChecked()).toBe(false);
  await expectAccessible(page);
});

test("a sound tells of a new alert", async () => {
  const { open, record } = await newViewer();
  const page = await open();
  await tick(page, "Play a sound");
  await expect.poll(() => outputOf(page)).toMatchObject({ notes: 2 });
  await titleBecomes(page, "(2) Settings · Camera monitoring gateway");
  await record("INTRUSION");
  await expect.poll(() => outputOf(page)).toMatchObject({ notes: 4 });
});
