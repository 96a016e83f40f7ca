import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { createApiKey, createCamera, createInvitation, createUser } from "../support/factories.js";
import { plainPng } from "../support/png.js";
import { browseOwnGateway, openSignedOutPage, violations } from "./console-page.js";
import { noProblems } from "./monitored-page.js";
import { equippedWorkspace, openOwnConsole } from "./own-console.js";

const own = browseOwnGateway({
  // Nothing listens there, so deliveries wait.
  environment: { SMTP_URL: "smtp://127.0.0.1:9", MAIL_FROM: "gateway@test.example" },
});

type OpenOptions = Parameters<typeof openOwnConsole>[1];

const openAs = (options?: OpenOptions) => openOwnConsole(own, options);

const file = { name: "picture.png", mimeType: "image/png", buffer: plainPng() };

test("the first run leads from an empty workspace to a test of the first rule", async () => {
  const { page, problems } = await openAs({ address: "/" });
  await page.getByRole("heading", { name: "Four steps to the first notification" }).waitFor();
  expect(await violations(page)).toEqual([]);
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Add a facility" }).press("Enter");
  await dialog.getByLabel("Name").fill("Plant");
  await dialog.getByLabel("Time zone").fill("Europe/Berlin");
  await dialog.getByLabel("Latitude").fill("52.5");
  await dialog.getByLabel("Longitude").fill("13.4");
  await page.keyboard.press("Enter");
  await page.getByRole("status").getByText("“Plant” was added.").waitFor();

  await page.getByRole("button", { name: "Add a camera" }).press("Enter");
  await dialog.getByLabel("Name").fill("Gate");
  // The page has not loaded the styles of the settings.
  const sources = dialog.getByRole("group", { name: "How its pictures come" });
  expect(await sources.evaluate((group) => getComputedStyle(group).borderTopStyle)).toBe("none");
  await dialog.getByLabel("By a picture that is uploaded").press("Space");
  await dialog.getByLabel(/^Picture/).setInputFiles(file);
  await dialog.getByRole("button", { name: "Save" }).press("Enter");
  await page.getByRole("link", { name: "Add a rule" }).press("Enter");
  await page.getByRole("button", { name: "Add a rule" }).press("Enter");
  await dialog.getByLabel("Email addresses").fill("me@test.example");
  await dialog.getByRole("button", { name: "Save" }).press("Enter");
  await page.getByRole("button", { name: "Draw an area" }).press("Enter");
  for (const keys of ["Space", "Shift+ArrowRight", "Space", "Shift+ArrowDown", "Space", "Enter"])
    await page.keyboard.press(keys);
  await page.getByRole("button", { name: "Save the area" }).press("Enter");
  await page.getByText("The area was saved.").waitFor();

  await page.getByRole("link", { name: "Today", exact: true }).press("Enter");
  await page.getByRole("link", { name: "Go to the rule" }).press("Enter");
  await page.getByRole("button", { name: "Send a test" }).press("Enter");
  await page.getByText("Test on its way").waitFor();
  await page.getByRole("link", { name: "Today", exact: true }).press("Enter");
  await page.getByRole("heading", { name: "Everything is set up" }).waitFor();
  await page.getByRole("button", { name: "Close", exact: true }).press("Enter");
  await expect.poll(() => page.getByRole("heading", { name: "Everything is set up" }).count()).toBe(0);
  expect(problems).toEqual(noProblems);
});

test("what the gateway refuses is said at its field, in the reader's language", async () => {
  const { page } = await openAs({ locale: "de-DE" });
  await page.getByRole("button", { name: "Standort hinzufügen" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Werk");
  for (const [label, text, problem] of [
    ["Zeitzone", "Nirgendwo", "Geben Sie den Namen einer Zeitzone ein, etwa Europe/Berlin."],
    ["Breitengrad", "52.5", /^Geben Sie beides ein/],
  ] as const) {
    await dialog.getByLabel(label).fill(text);
    await dialog.getByRole("button", { name: "Speichern" }).click();
    await dialog.getByText(problem).waitFor();
    await dialog.getByText("Nichts wurde gespeichert").waitFor();
    const said = dialog
      .getByLabel(label)
      .evaluate(
        (element) => document.getElementById(element.getAttribute("aria-describedby") ?? "")?.textContent,
      );
    expect(await said).toMatch(problem);
  }
  expect(await violations(page)).toEqual([]);
});

test("a half-filled form survives Escape and another view, and is discarded only on request", async () => {
  const { page } = await openAs();
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Add a facility" }).click();
  await dialog.getByLabel("Name").fill("Half");
  await page.keyboard.press("Escape");
  await dialog.getByText("Discard what you have entered?").waitFor();
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Keep editing" }).click();
  await page.goto(`${own.gateway.url}/?view=alerts`);
  await page.goto(`${own.gateway.url}/?view=settings`);
  await expect.poll(() => dialog.getByLabel("Name").inputValue()).toBe("Half");
  await dialog.getByRole("button", { name: "Close" }).click();
  await dialog.getByRole("button", { name: "Discard" }).click();
  await page.getByRole("button", { name: "Add a facility" }).click();
  expect(await dialog.getByLabel("Name").inputValue()).toBe("");
});

test("a new camera that was half entered has no password to keep", async () => {
  const { workspaceId } = await equippedWorkspace(own.gateway);
  const { page } = await openAs({ workspaceId });
  await page.getByRole("button", { name: "Add a camera" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("Half");
  await page.reload();
  await expect.poll(() => page.getByRole("dialog").getByLabel("Name").inputValue()).toBe("Half");
  await page.getByRole("dialog").getByText("rtsp, rtmp, rtmps, http or https").waitFor();
});

test("the cameras of a facility are searched once there are more than ten", async () => {
  const { workspaceId, facilityId } = await equippedWorkspace(own.gateway);
  for (let number = 1; number <= 10; number += 1)
    await createCamera(own.gateway.prisma, { workspaceId, facilityId, name: `Yard ${number}` });
  const { page } = await openAs({ workspaceId });
  const cameras = page.getByRole("region", { name: /^Cameras of/ }).getByRole("listitem");
  await expect.poll(() => cameras.count()).toBe(11);
  await page.getByLabel("Search for cameras").fill("GATE");
  await expect.poll(() => cameras.allInnerTexts()).toEqual([expect.stringContaining("Gate")]);
  await page.getByLabel("Search for cameras").fill("nothing");
  await page.getByText("No camera matches.").waitFor();
});

test("a camera is changed and deleted after a question that says what is lost", async () => {
  const { workspaceId, cameraId } = await equippedWorkspace(own.gateway);
  const { page } = await openAs({ workspaceId });
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Edit: Gate" }).click();
  await dialog.getByLabel("Email addresses").fill("a@test.example\nno address");
  await dialog.getByLabel("URL").fill("rtsp://192.0.2.1/live");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("“no address” is not an email address.").waitFor();
  await dialog.getByLabel("Email addresses").fill("a@test.example");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("rtsp://192.0.2.1/live").waitFor();
  await page.getByRole("button", { name: "Edit: Gate" }).click();
  await dialog.getByText("Device and pictures").click();
  await dialog.getByLabel("Protocol").selectOption("RTSP");
  await dialog.getByLabel("Device at the facility").fill("no device");
  await dialog.getByLabel("Width of the pictures").fill("1280");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("Enter the ID of a device, a UUID, or nothing.").waitFor();
  expect(await violations(page)).toEqual([]);
  await dialog.getByLabel("Device at the facility").fill("7B9E4C8A-1111-4222-8333-944455556666");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("Enter width and height in pixels").waitFor();
  await dialog.getByLabel("Height of the pictures").fill("720");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  expect(await own.gateway.prisma.camera.findFirst({ where: { workspaceId, id: cameraId } })).toMatchObject({
    url: "rtsp://192.0.2.1/live",
    emailAddresses: ["a@test.example"],
    streamProtocol: "RTSP",
    facilityNodeId: "7b9e4c8a-1111-4222-8333-944455556666",
    imageDimensions: { width: 1280, height: 720 },
  });
  await page.getByRole("button", { name: "Delete: Gate" }).click();
  await dialog.getByText("This cannot be undone.").waitFor();
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Delete" }).click();
  await page.getByText("“Gate” was deleted.").waitFor();
  await page.getByRole("heading", { name: "This facility has no cameras yet" }).waitFor();
});

test("who changes what somebody else has changed meanwhile is told, and may overwrite it", async () => {
  const { workspaceId, facilityId } = await equippedWorkspace(own.gateway);
  const { page } = await openAs({ workspaceId });
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Edit: Plant" }).click();
  await dialog.getByLabel("Address").fill("Mine");
  const where = { workspaceId_id: { workspaceId, id: facilityId } };
  await own.gateway.prisma.facility.update({ where, data: { address: "Theirs" } });
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await dialog.getByText("Somebody else has changed this meanwhile.").waitFor();
  expect(await violations(page)).toEqual([]);
  expect(await own.gateway.prisma.facility.findUnique({ where })).toMatchObject({ address: "Theirs" });
  await dialog.getByRole("button", { name: "Save mine anyway" }).click();
  await page.getByText("Saved.").waitFor();
  expect(await own.gateway.prisma.facility.findUnique({ where })).toMatchObject({ address: "Mine" });
});

test("what was read again meanwhile does not overwrite what somebody else has changed", async () => {
  const { workspaceId } = await equippedWorkspace(own.gateway);
  const authId = `test|${randomUUID()}`;
  const theirs = { workspaceId, authId, roles: [], firstName: "Grace", lastName: null };
  const id = await createUser(own.gateway.prisma, theirs);
  const where = { workspaceId_id: { workspaceId, id } };
  const { page } = await openAs({ workspaceId, address: "/?view=settings&part=people" });
  const dialog = page.getByRole("dialog");
  const save = () => dialog.getByRole("button", { name: "Save", exact: true }).click();
  const told = dialog.getByText("Somebody else has changed this meanwhile.");

  await page.getByRole("button", { name: "Edit: Grace" }).click();
  await dialog.getByLabel("Last name").fill("Hopper");
  await own.gateway.prisma.user.update({ where, data: { jobTitle: "Admiral" } });
  // The draft is back, and the list is read again.
  await page.reload();
  await save();
  await told.waitFor();
  await dialog.getByRole("button", { name: "Save mine anyway" }).click();
  await page.getByText("Saved.").waitFor();

  await page.getByRole("button", { name: "Permissions: Grace" }).click();
  await dialog.getByLabel("See cameras").first().check();
  await own.gateway.prisma.user.update({ where, data: { roles: ["alerts:read"] } });
  await save();
  await told.waitFor();
  expect(await violations(page)).toEqual([]);
  expect(await own.gateway.prisma.user.findUnique({ where })).toMatchObject({ roles: ["alerts:read"] });
  await dialog.getByRole("button", { name: "Save mine anyway" }).click();
  await page.getByText("Saved.").waitFor();
  expect(await own.gateway.prisma.user.findUnique({ where })).toMatchObject({ roles: ["cameras:read"] });

  await page.getByRole("link", { name: "Workspace", exact: true }).click();
  await page.getByText("Version of the gateway").waitFor();
  await page.getByRole("button", { name: "Edit" }).click();
  await dialog.getByLabel("Name of the workspace").fill("Mine");
  await own.gateway.prisma.workspace.update({ where: { id: workspaceId }, data: { name: "Theirs" } });
  await save();
  await told.waitFor();
  await dialog.getByRole("button", { name: "Save mine anyway" }).click();
  await page.getByText("Saved.").waitFor();
  expect(await own.gateway.prisma.workspace.findUnique({ where: { id: workspaceId } })).toMatchObject({
    name: "Mine",
  });
});

test("who changes an API key that somebody else has changed meanwhile is told, and may overwrite it", async () => {
  const { workspaceId } = await equippedWorkspace(own.gateway);
  const { id } = await createApiKey(own.gateway.prisma, {
    workspaceId,
    name: "Detector",
    permissions: ["alerts:read"],
  });
  const where = { workspaceId_id: { workspaceId, id } };
  const nameOfKey = async () => (await own.gateway.prisma.apiKey.findUniqueOrThrow({ where })).name;
  const { page } = await openAs({ workspaceId, address: "/?view=settings&part=keys" });
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Edit: Detector" }).click();
  await dialog.getByLabel("Name").fill("Mine");
  await own.gateway.prisma.apiKey.update({ where, data: { name: "Theirs" } });
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await dialog.getByText("Somebody else has changed this meanwhile.").waitFor();
  expect(await violations(page)).toEqual([]);
  expect(await nameOfKey()).toBe("Theirs");
  await dialog.getByRole("button", { name: "Save mine anyway" }).click();
  await page.getByText("Saved.").waitFor();
  expect(await nameOfKey()).toBe("Mine");
});

test("an address that is already invited, and a key that was revoked meanwhile, are problems of their fields", async () => {
  const { workspaceId } = await equippedWorkspace(own.gateway);
  await createInvitation(own.gateway.prisma, { workspaceId, email: "new@test.example" });
  const { id } = await createApiKey(own.gateway.prisma, {
    workspaceId,
    name: "Detector",
    permissions: ["alerts:read"],
  });
  const { page } = await openAs({ workspaceId, address: "/?view=settings&part=people" });
  const dialog = page.getByRole("dialog");
  const isConflict = () => dialog.getByText("Somebody else has changed this meanwhile.").count();
  await page.getByRole("button", { name: "Invite somebody" }).click();
  await dialog.getByLabel("Email address").fill("New@Test.example");
  await dialog.getByRole("button", { name: "Invite somebody" }).click();
  await dialog.getByText("an email address that no user and no open invitation has").waitFor();
  expect(await isConflict()).toBe(0);
  expect(await violations(page)).toEqual([]);
  await page.goto(`${own.gateway.url}/?view=settings&part=keys`);
  await page.getByRole("button", { name: "Edit: Detector" }).click();
  await dialog.getByLabel("Name").fill("Mine");
  const where = { workspaceId_id: { workspaceId, id } };
  await own.gateway.prisma.apiKey.update({ where, data: { revokedAt: new Date() } });
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await dialog.getByText("This key was revoked or has expired").waitFor();
  expect(await isConflict()).toBe(0);
});

test("a colleague is invited, gets more permissions, and is removed", async () => {
  const { workspaceId } = await equippedWorkspace(own.gateway);
  const authId = `test|${randomUUID()}`;
  await createUser(own.gateway.prisma, {
    workspaceId,
    authId,
    roles: [],
    firstName: "Grace",
    lastName: null,
  });
  const { page } = await openAs({ workspaceId, address: "/?view=settings&part=people" });
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Invite somebody" }).click();
  await dialog.getByLabel("Email address").fill("new@test.example");
  await dialog.getByText("In addition at Plant").click();
  await dialog.getByRole("group", { name: "In addition at Plant" }).getByLabel("Delete alerts").check();
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Invite somebody" }).click();
  await page.getByText("new@test.example was invited.").waitFor();
  const invitation = await own.gateway.prisma.invitation.findFirst({ where: { workspaceId } });
  expect(invitation).toMatchObject({ email: "new@test.example", revokedAt: null });
  await page.getByRole("button", { name: "Revoke: new@test.example" }).click();
  await dialog.getByText("In addition at Plant: Delete alerts").waitFor();
  await dialog.getByRole("button", { name: "Revoke" }).click();
  await page.getByText("The invitation was revoked.").waitFor();
  await page.getByRole("button", { name: "Permissions: Grace" }).click();
  await dialog.getByLabel("See cameras").first().check();
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").waitFor();
  const user = await own.gateway.prisma.user.findFirst({ where: { workspaceId, authId } });
  expect(user?.roles).toEqual(["cameras:read"]);
  await page.getByRole("button", { name: "Remove: Grace" }).click();
  await dialog.getByRole("button", { name: "Remove" }).click();
  await page.getByText("“Grace” was removed.").waitFor();
  expect(await own.gateway.prisma.user.findFirst({ where: { workspaceId, authId } })).toBeNull();
});

test("a facility is deleted after its name was entered", async () => {
  const { workspaceId, facilityId } = await equippedWorkspace(own.gateway);
  const { page } = await openAs({ workspaceId });
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Delete: Plant" }).click();
  await dialog.getByText("Its camera, all their alerts").waitFor();
  expect(await dialog.getByRole("button", { name: "Delete" }).isDisabled()).toBe(true);
  expect(await violations(page)).toEqual([]);
  await dialog.getByLabel("Enter “Plant” to confirm").fill("Plant");
  await dialog.getByRole("button", { name: "Delete" }).click();
  await page.getByText("“Plant” was deleted.").waitFor();
  await page.getByRole("heading", { name: "No facilities yet" }).waitFor();
  const facility = await own.gateway.prisma.facility.findFirst({ where: { workspaceId, id: facilityId } });
  expect(facility === null || facility.removedAt !== null).toBe(true);
});

test("an invited colleague signs in by the link, which works once, and ends all sessions", async () => {
  const { page, workspaceId } = await openAs({ address: "/?view=settings&part=people" });
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Invite somebody" }).click();
  await dialog.getByLabel("Email address").fill("colleague@test.example");
  await dialog.getByRole("button", { name: "Invite somebody" }).click();
  const link = await page.getByRole("region", { name: "Link to hand over" }).textContent();
  const address = new URL(link as string);
  const open = () => openSignedOutPage(own.browser, own.gateway.url, `/${address.hash}`, { locale: "en-GB" });
  const invited = (await open()).page;
  await invited.getByRole("button", { name: "Sign in with the link" }).waitFor();
  expect(invited.url()).not.toContain("sign-in");
  expect(await violations(invited)).toEqual([]);
  // Looking at the page used nothing up.
  expect(await own.gateway.prisma.user.count({ where: { workspaceId } })).toBe(1);
  await invited.getByRole("button", { name: "Sign in with the link" }).click();
  await invited.getByRole("button", { name: "Account" }).click();
  await invited.getByText("colleague@test.example").waitFor();
  const other = (await open()).page;
  await other.getByRole("button", { name: "Sign in with the link" }).click();
  await other.getByText("This link has been used or has expired.").waitFor();
  await invited.goto(`${own.gateway.url}/?view=settings&part=profile`);
  await invited.getByRole("button", { name: "Sign out everywhere" }).click();
  await invited.getByRole("heading", { name: "Sign in" }).waitFor();
});

test("a key is shown once, signs in, and is revoked", async () => {
  const { page } = await openAs({ address: "/?view=settings&part=keys" });
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Create a key" }).click();
  await dialog.getByLabel("Name").fill("Detector");
  await dialog.getByRole("button", { name: "Create a key" }).click();
  await dialog.getByText("Choose at least one permission.").waitFor();
  await dialog.getByLabel("See facilities").check();
  await dialog.getByLabel("Expires").fill("2020-01-01T00:00");
  await dialog.getByRole("button", { name: "Create a key" }).click();
  await dialog.getByText("Enter a time in the future.").waitFor();
  await dialog.getByLabel("Expires").fill("");
  await dialog.getByRole("button", { name: "Create a key" }).click();
  const key = (await dialog.getByRole("region", { name: "Key" }).textContent()) ?? "";
  expect(await violations(page)).toEqual([]);
  const authorization = `Basic ${Buffer.from(`${key}:`).toString("base64")}`;
  const nameOfWorkspace = () => own.gateway.graphql("{ workspace { id } }", { as: { authorization } });
  expect((await nameOfWorkspace()).status).toBe(200);
  await dialog.getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: "Revoke: Detector" }).click();
  await dialog.getByRole("button", { name: "Revoke" }).click();
  await page.getByText("“Detector” was revoked.").waitFor();
  expect((await nameOfWorkspace()).status).toBe(401);
  expect(await page.content()).not.toContain(key);
});

test("the audit log says in sentences who changed what, and is exported as CSV", async () => {
  const { workspaceId } = await equippedWorkspace(own.gateway);
  const { page } = await openAs({ workspaceId });
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Edit: Gate" }).click();
  await dialog.getByLabel("Name").fill('=1+1 "gate"');
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByRole("link", { name: "Audit log" }).click();
  await page.getByRole("heading", { name: "changed a camera" }).waitFor();
  await page.getByText('Name: Gate → =1+1 "gate"').waitFor();
  await page.getByText("· by GraphQL ·").waitFor();
  expect(await page.getByText("Mozilla").count()).toBe(0);
  await page.getByRole("link", { name: "Show the camera" }).waitFor();
  await page.getByRole("link", { name: "History" }).click();
  await page.getByRole("button", { name: "Clear: One object only" }).click();
  const { email } = await own.gateway.prisma.user.findFirstOrThrow({ where: { workspaceId } });
  await page.getByLabel("Who").selectOption(email);
  await page.getByText('Name: Gate → =1+1 "gate"').waitFor();
  expect(await violations(page)).toEqual([]);
  await page.setViewportSize({ width: 320, height: 800 });
  const { x, width } = (await page.getByLabel("Who").boundingBox()) as { x: number; width: number };
  expect(x + width).toBeLessThanOrEqual(320);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Export as CSV" }).click(),
  ]);
  const csv = await readFile((await download.path()) as string, "utf8");
  expect(csv).toMatch(/^\ufeffTime,Who,Action,Object,ID,Via,Client,Changes\r\n/);
  expect(csv).toContain(`updateCamera,Camera,`);
  expect(csv).toContain(`,GRAPHQL,"Mozilla/`);
  expect(csv).toContain('"Name: Gate → =1+1 ""gate"""');
});

test("the profile is changed, and its picture is cut to a square", async () => {
  const { page, workspaceId } = await openAs({ address: "/?view=settings&part=profile" });
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Edit: Name and job title" }).click();
  await dialog.getByLabel("First name").fill("Ada");
  await dialog.getByLabel("Last name").fill("Lovelace");
  await dialog.getByLabel("Job title").fill("Safety manager");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("Ada Lovelace, Safety manager").waitFor();
  await page.getByRole("button", { name: "Edit: Phone number" }).click();
  await dialog.getByLabel("Phone number").fill("12");
  await dialog.getByLabel("Country").selectOption("DE");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("Enter a number that is valid in this country.").waitFor();
  await dialog.getByLabel("Phone number").fill("030 901820");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("+4930901820").waitFor();
  await page.getByLabel("Choose a picture").setInputFiles(file);
  await page.getByRole("img", { name: /arrow keys/ }).press("ArrowLeft");
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Save this picture" }).click();
  const picture = page.getByRole("img", { name: "Picture", exact: true });
  const size = () =>
    picture.evaluate(({ naturalWidth, naturalHeight }: HTMLImageElement) => [naturalWidth, naturalHeight]);
  await expect.poll(size).toEqual([512, 512]);
  const [user] = await own.gateway.prisma.user.findMany({ where: { workspaceId } });
  expect(user).toMatchObject({ firstName: "Ada", picture: expect.any(String) });
});

test("choosing a language in the profile also sets the language of mails", async () => {
  const { page, userId } = await openAs({ address: "/?view=settings&part=profile" });
  const locale = async () => (await own.gateway.prisma.user.findFirst({ where: { id: userId } }))?.locale;
  await page.getByText("Mails to you are written in English.").waitFor();
  await page
    .getByRole("region", { name: /^Language/ })
    .getByLabel("Language")
    .selectOption("Deutsch");
  await page.getByText("Mails an Sie werden auf Deutsch geschrieben.").waitFor();
  expect(await locale()).toBe("de");
  // Elsewhere the choice is that of the browser alone.
  await page.getByRole("button", { name: "Konto" }).click();
  await page.locator("#account").getByLabel("Sprache").selectOption("English");
  await page.keyboard.press("Escape");
  await page.getByText("Mails to you are written in German.").waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Write them in English" }).click();
  await page.getByText("Mails to you are written in English.").waitFor();
  expect(await locale()).toBe("en");
});

test("parts that need a permission are offered only to those who hold it", async () => {
  const { page } = await openAs({ roles: ["facilities:read", "cameras:read"] });
  await page.getByRole("heading", { name: "No facilities yet" }).waitFor();
  const parts = page.getByRole("navigation", { name: "Settings" }).getByRole("link");
  expect(await parts.allTextContents()).toEqual(["Facilities and cameras", "Notifications", "Profile"]);
  expect(await page.getByRole("button", { name: "Add a facility" }).count()).toBe(0);
});

test("in a narrow window, the parts are one row with the current one in sight, in both languages", async () => {
  for (const [locale, label] of [
    ["en-GB", "Settings"],
    ["de-DE", "Einstellungen"],
  ] as const) {
    const { page } = await openAs({ locale, address: "/?view=settings&part=profile" });
    await page.setViewportSize({ width: 360, height: 700 });
    await page.reload();
    const parts = page.getByRole("navigation", { name: label, exact: true }).getByRole("link");
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
    await expect.poll(isInSight).toBe(true);
    await parts.first().focus();
    await page.keyboard.press("Enter");
    await page.locator("[aria-current=page]", { hasText: /cameras|Kameras/ }).waitFor();
    await expect.poll(isInSight).toBe(true);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    expect(await violations(page)).toEqual([]);
  }
});
