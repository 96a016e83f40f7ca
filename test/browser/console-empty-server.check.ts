import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import type { Locator, Page } from "playwright-core";
import { IdentityProvider } from "../clients/identity-provider.js";
import { Mailbox, onlyLink } from "../delivery/personal-mail-site.js";
import { createDatabase, dropDatabase } from "../support/databases.js";
import { testSecrets } from "../support/environment.js";
import { gatewayOn } from "../support/harness.js";
import { plainPng } from "../support/png.js";
import { runCommand } from "../support/running-command.js";
import { ownDirectory } from "../support/temporary-directory.js";
import {
  buttonOf,
  clickButton,
  clickLink,
  drawTriangle,
  expectAccessible,
  expectCount,
  linkOf,
  openSignedOutPage,
  pressKeys,
  settingsFor,
  signInAtProvider,
  waitForHeading,
  waitForStatus,
  waitForText,
} from "./console-page.js";
import { closePages, noProblems } from "./monitored-page.js";

const server = {
  url: process.env.TEST_DATABASE_URL ?? "",
  prefix: `gateway_console_${process.pid}`,
  isCluster: false,
};
const administrator = "admin@test.example";
const colleague = "colleague@test.example";

const directory = await ownDirectory();
await writeFile(path.join(directory, "gate.png"), plainPng());
afterAll(closePages);

/**
 * An instance as an operator brings it up: an empty database, the migrations, the first
 * administrator, and the gateway, which sends its mails to a mailbox.
 */
async function newInstance(settings: Record<string, string | undefined>) {
  const mailbox = await Mailbox.open();
  onTestFinished(() => mailbox.close());
  const name = randomUUID().slice(0, 8);
  const DATABASE_URL = await createDatabase(server, name);
  onTestFinished(() => dropDatabase(server, name));
  const variables = {
    DATABASE_URL,
    DATA_DIR: path.join(directory, name),
    SEED: undefined,
    ...mailbox.settings,
    ...settings,
  };
  const operate = async (command: string, ...parameters: string[]) => {
    const environment = { ...testSecrets, ...variables };
    const { code, errors } = await runCommand(`commands/${command}`, { environment, parameters });
    expect({ code, errors }).toEqual({ code: 0, errors: "" });
  };
  await operate("migrate");
  await operate("bootstrap", "--workspace", "Our site", "--email", administrator);
  const gateway = await gatewayOn(variables);
  onTestFinished(() => gateway.close());
  return { mailbox, origin: gateway.url.replace("127.0.0.1", "localhost") };
}

/** Opens the console at the address in the only mail to somebody. */
async function openInvitation(mailbox: Mailbox, email: string, origin: string) {
  await expect.poll(() => mailbox.to(email).length).toBe(1);
  const { pathname, search, hash } = new URL(onlyLink(mailbox.to(email)));
  return openSignedOutPage(origin, `${pathname}${search}${hash}`, { timezoneId: "Europe/Berlin" });
}

/** Signs in as somebody with the address, on a page that an invitation led to. */
type SignIn = (page: Page, email: string) => Promise<void>;

/** Presses Tab until an element has the focus, as people without a pointer do. */
async function reach(target: Locator): Promise<Locator> {
  await target.waitFor();
  const isReached = () => target.evaluate((element) => element === document.activeElement);
  for (let presses = 0; !(await isReached()); presses += 1) {
    if (presses === 100) throw new Error(`No Tab leads to ${target}`);
    await pressKeys(target.page(), "Tab");
  }
  return target;
}

/** Reaches an element, and presses keys there. */
async function press(target: Locator, ...keys: string[]): Promise<void> {
  await reach(target);
  for (const key of keys) await pressKeys(target.page(), key);
}

/** Reaches a field, and types into it. */
async function type(field: Locator, text: string): Promise<void> {
  await reach(field);
  await field.page().keyboard.type(text);
}

/** Gives the camera its picture in the way of a test. */
type GivePicture = (page: Page, field: Locator) => Promise<void>;

const chooseByKeyboard: GivePicture = async (page, field) => {
  // Waiting has to begin earlier than the key is pressed: the browser is told of it.
  const chooser = page.waitForEvent("filechooser");
  await press(field, "Enter");
  await (await chooser).setFiles(path.join(directory, "gate.png"));
};

const drop: GivePicture = async (page, field) => {
  const box = await field.boundingBox();
  const { x, y, width, height } = box as NonNullable<typeof box>;
  const devtools = await page.context().newCDPSession(page);
  const data = { items: [], files: [path.join(directory, "gate.png")], dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"] as const)
    await devtools.send("Input.dispatchDragEvent", { type, x: x + width / 2, y: y + height / 2, data });
};

const run = promisify(execFile);

/** From the empty workspace to the first alert and invitation, without a pointer but for a drop. */
async function goThroughFirstRun(page: Page, givePicture: GivePicture): Promise<void> {
  const button = (name: string, within: Page | Locator = page) => buttonOf(within, name, { exact: true });
  const link = (name: string) => linkOf(page, name, { exact: true });
  const dialog = page.getByRole("dialog");
  await press(button("Add a facility"), "Enter");
  await type(dialog.getByLabel("Name"), "Plant");
  expect(await dialog.getByLabel("Time zone").inputValue()).toBe("Europe/Berlin");
  await type(dialog.getByLabel("Latitude"), "52.5");
  await type(dialog.getByLabel("Longitude"), "13.4");
  await pressKeys(page, "Enter");
  await waitForStatus(page, "“Plant” was added.");

  await press(button("Add a camera"), "Enter");
  await type(dialog.getByLabel("Name"), "Gate");
  // The page has not loaded the styles of the settings.
  const sources = dialog.getByRole("group", { name: "How its pictures come" });
  expect(await sources.evaluate((group) => getComputedStyle(group).borderTopStyle)).toBe("none");
  await press(dialog.getByLabel("By the URL of its stream"), "ArrowDown");
  await givePicture(page, dialog.getByLabel(/^Picture/));
  await press(button("Save", dialog), "Enter");
  await waitForStatus(page, "“Gate” was added.");

  await press(link("Add a rule"), "Enter");
  await press(button("Person in a forbidden area"), "Enter");
  await drawTriangle(page);
  expect(await page.getByLabel("Email addresses").inputValue()).toBe(administrator);
  await press(button("Save"), "Enter");

  const taken = (step: string) => page.getByRole("listitem").filter({ hasText: `${step}: done` });
  await press(button("Send a test"), "Enter");
  await taken("Send yourself a test").waitFor();

  await press(button("Create a key for a detector"), "Enter");
  const command = await page.getByRole("region", { name: /^Try it without a detector/ }).textContent();
  await expectAccessible(page);
  const { stdout } = await run("sh", ["-c", command ?? ""]);
  expect(stdout).toContain('"alerts":[{"name":"STATIC_DELIMITATION_AREA"}]');
  await taken("Where alerts come from").waitFor();
  await press(link("See the alert"), "Enter");
  await waitForHeading(page, "Person in a forbidden area");
  await press(link("Today"), "Enter");

  await press(link("Invite somebody"), "Enter");
  await type(dialog.getByLabel("Email address"), colleague);
  await press(button("Guard", dialog), "Enter");
  await press(button("Invite somebody", dialog), "Enter");
  await waitForText(page, `${colleague} was invited.`);
  await press(link("Today"), "Enter");
  await waitForHeading(page, "Today", 1);
  await expectCount(page.getByRole("heading", { name: /^Welcome/ }), 0);
}

/** All parts of the settings, in their order. */
const parts = [
  "Facilities and cameras",
  "People",
  "API keys",
  "Connectors",
  "Notifications",
  "Audit log",
  "Workspace",
];

/** The way from an empty instance to a colleague who sees the first camera, after a glance at all settings. */
async function walk(
  { mailbox, origin }: Awaited<ReturnType<typeof newInstance>>,
  signIn: SignIn,
  givePicture: GivePicture,
) {
  const { page, problems } = await openInvitation(mailbox, administrator, origin);
  await signIn(page, administrator);
  await waitForHeading(page, "Welcome. From here to the first alert");
  await expectAccessible(page);
  await goThroughFirstRun(page, givePicture);
  const testMail = () => mailbox.to(administrator).find(({ subject = "" }) => subject.startsWith("[TEST]"));
  await expect.poll(testMail).toBeDefined();

  await clickLink(page, "Settings", { exact: true });
  const settings = page.getByRole("navigation", { name: "Settings" });
  await settings.waitFor();
  expect(await settings.getByRole("link").allTextContents()).toEqual(parts);
  for (const part of parts) {
    await clickLink(settings, part);
    await page.getByRole("heading", { name: part, level: 2, exact: true }).waitFor();
    await expectCount(page.locator("[aria-busy=true]"), 0);
    await expectAccessible(page);
  }

  await clickButton(page, "Account");
  await clickLink(page, "Profile");
  await waitForHeading(page, "Profile", 2);
  await expectCount(page.locator("#account:popover-open"), 0);
  await expectAccessible(page);
  const invited = await openInvitation(mailbox, colleague, origin);
  await signIn(invited.page, colleague);
  await clickLink(invited.page, "Cameras", { exact: true });
  await invited.page.getByRole("article", { name: "Gate" }).waitFor();
  return [problems, invited.problems];
}

describe.skipIf(!process.env.TEST_DATABASE_URL)("on an empty PostgreSQL server", () => {
  test("an operator's link leads to the first camera, rule, test mail and colleague, by keyboard alone", async () => {
    const instance = await newInstance({});
    const problems = await walk(
      instance,
      async (page) => {
        await clickButton(page, /^Sign in as/);
        await clickButton(page.getByRole("dialog", { name: /^Welcome/ }), "Cancel");
      },
      chooseByKeyboard,
    );
    expect(problems).toEqual([noProblems, noProblems]);
  });

  test("with an identity provider, the invited sign in there, and a picture that is dropped makes the camera", async () => {
    const provider = await IdentityProvider.start();
    onTestFinished(() => provider.close());
    const instance = await newInstance(settingsFor(provider));
    await provider.admitPage(`${instance.origin}/`);
    const problems = await walk(
      instance,
      async (page, email) => {
        // Leaving the page would end the request for the first view.
        await page.waitForLoadState("networkidle");
        await signInAtProvider(page, email);
      },
      drop,
    );
    // The provider's own page asks for a font from elsewhere.
    const failures = problems.flatMap(({ failedRequests }) => failedRequests);
    expect(failures.filter((failure) => failure.includes(instance.origin))).toEqual([]);
  });
});
