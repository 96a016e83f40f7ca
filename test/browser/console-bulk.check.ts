import type { Page } from "playwright-core";
import type { Permission } from "../../src/engine/access/permissions.js";
import {
  createApiKey,
  createCamera,
  createDelivery,
  createFacility,
  createInvitation,
  createUser,
  grantAccess,
} from "../support/factories.js";
import { listOf } from "../support/list-of.js";
import {
  browseSharedGateway,
  buttonOf,
  clickButton,
  clickLink,
  downloadBy,
  expectAccessible,
  expectNone,
  fillIn,
  linkOf,
  loseAnswers,
  tick,
  waitForHeading,
  waitForText,
} from "./console-page.js";
import { noProblems } from "./monitored-page.js";
import { newSite } from "./own-console.js";

const shared = browseSharedGateway();

const importAddress = "/?view=settings&import=cameras";

/** The names of the cameras in a workspace, sorted. */
async function cameraNames(workspaceId: string): Promise<string[]> {
  const cameras = await shared.prisma.camera.findMany({
    where: { workspaceId },
    orderBy: { name: "asc" },
  });
  return cameras.map(({ name }) => name);
}

/** A table of cameras at a facility. */
const tableOf = (count: number): string =>
  [
    "name,url,streamType,facility",
    ...listOf(count, (index) => `Camera ${index},rtsp://192.0.2.1/${index},DIRECT,Plant`),
  ].join("\n");

/** Carries out the nth addition of a camera, but loses the gateway's answer. */
function loseAnswer(page: Page, nth: number): Promise<unknown> {
  let additions = 0;
  return loseAnswers(page, (body) => {
    if (body.includes("mutation AddCamera")) additions += 1;
    return body.includes("mutation AddCamera") && additions === nth;
  });
}

test("cameras of a CSV are added, whatever its separators, columns and encoding", async () => {
  const { workspaceId, open } = await newSite(shared);
  const { page, problems } = await open();
  await clickLink(page, "Add cameras from a CSV");
  await page.getByLabel(/^Table/).waitFor();
  await expectAccessible(page);
  const csv = [
    "\ufeffsep=;",
    "Standort;Kamera-Name;Stream Type;RTSP-URL;Nr.;Kontakt;Kontakt Telefon",
    'plant;"Yard; ""north""";vpn;rtsp://192.0.2.1/a;1;Ada;+90 212',
    "",
    "Plant;Dock;;https://192.0.2.1/b;2",
    ";Gate;DIRECT;rtsp://192.0.2.9/live;3",
  ].join("\r\n");
  const files = [{ name: "cameras.csv", mimeType: "text/csv", buffer: Buffer.from(csv, "utf16le") }];
  await page.getByLabel("Choose a file").setInputFiles(files);
  await waitForText(page, "2 cameras will be saved.");
  await waitForText(page, "1 is there already, just as in the table, and is left out.");
  const rows = page.getByRole("region", { name: "Cameras of the table" }).getByRole("row");
  expect(await rows.nth(1).getByRole("cell").allTextContents()).toEqual([
    "3",
    'Yard; "north"',
    "Plant",
    "rtsp://192.0.2.1/*** Show all of it",
    "Through a VPN",
    expect.stringMatching(/^Will be added\nWhom to call: .*Ada, \+90 212/),
  ]);
  await waitForText(page, /Columns that are not read: .*Nr\./);
  expect(await cameraNames(workspaceId)).toEqual(["Gate"]);
  await clickButton(page, "Save 2 cameras");
  await waitForText(page, "2 cameras were saved.");
  const added = await shared.prisma.camera.findMany({
    where: { workspaceId, name: { not: "Gate" } },
    orderBy: { name: "asc" },
  });
  expect(added).toMatchObject([
    { name: "Dock", url: "https://192.0.2.1/b", streamType: "DIRECT" },
    {
      name: 'Yard; "north"',
      url: "rtsp://192.0.2.1/a",
      streamType: "VPN",
      contacts: [expect.objectContaining({ name: "Ada", phoneNumber: "+90 212" })],
    },
  ]);
  await clickLink(page, "Back to the facilities");
  await linkOf(page, "Dock").waitFor();
  expect(problems).toEqual(noProblems);
});

test("each wrong line of a CSV is named in the reader's language and given back, and the others are added", async () => {
  const { workspaceId, open } = await newSite(shared);
  for (const name of ["Twin", "Twin"]) await createFacility(shared.prisma, { workspaceId, name });
  const { page } = await open(importAddress, { locale: "de-DE" });
  const table = page.getByLabel(/^Tabelle/);
  await table.fill("name,facility\nA,Plant");
  await waitForText(page, "Zeile 1: Diese Spalten fehlen: url.");
  await table.fill(
    [
      "name,url,streamType,facility",
      "A,ftp://192.0.2.1/a,DIRECT,Plant",
      "B,rtsp://192.0.2.1/b,SMOKE,Plant",
      "C,rtsp://192.0.2.1/c,DIRECT,",
      "D,rtsp://192.0.2.1/d,DIRECT,Twin",
      ",rtsp://192.0.2.1/e,DIRECT,Plant",
      '"F\nf",rtsp://192.0.2.1/f,DIRECT,Plant',
      "G,rtsp://192.0.2.1/g,DIRECT,Plant",
      "G,rtsp://192.0.2.1/h,DIRECT,Plant",
      "I,rtsp://192.0.2.1/g,DIRECT,Plant",
      "Gate,rtsp://192.0.2.1/j,DIRECT,Plant",
      "K,rtsp://192.0.2.9/live,DIRECT,Plant",
    ].join("\n"),
  );
  await waitForText(page, "10 Zeilen stimmen nicht und werden ausgelassen.");
  const lines = await page.locator(".line-problems li").allTextContents();
  const plain = lines.map((line) => line.replaceAll(/[\u2066-\u2069]/g, ""));
  expect(plain).toEqual([
    expect.stringContaining("Zeile 2: Die URL muss mit rtsp"),
    expect.stringContaining("Zeile 3: Einen streamType „SMOKE“ gibt es nicht."),
    "Zeile 4: Der Standort fehlt.",
    expect.stringContaining("Zeile 5: Mehrere Standorte heißen „Twin“."),
    "Zeile 6: Der Name muss 1 bis 200 druckbare Zeichen haben.",
    "Zeile 7: Der Name muss 1 bis 200 druckbare Zeichen haben.",
    "Zeile 10: Zeile 9 hat am selben Standort schon den Namen „G“.",
    "Zeile 11: Zeile 9 hat schon dieselbe URL.",
    "Zeile 12: „Plant“ hat schon eine Kamera „Gate“ mit einer anderen URL.",
    "Zeile 13: Eine andere Kamera hat schon diese URL.",
  ]);
  await expectAccessible(page);
  const save = clickButton(page, "Diese 10 Zeilen mit den Gründen herunterladen");
  const returned = String((await downloadBy(page, save)).data).split("\r\n");
  expect(returned.slice(0, 2)).toEqual([
    "\ufeffname,url,streamType,facility,Zeile,Grund",
    expect.stringMatching(/^A,ftp:\/\/192\.0\.2\.1\/a,DIRECT,Plant,2,.*Die URL/),
  ]);
  await clickButton(page, "1 Kamera speichern");
  await waitForText(page, "1 Kamera wurde gespeichert.");
  expect(await cameraNames(workspaceId)).toEqual(["G", "Gate"]);
  await clickButton(page, "Tabelle ändern");
  await table.fill(tableOf(1001));
  await waitForText(page, "Zeile 1002: Die Tabelle hat mehr als 1000 Kameras. Teilen Sie sie.");
  await table.fill('name,url,streamType,facility\n"A,rtsp://192.0.2.1/a,DIRECT,Plant');
  await waitForText(page, "Zeile 2: Ein Anführungszeichen passt nicht.");
  await expectNone(buttonOf(page, /Kameras? speichern/));
});

test("cameras are exported where they are listed, changed by the table, and deleted together", async () => {
  const { workspaceId, facilityId, open } = await newSite(shared);
  const contacts = [{ name: "Ada", email: "ada@test.example" }, { name: "Night watch" }];
  const streamed = { workspaceId, facilityId, streamType: "VPN", note: "Key 7", contacts };
  await createCamera(shared.prisma, { ...streamed, name: "=Dock", url: "rtsp://a:b@192.0.2.1/dock" });
  for (const name of ["Pictures", "Pictures 2"])
    await createCamera(shared.prisma, { workspaceId, facilityId, name, streamType: "CLIENT", url: null });
  const { page } = await open("/?view=fleet");
  await clickButton(page, "More");
  await clickButton(page, "Export cameras (CSV)");
  const dialog = page.getByRole("dialog");
  await waitForText(dialog, "passwords of their streams in plain text");
  await expectAccessible(page);
  const { name, data } = await downloadBy(page, clickButton(dialog, "Download 4 cameras"));
  expect(name).toBe("cameras.csv");
  const csv = String(data);
  expect(csv).toContain(
    ",note,contact 1 name,contact 1 role,contact 1 phoneNumber,contact 1 email,contact 1 note,contact 2 name,",
  );
  expect(csv).toContain(
    ",'=Dock,rtsp://a:b@192.0.2.1/dock,VPN,Plant,Key 7,Ada,,,ada@test.example,,Night watch,,,,\r\n",
  );
  await clickButton(page, "More");
  await clickLink(page, "Add cameras from a CSV");
  await fillIn(page, /^Table/, csv);
  await waitForText(page, "Every camera of the table is there already.");
  const changed = csv
    .replace("a:b@192.0.2.1/dock,VPN,Plant,Key 7", "a:c@192.0.2.1/dock,DIRECT,Plant,")
    .replace(",Ada,", ",Ada Byron,");
  await fillIn(page, /^Table/, changed);
  await waitForText(page, "1 camera will be saved.");
  const state = await page.locator("td.line-state").textContent();
  expect(state?.replaceAll(/[\u2066-\u2069]/g, "").split("\n")).toEqual([
    "Will be changed",
    "URL: rtsp://a:***@192.0.2.1/*** → rtsp://a:***@192.0.2.1/*** (another password or secret)",
    "Connection: Through a VPN → Direct",
    "Note: Key 7 → –",
    "Whom to call: Ada, ada@test.example; Night watch → Ada Byron, ada@test.example; Night watch",
  ]);
  await clickButton(page, "Save 1 camera");
  await waitForText(page, "1 camera was saved.");
  expect(await shared.prisma.camera.findMany({ where: { workspaceId, name: "=Dock" } })).toMatchObject([
    {
      url: "rtsp://a:c@192.0.2.1/dock",
      streamType: "DIRECT",
      note: null,
      contacts: [{ name: "Ada Byron", email: "ada@test.example" }, { name: "Night watch" }],
    },
  ]);
  await clickLink(page, "Back to the facilities");
  await buttonOf(page, "Export cameras (CSV)").waitFor();
  await tick(page, "Select all");
  await clickButton(page, "Delete 4 cameras");
  expect(await dialog.getByRole("listitem").allTextContents()).toEqual([
    "=Dock",
    "Gate",
    "Pictures",
    "Pictures 2",
  ]);
  await expectAccessible(page);
  await clickButton(dialog, "Delete");
  await waitForText(page, /^4 cameras were deleted\. .* without its alerts\.$/);
  expect(await shared.prisma.camera.count({ where: { workspaceId, removedAt: null } })).toBe(0);
});

test("after a lost answer it is clear which cameras were added, and going on adds none twice", async () => {
  const { workspaceId, open } = await newSite(shared);
  const { page } = await open(importAddress);
  await fillIn(page, /^Table/, tableOf(5));
  await loseAnswer(page, 3);
  await clickButton(page, "Save 5 cameras");
  await waitForText(page, "2 cameras were saved.");
  await waitForText(page, "3 cameras are still missing. Going on adds none twice.");
  const states = page.getByRole("region", { name: "Cameras of the table" }).locator("td:last-child");
  expect(await states.allTextContents()).toEqual(["Saved", "Saved", ...Array(3).fill("Not yet saved")]);
  await expectAccessible(page);
  // The gateway had added the third one, and only its answer was lost.
  expect(await cameraNames(workspaceId)).toHaveLength(4);
  await clickButton(page, "Go on with the other 3");
  await waitForText(page, "5 cameras were saved.");
  const names = await cameraNames(workspaceId);
  expect(names).toEqual(["Camera 0", "Camera 1", "Camera 2", "Camera 3", "Camera 4", "Gate"]);
});

test("a table is still there after the page was loaded again, without the cameras that were added", async () => {
  const { workspaceId, open } = await newSite(shared);
  const { page } = await open(importAddress);
  await fillIn(page, /^Table/, tableOf(3));
  await loseAnswer(page, 2);
  await clickButton(page, "Save 3 cameras");
  await waitForText(page, "2 cameras are still missing.");
  await clickButton(page, "Change the table");
  await waitForText(page, "1 camera will be saved.");
  await waitForText(page, "2 are there already");
  await page.goto(`${shared.gateway.url}${importAddress}`);
  await clickButton(page, "Save 1 camera");
  await waitForText(page, "1 camera was saved.");
  expect(await cameraNames(workspaceId)).toEqual(["Camera 0", "Camera 1", "Camera 2", "Gate"]);
});

test("whoever may not change cameras is offered no way to add them", async () => {
  const roles: Permission[] = ["facilities:read", "facilities:write", "cameras:read"];
  const { workspaceId, open } = await newSite(shared, { user: { roles } });
  const { page } = await open();
  await buttonOf(page, "Edit: Plant").waitFor();
  await expectNone(buttonOf(page, "Add a camera"));
  await expectNone(linkOf(page, "Add cameras from a CSV"));
  await shared.prisma.camera.deleteMany({ where: { workspaceId } });
  await page.goto(`${shared.gateway.url}/?view=fleet`);
  await page.getByText("Welcome. From here to the first alert").waitFor();
  await expectNone(buttonOf(page, "Add a camera"));
});

test("all notifications that were given up are sent again after a question that names their number", async () => {
  const { workspaceId, facilityId, userId, open } = await newSite(shared, {
    user: { roles: ["facilities:read"] },
  });
  const closedId = await createFacility(shared.prisma, { workspaceId, name: "Closed" });
  const parked = { workspaceId, state: "PARKED", sentAt: null };
  await createDelivery(shared.prisma, { ...parked, facilityId: closedId });
  const id = await createDelivery(shared.prisma, { ...parked, facilityId });
  const [row] = await shared.prisma.delivery.findMany({ where: { workspaceId, id } });
  const copies = listOf(1_099, () => ({ ...row, id: crypto.randomUUID() }));
  await shared.prisma.delivery.createMany({ data: copies as never });
  await createDelivery(shared.prisma, { workspaceId, facilityId });
  await grantAccess(shared.prisma, { workspaceId, userId, facilityId, actions: ["alert-rules:write"] });
  const { page } = await open("/?view=settings&part=notifications");
  await clickButton(page, "Send all 1101 that were given up again");
  const dialog = page.getByRole("dialog", { name: "Send 1100 notifications again?" });
  await waitForText(dialog, "1 more are left out");
  await expectAccessible(page);
  expect(await shared.prisma.auditEntry.count({ where: { workspaceId } })).toBe(0);
  await clickButton(dialog, "Send again");
  await waitForText(page, "1100 are sent again.");
  const sent = await shared.prisma.auditEntry.count({ where: { workspaceId, action: "redeliver" } });
  expect(sent).toBe(1_100);
});

test("the name and the expiry of a key are changed, and revoking says that it ends both secrets", async () => {
  const { workspaceId, open } = await newSite(shared);
  const expiresAt = new Date("2100-01-01T00:00:30.500Z");
  await createApiKey(shared.prisma, { workspaceId, permissions: ["facilities:read"], expiresAt });
  const { page } = await open("/?view=settings&part=keys");
  const dialog = page.getByRole("dialog");
  const stored = () => shared.prisma.apiKey.findFirst({ where: { workspaceId } });
  await clickButton(page, "Edit: Key");
  await fillIn(dialog, "Name", "Detector");
  await clickButton(dialog, "Save");
  await waitForHeading(page, "Detector");
  expect(await stored()).toMatchObject({ name: "Detector", expiresAt });
  await clickButton(page, "Edit: Detector");
  await fillIn(dialog, "Expires", "");
  await clickButton(dialog, "Save");
  // The outcome of the first change may still be told.
  await expect.poll(stored).toMatchObject({ expiresAt: null });
  await clickButton(page, "Revoke: Detector");
  await waitForText(dialog, "with its current secret as with one from before it was rotated");
});

test("the permissions of a person say who gave them, and saving keeps those the viewer does not hold", async () => {
  const { workspaceId, facilityId, open } = await newSite(shared, {
    user: { roles: ["facilities:read", "cameras:read", "users:read", "users:write"] },
  });
  const inviterId = await createUser(shared.prisma, { workspaceId, firstName: "Ada", lastName: "Byron" });
  const userId = await createUser(shared.prisma, {
    workspaceId,
    email: "grace@test.example",
    roles: ["facilities:read", "alerts:delete"],
    firstName: "Grace",
  });
  await createInvitation(shared.prisma, {
    workspaceId,
    email: "Grace@test.example",
    roles: ["facilities:read", "alerts:delete"],
    accesses: [],
    invitedById: inviterId,
    acceptedAt: new Date("2026-11-20T12:00:00Z"),
    acceptedById: userId,
  });
  const { page } = await open("/?view=settings&part=people");
  // Read again at once, people would be there before the dialog is opened again.
  await (await page.context().newCDPSession(page)).send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 400,
    downloadThroughput: -1,
    uploadThroughput: -1,
  });
  const dialog = page.getByRole("dialog");
  const openPermissions = () => clickButton(page, "Permissions: Grace");
  const save = async () => {
    await clickButton(dialog, "Save");
    await dialog.waitFor({ state: "detached" });
  };
  await openPermissions();
  await dialog.getByText("In addition at Plant").click();
  const place = dialog.locator("details", { hasText: "In addition at Plant" });
  await tick(place, "See cameras");
  await save();
  await openPermissions();
  const choiceOf = (name: string) => dialog.locator("label", { hasText: name });
  await waitForText(choiceOf("See facilities"), /^given by Ada Byron, 20 Nov 2026/);
  await waitForText(choiceOf("See cameras").last(), "given by");
  expect(await choiceOf("Delete alerts").first().getByRole("checkbox").isChecked()).toBe(true);
  await expectAccessible(page);
  await choiceOf("See cameras").first().getByRole("checkbox").check();
  await save();
  const user = await shared.prisma.user.findFirst({ where: { workspaceId, id: userId } });
  expect(user?.roles.toSorted()).toEqual(["alerts:delete", "cameras:read", "facilities:read"]);
  const [access] = await shared.prisma.facilityAccess.findMany({
    where: { workspaceId, userId, facilityId },
  });
  expect(access?.actions).toEqual(["cameras:read"]);
  await clickButton(page, "Remove: Grace");
  // At the facility, nothing is added to the roles.
  await waitForText(dialog, "In the whole workspace: See facilities, See cameras, Delete alerts");
  expect(await dialog.getByText("at Plant").count()).toBe(0);
});

test("a change in the settings is undone, unless somebody else has changed the same since", async () => {
  const { workspaceId, facilityId, cameraId, open } = await newSite(shared);
  const { page } = await open();
  const dialog = page.getByRole("dialog");
  const rename = async (from: string, to: string) => {
    await clickButton(page, `Edit: ${from}`);
    await fillIn(dialog, "Name", to);
    await clickButton(dialog, "Save");
    await waitForText(page, "Saved.");
  };
  await rename("Gate", "Door");
  await clickButton(page, "Undo");
  await waitForText(page, "Undone.");
  const camera = await shared.prisma.camera.findFirst({ where: { workspaceId, id: cameraId } });
  expect(camera).toMatchObject({ name: "Gate", url: "rtsp://192.0.2.9/live", streamType: "DIRECT" });
  await rename("Plant", "Works");
  const where = { workspaceId_id: { workspaceId, id: facilityId } };
  await shared.prisma.facility.update({
    where,
    data: { name: "Theirs", updatedAt: new Date("2100-01-01T00:00:00Z") },
  });
  await clickButton(page, "Undo");
  await waitForText(page, "Nothing was changed");
  expect(await shared.prisma.facility.findUnique({ where })).toMatchObject({ name: "Theirs" });
});

test("all alerts that match the filter are acknowledged, and one undo takes that back", async () => {
  const { workspaceId, raise, open } = await newSite(shared);
  const severity = "HIGH";
  const acknowledgedAt = new Date("2026-11-20T13:00:00Z");
  await raise({ severity }, { severity }, { severity, acknowledgedAt }, { severity: "LOW" });
  const { page, problems } = await open("/?view=alerts&severity=HIGH");
  const acknowledged = () =>
    shared.prisma.alert.count({ where: { workspaceId, acknowledgedAt: { not: null } } });
  await clickButton(page, "More");
  await clickButton(page, "Acknowledge all");
  const dialog = page.getByRole("dialog", { name: "Acknowledge 2 alerts?" });
  await dialog.waitFor();
  await expectAccessible(page);
  await clickButton(dialog, "Acknowledge", { exact: true });
  await waitForText(page, "2 alerts acknowledged");
  expect(await acknowledged()).toBe(3);
  await clickButton(page, "Undo");
  await expect.poll(acknowledged).toBe(1);
  expect(problems).toEqual(noProblems);
});

test("of more alerts than can be acknowledged at once, the newest ones are offered", async () => {
  const { workspaceId, raise, open } = await newSite(shared);
  const newest = Date.parse("2026-11-20T12:00:00.000Z");
  const createdAt = (seconds: number) => ({ createdAt: new Date(newest - seconds * 1000) });
  await raise(...listOf(10_003, (index) => createdAt(index)));
  const { page } = await open("/?view=alerts");
  await clickButton(page, "More");
  await clickButton(page, "Acknowledge all");
  const dialog = page.getByRole("dialog", { name: "Acknowledge 10,000 alerts?" });
  await waitForText(dialog, "Even more match: these are the newest ones.");
  await clickButton(dialog, "Acknowledge", { exact: true });
  await page.getByText("10,000 alerts acknowledged").waitFor({ timeout: 60_000 });
  const left = await shared.prisma.alert.findMany({ where: { workspaceId, acknowledgedAt: null } });
  const times = left.map(({ createdAt }) => (newest - createdAt.getTime()) / 1000);
  expect(times.toSorted()).toEqual([10_000, 10_001, 10_002]);
});
