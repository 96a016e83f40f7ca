import { randomUUID } from "node:crypto";
import type { Locator } from "playwright-core";
import { createApiKey, createCamera, createInvitation, createUser } from "../support/factories.js";
import { plainPng } from "../support/png.js";
import {
  browseSharedGateway,
  buttonOf,
  clickButton,
  clickLink,
  downloadBy,
  expectAccessible,
  expectCount,
  expectNone,
  expectSoon,
  fillIn,
  linkOf,
  notifying,
  openSignedOutPage,
  pressKeys,
  saidAbout,
  tick,
  waitForHeading,
  waitForStatus,
  waitForText,
} from "./console-page.js";
import { newSite, newUser } from "./own-console.js";

const own = browseSharedGateway({ environment: notifying });

const file = { name: "picture.png", mimeType: "image/png", buffer: plainPng() };

test("what the gateway refuses is said at its field, in the reader's language", async () => {
  const { page } = await (await newUser(own)).open(undefined, { locale: "de-DE" });
  await clickButton(page, "Standort hinzufügen");
  const dialog = page.getByRole("dialog");
  await fillIn(dialog, "Name", "Werk");
  for (const [label, text, problem] of [
    ["Zeitzone", "Nirgendwo", "Geben Sie den Namen einer Zeitzone ein, etwa Europe/Berlin."],
    ["Breitengrad", "52.5", /^Geben Sie beides ein/],
  ] as const) {
    await fillIn(dialog, label, text);
    await clickButton(dialog, "Speichern");
    await waitForText(dialog, problem);
    await waitForText(dialog, "Nichts wurde gespeichert");
    expect(await saidAbout(dialog, label)).toMatch(problem);
  }
});

test("a half-filled form survives Escape and another view, and is discarded only on request", async () => {
  const { page } = await (await newUser(own)).open();
  const dialog = page.getByRole("dialog");
  await clickButton(page, "Add a facility");
  await fillIn(dialog, "Name", "Half");
  await pressKeys(page, "Escape");
  await waitForText(dialog, "Discard what you have entered?");
  await expectAccessible(page);
  await clickButton(dialog, "Keep editing");
  await page.goto(`${own.gateway.url}/?view=alerts`);
  await page.goto(`${own.gateway.url}/?view=settings`);
  await expectSoon(() => dialog.getByLabel("Name").inputValue(), "Half");
  await clickButton(dialog, "Close");
  await clickButton(dialog, "Discard");
  await clickButton(page, "Add a facility");
  expect(await dialog.getByLabel("Name").inputValue()).toBe("");
});

test.each([
  ["en-GB", "Add a facility", "Save", "This is required.", "Name"],
  ["de-DE", "Standort hinzufügen", "Speichern", "Diese Angabe ist nötig.", "Name"],
])(
  "in %s, a form begins in its first field, marks what is required, says so in words, and reads a comma in numbers",
  async (locale, add, save, missing, name) => {
    const { workspaceId, open } = await newUser(own);
    const { page } = await open("/?view=settings", { locale });
    const dialog = page.getByRole("dialog");
    await clickButton(page, add);
    const field = dialog.getByLabel(name, { exact: true });
    expect(await field.evaluate((each) => each === document.activeElement)).toBe(true);
    const mark = (label: Element) => getComputedStyle(label, "::after").content;
    expect(await dialog.locator("label", { hasText: name }).first().evaluate(mark)).toContain("*");
    await clickButton(dialog, save);
    expect(await saidAbout(dialog, name)).toBe(missing);
    expect(await field.evaluate((each) => each === document.activeElement)).toBe(true);
    await field.fill("Dock");
    await dialog.locator("[name=lat]").fill("52,5");
    await dialog.locator("[name=lng]").fill("-0,5");
    await clickButton(dialog, save);
    await dialog.waitFor({ state: "detached" });
    expect(await own.prisma.facility.findFirst({ where: { workspaceId } })).toMatchObject({
      ...{ latitude: 52.5, longitude: -0.5 },
    });
  },
);

test("a new camera that was half entered is back after a reload", async () => {
  const { open } = await newSite(own);
  const { page } = await open();
  await clickButton(page, "Add a camera");
  await fillIn(page.getByRole("dialog"), "Name", "Half");
  await page.reload();
  await expectSoon(() => page.getByRole("dialog").getByLabel("Name").inputValue(), "Half");
});

test("the cameras of a facility are searched once there are more than ten", async () => {
  const { workspaceId, facilityId, open } = await newSite(own);
  for (let number = 1; number <= 10; number += 1)
    await createCamera(own.prisma, { workspaceId, facilityId, name: `Yard ${number}` });
  const { page } = await open();
  const cameras = page.getByRole("region", { name: /^Cameras of/ }).getByRole("listitem");
  await expectCount(cameras, 11);
  await fillIn(page, "Search for cameras", "GATE");
  await expectSoon(() => cameras.allInnerTexts(), [expect.stringContaining("Gate")]);
  await fillIn(page, "Search for cameras", "nothing");
  await waitForText(page, "No camera matches.");
});

test("a camera is changed and deleted after a question that says what is lost", async () => {
  const { workspaceId, cameraId, open } = await newSite(own);
  const { page } = await open();
  const dialog = page.getByRole("dialog");
  await clickButton(page, "Edit: Gate");
  await fillIn(dialog, "Email addresses", "a@test.example\nno address");
  await fillIn(dialog, "URL", "rtsp://192.0.2.1/live");
  await clickButton(dialog, "Save");
  await waitForText(dialog, "“no address” is not an email address.");
  await fillIn(dialog, "Email addresses", "a@test.example");
  await clickButton(dialog, "Save");
  await waitForStatus(dialog, "Its stream at 192.0.2.1 is being opened");
  await clickButton(dialog.locator(".form-actions"), "Close");
  await waitForText(page, "rtsp://192.0.2.1/live");
  await clickButton(page, "Edit: Gate");
  await dialog.getByText("Device and pictures").click();
  await dialog.getByLabel("Protocol").selectOption("RTSP");
  await fillIn(dialog, "Device at the facility", "no device");
  await fillIn(dialog, "Width of the pictures", "1280");
  await clickButton(dialog, "Save");
  await waitForText(dialog, "Enter the ID of a device, a UUID, or nothing.");
  await expectAccessible(page);
  await fillIn(dialog, "Device at the facility", "7B9E4C8A-1111-4222-8333-944455556666");
  await clickButton(dialog, "Save");
  await waitForText(dialog, "Enter width and height in pixels");
  await fillIn(dialog, "Height of the pictures", "720");
  await clickButton(dialog, "Save");
  await dialog.waitFor({ state: "detached" });
  expect(await own.prisma.camera.findFirst({ where: { workspaceId, id: cameraId } })).toMatchObject({
    url: "rtsp://192.0.2.1/live",
    emailAddresses: ["a@test.example"],
    streamProtocol: "RTSP",
    facilityNodeId: "7b9e4c8a-1111-4222-8333-944455556666",
    imageDimensions: { width: 1280, height: 720 },
  });
  await clickButton(page, "Delete: Gate");
  await waitForText(dialog, "restored for 30 days");
  await clickButton(dialog, "Delete");
  await waitForText(page, "“Gate” was deleted.");
  await waitForHeading(page, "This facility has no cameras yet");
  await page.goto(`${own.gateway.url}/?view=settings&part=audit`);
  await clickLink(
    page.getByRole("listitem").filter({ hasText: "changed a camera" }).first(),
    "Show the camera",
  );
  await waitForHeading(page, "This camera is not there");
  await waitForHeading(page, /deleted a camera/);
  await waitForText(page, "Alerts do not come back.");
  await expectAccessible(page);
  await clickButton(page, "Restore");
  await waitForHeading(page, "Gate", 1);
  await page.goto(`${own.gateway.url}/?view=settings&part=audit`);
  await waitForText(page, "It was restored.");
  // Also later, as only the deletions are listed.
  await page.getByLabel("Action").selectOption("deleted a camera");
  await page.reload();
  await waitForText(page, "It was restored.");
  await expectNone(buttonOf(page, "Restore"));
  await expectNone(page.getByRole("heading", { name: "restored a camera" }));
  expect(await own.prisma.camera.findFirst({ where: { id: cameraId } })).toMatchObject({ removedAt: null });
});

interface Form {
  part: string;
  opener: string;
  fill: (dialog: Locator) => Promise<void>;
  table: "facility" | "user" | "workspace" | "apiKey";
  theirs: object;
  mine: object;
}

const renamed = (field: string, name = "name") => ({
  fill: (dialog: Locator) => fillIn(dialog, field, "Mine"),
  theirs: { [name]: "Theirs" },
  mine: { [name]: "Mine" },
});

test.each<Form>([
  { part: "facilities", opener: "Edit: Plant", table: "facility", ...renamed("Address", "address") },
  { part: "people", opener: "Edit: Grace", table: "user", ...renamed("Last name", "lastName") },
  {
    ...{ part: "people", opener: "Permissions: Grace", table: "user" },
    fill: (dialog) => dialog.getByLabel("See cameras").first().check(),
    theirs: { roles: ["alerts:read"] },
    mine: { roles: ["cameras:read"] },
  },
  { part: "workspace", opener: "Edit", table: "workspace", ...renamed("Name of the workspace") },
  { part: "keys", opener: "Edit: Detector", table: "apiKey", ...renamed("Name") },
])(
  "who changes what somebody else has changed meanwhile is told, and may overwrite it: $part, $opener",
  async ({ part, opener, fill, table, theirs, mine }) => {
    const { prisma } = own;
    const { workspaceId, facilityId, open } = await newSite(own);
    const names = { authId: `test|${randomUUID()}`, firstName: "Grace", lastName: null };
    const key = await createApiKey(prisma, { workspaceId, name: "Detector", permissions: ["alerts:read"] });
    const ids = {
      facility: facilityId,
      user: await createUser(prisma, { workspaceId, roles: [], ...names }),
      apiKey: key.id,
      workspace: workspaceId,
    };
    const where =
      table === "workspace" ? { id: workspaceId } : { workspaceId_id: { workspaceId, id: ids[table] } };
    const rows = prisma[table] as unknown as {
      update: (change: object) => Promise<unknown>;
      findUnique: (query: object) => Promise<unknown>;
    };
    const { page } = await open(`/?view=settings&part=${part}`);
    const dialog = page.getByRole("dialog");
    await clickButton(page, opener);
    await fill(dialog);
    await rows.update({ where, data: theirs });
    // The draft is back, and what it is about is read again.
    await page.reload();
    await clickButton(dialog, "Save", { exact: true });
    await waitForText(dialog, "Somebody else has changed this meanwhile.");
    expect(await rows.findUnique({ where })).toMatchObject(theirs);
    await clickButton(dialog, "Save mine anyway");
    await waitForText(page, "Saved.");
    expect(await rows.findUnique({ where })).toMatchObject(mine);
  },
);

test("an address that is already invited, and a key that was revoked meanwhile, are problems of their fields", async () => {
  const { workspaceId, open } = await newSite(own);
  await createInvitation(own.prisma, { workspaceId, email: "new@test.example" });
  const { id } = await createApiKey(own.prisma, {
    workspaceId,
    name: "Detector",
    permissions: ["alerts:read"],
  });
  const { page } = await open("/?view=settings&part=people");
  const dialog = page.getByRole("dialog");
  const isConflict = () => dialog.getByText("Somebody else has changed this meanwhile.").count();
  await clickButton(page, "Invite somebody");
  await fillIn(dialog, "Email address", "New@Test.example");
  await clickButton(dialog, "Invite somebody");
  await waitForText(dialog, "an email address that no user and no open invitation has");
  expect(await isConflict()).toBe(0);
  await page.goto(`${own.gateway.url}/?view=settings&part=keys`);
  await clickButton(page, "Edit: Detector");
  await fillIn(dialog, "Name", "Mine");
  const where = { workspaceId_id: { workspaceId, id } };
  await own.prisma.apiKey.update({ where, data: { revokedAt: new Date() } });
  await clickButton(dialog, "Save", { exact: true });
  await waitForText(dialog, "This key was revoked or has expired");
  expect(await isConflict()).toBe(0);
});

test("a colleague is invited, and another one is removed", async () => {
  const { workspaceId, open } = await newSite(own);
  const authId = `test|${randomUUID()}`;
  await createUser(own.prisma, {
    workspaceId,
    authId,
    roles: [],
    firstName: "Grace",
    lastName: null,
  });
  const { page } = await open("/?view=settings&part=people");
  const dialog = page.getByRole("dialog");
  await clickButton(page, "Invite somebody");
  await fillIn(dialog, "Email address", "new@test.example");
  await dialog.getByText("In addition at Plant").click();
  await tick(dialog.getByRole("group", { name: "In addition at Plant" }), "Delete alerts");
  await expectAccessible(page);
  await clickButton(dialog, "Invite somebody");
  await waitForText(page, "new@test.example was invited.");
  const invitation = await own.prisma.invitation.findFirst({ where: { workspaceId } });
  expect(invitation).toMatchObject({ email: "new@test.example", revokedAt: null });
  await clickButton(page, "Revoke: new@test.example");
  await waitForText(dialog, "In addition at Plant: Delete alerts");
  await clickButton(dialog, "Revoke");
  await waitForText(page, "The invitation was revoked.");
  await clickButton(page, "Remove: Grace");
  await clickButton(dialog, "Remove");
  await waitForText(page, "“Grace” was removed.");
  expect(await own.prisma.user.findFirst({ where: { workspaceId, authId } })).toBeNull();
});

test("the access of a colleague ends at a time, in all and in what a facility adds to the roles", async () => {
  const { workspaceId, open } = await newSite(own);
  const names = { firstName: "Grace", lastName: null };
  const id = await createUser(own.prisma, { workspaceId, roles: ["alerts:read"], ...names });
  const { page } = await open("/?view=settings&part=people");
  const dialog = page.getByRole("dialog");
  await clickButton(page, "Edit: Grace");
  await fillIn(dialog, "Access ends", "2020-12-31T18:00");
  await clickButton(dialog, "Save", { exact: true });
  await waitForText(dialog, /^Enter a time in the future/);
  await fillIn(dialog, "Access ends", "2036-12-31T18:00");
  await clickButton(dialog, "Save", { exact: true });
  await waitForText(page, /^Access until 31 Dec 2036, 18:00/);
  await clickButton(page, "Permissions: Grace");
  const guard = dialog.getByRole("button", { name: "Guard" });
  expect(await guard.getAttribute("aria-pressed")).toBe("false");
  await guard.click();
  await expectSoon(() => guard.getAttribute("aria-pressed"), "true");
  await dialog.locator("summary").click();
  const added = dialog.getByRole("group", { name: /^In addition at .*Plant/ });
  expect(await added.getByLabel("See alerts").isVisible()).toBe(false);
  await added.getByLabel("Delete alerts").check();
  await fillIn(dialog, "Access ends", "2036-11-30T18:00");
  await clickButton(dialog, "Save", { exact: true });
  await waitForText(page, /^In addition at .*Plant.* until 30 Nov 2036, 18:00.*: Delete alerts$/);
  await waitForText(page, "In the whole workspace: Guard");
  await own.prisma.user.updateMany({ where: { id }, data: { until: new Date("2026-01-01T18:00Z") } });
  await page.reload();
  await waitForText(page, /^Access ended 1 Jan 2026, 18:00/);
  await expectAccessible(page);
});

test("a facility is deleted after its name was entered", async () => {
  const { workspaceId, facilityId, open } = await newSite(own);
  const { page } = await open();
  const dialog = page.getByRole("dialog");
  await clickButton(page, "Delete: Plant");
  await waitForText(dialog, "Its camera, all their alerts");
  expect(await buttonOf(dialog, "Delete").isDisabled()).toBe(true);
  await fillIn(dialog, "Enter “Plant” to confirm", "Plant");
  await clickButton(dialog, "Delete");
  await waitForText(page, "“Plant” was deleted.");
  await waitForHeading(page, "No facilities yet");
  const facility = await own.prisma.facility.findFirst({ where: { workspaceId, id: facilityId } });
  expect(facility === null || facility.removedAt !== null).toBe(true);
});

test("an invited colleague signs in by the link, and ends all sessions", async () => {
  const { workspaceId, open } = await newUser(own);
  const { page } = await open("/?view=settings&part=people");
  const dialog = page.getByRole("dialog");
  await clickButton(page, "Invite somebody");
  await fillIn(dialog, "Email address", "colleague@test.example");
  await clickButton(dialog, "Invite somebody");
  const link = await page.getByRole("region", { name: "Link to hand over" }).textContent();
  const address = new URL(link as string);
  const { page: invited } = await openSignedOutPage(own.gateway.url, `/${address.hash}`);
  await buttonOf(invited, /^Sign in as/).waitFor();
  await expectAccessible(invited);
  // Looking at the page used nothing up.
  expect(await own.prisma.user.count({ where: { workspaceId } })).toBe(1);
  await clickButton(invited, /^Sign in as/);
  // Without a name, the person is asked for it once.
  await clickButton(invited.getByRole("dialog"), "Cancel");
  await clickButton(invited, "Account");
  await waitForText(invited, "colleague@test.example");
  await invited.goto(`${own.gateway.url}/?view=settings&part=profile`);
  await clickButton(invited, "Sign out everywhere");
  await waitForHeading(invited, "Sign in");
});

test("a key is shown once, signs in, and is revoked", async () => {
  const { page } = await (await newUser(own)).open("/?view=settings&part=keys");
  const dialog = page.getByRole("dialog");
  await clickButton(page, "Create a key");
  await fillIn(dialog, "Name", "Detector");
  await clickButton(dialog, "Create a key");
  await waitForText(dialog, "Choose at least one permission.");
  await clickButton(dialog, "Read only");
  expect(await dialog.getByRole("checkbox", { checked: true }).count()).toBe(3);
  await fillIn(dialog, "Expires", "2020-01-01T00:00");
  await clickButton(dialog, "Create a key");
  await waitForText(dialog, "Enter a time in the future.");
  await fillIn(dialog, "Expires", "");
  await clickButton(dialog, "Create a key");
  const key = (await dialog.getByRole("region", { name: "Key" }).textContent()) ?? "";
  await expectAccessible(page);
  const authorization = `Basic ${Buffer.from(`${key}:`).toString("base64")}`;
  const nameOfWorkspace = () => own.gateway.graphql("{ workspace { id } }", { as: { authorization } });
  expect((await nameOfWorkspace()).status).toBe(200);
  await clickButton(dialog, "Close");
  await clickButton(page, "Revoke: Detector");
  await clickButton(dialog, "Revoke");
  await waitForText(page, "“Detector” was revoked.");
  expect((await nameOfWorkspace()).status).toBe(401);
  expect(await page.content()).not.toContain(key);
});

test("the audit log says in sentences who changed what, and is exported as CSV", async () => {
  const { workspaceId, open } = await newSite(own);
  const { page } = await open();
  const dialog = page.getByRole("dialog");
  await clickButton(page, "Edit: Gate");
  await fillIn(dialog, "Name", '=1+1 "gate"');
  await clickButton(dialog, "Save");
  await clickLink(page, "Audit log");
  await waitForHeading(page, "changed a camera");
  await waitForText(page, 'Name: Gate → =1+1 "gate"');
  await waitForText(page, "· in the console");
  await expectNone(page.getByText("Mozilla"));
  await linkOf(page, "Show the camera").waitFor();
  await clickLink(page, "History");
  await clickButton(page, "Clear: One object only");
  const { email } = await own.prisma.user.findFirstOrThrow({ where: { workspaceId } });
  await page.getByLabel("Who").selectOption(email);
  await waitForText(page, 'Name: Gate → =1+1 "gate"');
  await expectAccessible(page);
  await page.setViewportSize({ width: 320, height: 800 });
  const { x, width } = (await page.getByLabel("Who").boundingBox()) as { x: number; width: number };
  expect(x + width).toBeLessThanOrEqual(320);
  const csv = String((await downloadBy(page, clickButton(page, "Export as CSV"))).data);
  expect(csv).toMatch(/^\ufeffTime,Who,Action,Object,ID,Name,Via,Client,Changes\r\n/);
  expect(csv).toContain(`updateCamera,Camera,`);
  expect(csv).toContain(`,GRAPHQL,"Mozilla/`);
  expect(csv).toContain('"Name: Gate → =1+1 ""gate"""');
});

test("the profile is changed, and its picture is cut to a square", async () => {
  const { workspaceId, open } = await newUser(own);
  const { page } = await open("/?view=settings&part=profile");
  const dialog = page.getByRole("dialog");
  await clickButton(page, "Edit: Name and job title");
  await fillIn(dialog, "First name", "Ada");
  await fillIn(dialog, "Last name", "Lovelace");
  await fillIn(dialog, "Job title", "Safety manager");
  await clickButton(dialog, "Save");
  await waitForText(page, "Ada Lovelace, Safety manager");
  await clickButton(page, "Edit: Phone number");
  await fillIn(dialog, "Phone number", "12");
  await dialog.getByLabel("Country").selectOption("DE");
  await clickButton(dialog, "Save");
  await waitForText(dialog, "Enter a number that is valid in this country.");
  await fillIn(dialog, "Phone number", "030 901820");
  await clickButton(dialog, "Save");
  await waitForText(page, "+4930901820");
  await page.getByLabel("Choose a picture").setInputFiles(file);
  await page.getByRole("img", { name: /arrow keys/ }).press("ArrowLeft");
  await expectAccessible(page);
  await clickButton(page, "Save this picture");
  const picture = page.getByRole("img", { name: "Picture", exact: true });
  const size = () =>
    picture.evaluate(({ naturalWidth, naturalHeight }: HTMLImageElement) => [naturalWidth, naturalHeight]);
  await expectSoon(size, [512, 512]);
  const [user] = await own.prisma.user.findMany({ where: { workspaceId } });
  expect(user).toMatchObject({ firstName: "Ada", picture: expect.any(String) });
});

test("choosing a language in the profile also sets the language of mails", async () => {
  const { userId, open } = await newUser(own);
  const { page } = await open("/?view=settings&part=profile");
  const locale = async () => (await own.prisma.user.findFirst({ where: { id: userId } }))?.locale;
  await waitForText(page, "Mails to you are written in English.");
  await page
    .getByRole("region", { name: /^Language/ })
    .getByLabel("Language")
    .selectOption("Deutsch");
  await waitForText(page, "Mails an Sie werden auf Deutsch geschrieben.");
  expect(await locale()).toBe("de");
  // Elsewhere the choice is that of the browser alone.
  await clickButton(page, "Konto");
  await page.locator("#account").getByLabel("Sprache").selectOption("English");
  await pressKeys(page, "Escape");
  await waitForText(page, "Mails to you are written in German.");
  await clickButton(page, "Write them in English");
  await waitForText(page, "Mails to you are written in English.");
  expect(await locale()).toBe("en");
});

test("parts that need a permission are offered only to those who hold it", async () => {
  const { page } = await (await newUser(own, { roles: ["facilities:read", "cameras:read"] })).open();
  await waitForHeading(page, "No facilities yet");
  const parts = page.getByRole("navigation", { name: "Settings" }).getByRole("link");
  expect(await parts.allTextContents()).toEqual(["Facilities and cameras", "Notifications"]);
  await expectNone(buttonOf(page, "Add a facility"));
});

test("in a narrow window, the parts are one row with the current one in sight", async () => {
  const { page } = await (await newUser(own)).open("/?view=settings&part=workspace");
  await page.setViewportSize({ width: 360, height: 700 });
  await page.reload();
  const parts = page.getByRole("navigation", { name: "Settings", exact: true }).getByRole("link");
  const current = parts.and(page.locator("[aria-current=page]"));
  await current.waitFor();
  const rows = () =>
    parts.evaluateAll((links) => new Set(links.map((link) => link.getBoundingClientRect().top)).size);
  const isInSight = () =>
    current.evaluate((link) => {
      const { left, right } = link.getBoundingClientRect();
      return left >= 0 && right <= innerWidth;
    });
  expect(await rows()).toBe(1);
  await expectSoon(isInSight, true);
  await parts.first().focus();
  await pressKeys(page, "Enter");
  await page.locator("[aria-current=page]", { hasText: "cameras" }).waitFor();
  await expectSoon(isInSight, true);
  await expectAccessible(page);
});
