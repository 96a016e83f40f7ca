import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import {
  createAlertRule,
  createCamera,
  createFacility,
  createUser,
  createWorkspace,
} from "../support/factories.js";
import type { Sender } from "../support/harness.js";
import {
  browseOwnGateway,
  openConsolePage,
  openSignedOutPage,
  signIn,
  tokenOf,
  violations,
} from "./console-page.js";
import { noProblems } from "./monitored-page.js";
import { equippedWorkspace, openOwnConsole } from "./own-console.js";

const admin: Sender = { user: "demo|admin" };

// Nothing listens there, so deliveries wait.
const demo = browseOwnGateway({
  seed: "demo",
  environment: { SMTP_URL: "smtp://127.0.0.1:9", MAIL_FROM: "gateway@demo.example" },
});

interface Rule {
  severity: string;
  status: string;
  emails: string[];
  phoneNumbers: string[];
  areas: { id: string; name: string; points: { x: number; y: number }[] }[];
}

/** The rules of a camera, by its name. */
async function rulesOf(camera: string): Promise<Rule[]> {
  const query = `query ($filter: CameraFilter!) { searchCameras(filter: $filter) { nodes { id alertRules {
    severity status emails phoneNumbers areas { id name points { x y } }
  } } } }`;
  interface Found {
    searchCameras: { nodes: { id: string; alertRules: Rule[] }[] };
  }
  const { searchCameras } = await demo.gateway.data<Found>(query, {
    as: admin,
    variables: { filter: { text: camera } },
  });
  return (searchCameras.nodes[0] as { alertRules: Rule[] }).alertRules;
}

const keepOut = "Person in a forbidden area";

test("a rule's severity and addressees can be changed, and the gateway's refusals are shown next to them", async () => {
  const { page } = await openConsolePage(demo.browser, demo.origin, "/?view=rules");
  await page.getByRole("searchbox").fill("lorry");
  await page.getByRole("link", { name: "Lorry park" }).click();
  const card = page.getByRole("article", { name: keepOut });
  await card.getByText("safety@demo.example").waitFor();
  await card.getByRole("button", { name: "Change", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Severity").selectOption("High");
  await dialog.getByLabel("Email addresses").fill("gate@demo.example\nnot an address");
  await dialog.getByLabel("Webhook").fill("https://user:secret@hooks.example/");
  await dialog.getByLabel("Phone numbers").fill("+905321234567\n0532 123");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByRole("alert").getByText("Nothing was saved").waitFor();
  const problemOf = (field: string) =>
    dialog
      .getByLabel(field)
      .evaluate(
        (element) => document.getElementById(element.getAttribute("aria-describedby") ?? "")?.textContent,
      );
  expect(await problemOf("Email addresses")).toBe("“not an address” is not an email address.");
  expect(await problemOf("Phone numbers")).toBe(
    "“0532 123” is not a phone number in international format, such as +905321234567.",
  );
  expect(await problemOf("Webhook")).toBe("The address must not contain a user name or a password.");
  expect(await page.evaluate(() => (document.activeElement as HTMLTextAreaElement).name)).toBe("emails");
  expect(await violations(page)).toEqual([]);
  await dialog.getByLabel("Webhook").fill("");
  await dialog.getByLabel("Phone numbers").fill("+905321234567");
  await dialog.getByLabel("Email addresses").fill("gate@demo.example");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect.poll(() => dialog.count()).toBe(0);
  await page.getByRole("status").getByText("The rule was saved.").waitFor();
  await card.getByText("High").waitFor();
  await card.getByText("gate@demo.example").waitFor();
  // There is no account for text messages.
  await card.getByText("Not set up at this gateway").waitFor();
  expect(await rulesOf("Lorry park")).toContainEqual(
    expect.objectContaining({
      severity: "HIGH",
      emails: ["gate@demo.example"],
      phoneNumbers: ["+905321234567"],
      status: "ACTIVE",
    }),
  );
  await card.getByRole("button", { name: "Send a test" }).click();
  await card.getByText("Test on its way").waitFor();
  await card.getByRole("button", { name: "Send a test" }).click();
  await card.getByRole("alert").waitFor();
});

test("an area can be changed and redrawn by pointer and by keys", async () => {
  const { page, problems } = await openConsolePage(demo.browser, demo.origin, "/?view=rules&text=main+gate");
  const card = page.getByRole("article", { name: keepOut });
  const areaOf = async () =>
    (await rulesOf("Main gate")).flatMap(({ areas }) => areas).find(({ name }) => name === "Keep-out zone");
  const before = await areaOf();
  await page.getByRole("link", { name: "Main gate" }).click();
  await card.getByRole("button", { name: "Change the area" }).click();
  const corner = page.getByRole("button", { name: /^Corner 1 of 5/ });
  await corner.focus();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Shift+ArrowRight");
  await page.getByRole("button", { name: "Add a corner after corner 5" }).click();
  await page.getByRole("button", { name: /^Corner 3 of 6/ }).press("Delete");
  await page.getByRole("button", { name: "Save the area" }).click();
  await expect.poll(() => page.getByRole("button", { name: "Save the area" }).count()).toBe(0);
  const changed = await areaOf();
  const [first, , removed] = before?.points ?? [];
  expect(changed?.id).toBe(before?.id);
  expect(changed?.points).toHaveLength(5);
  expect(changed?.points[0]).toEqual({ x: (first?.x ?? 0) + 40, y: (first?.y ?? 0) - 8 });
  expect(changed?.points).not.toContainEqual(removed);

  await card.getByRole("button", { name: "Change the area" }).click();
  await page.getByRole("button", { name: "Start over" }).click();
  const surface = page.getByRole("button", { name: /^Drawing surface/ });
  const { width, height } = (await surface.boundingBox()) as { width: number; height: number };
  for (const [x, y] of [
    [0.25, 0.5],
    [0.75, 0.5],
  ] as const)
    await surface.click({ position: { x: width * x, y: height * y } });
  // Starts in the middle of the picture.
  for (let step = 0; step < 5; step += 1) await page.keyboard.press("Shift+ArrowDown");
  await page.keyboard.press("Space");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Save the area" }).click();
  await expect.poll(() => page.getByRole("button", { name: "Save the area" }).count()).toBe(0);
  const [left, right, low] = (await areaOf())?.points ?? [];
  expect(low).toEqual({ x: 640, y: 560 });
  for (const [point, x] of [
    [left, 320],
    [right, 960],
  ] as const) {
    expect(Math.abs((point?.x ?? 0) - x)).toBeLessThan(4);
    expect(Math.abs((point?.y ?? 0) - 360)).toBeLessThan(4);
  }
  expect(problems).toEqual(noProblems);
});

test("a rule is added, and gets its area", async () => {
  const { page } = await openConsolePage(demo.browser, demo.origin, "/?view=rules&text=gate+in");
  await page.getByRole("link", { name: "Gate in" }).click();
  const count = (await rulesOf("Gate in")).length;
  await page.getByRole("button", { name: "Add a rule" }).click();
  await page.getByLabel("Type").selectOption("Too few workers in a confined space");
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await page.getByRole("status").getByText("The rule was added.").waitFor();
  const added = page.getByRole("article").filter({ has: page.getByRole("button", { name: "Draw an area" }) });
  await added.getByText("Fewer than 2 people are detected", { exact: true }).waitFor();
  await added.getByRole("button", { name: "Draw an area" }).click();
  for (const keys of ["Space", "Shift+ArrowRight", "Space", "Shift+ArrowDown", "Space", "Enter"])
    await page.keyboard.press(keys);
  await page.getByRole("button", { name: "Save the area" }).click();
  await page.getByRole("status").getByText("The area was saved.").waitFor();
  await expect.poll(() => added.count()).toBe(0);
  await page.getByText("Fewer than 2 people are in the area “Zone”", { exact: true }).waitFor();
  const rules = await rulesOf("Gate in");
  expect(rules).toHaveLength(count + 1);
  expect(rules.flatMap(({ areas }) => areas.map(({ points }) => points))).toContainEqual([
    { x: 640, y: 360 },
    { x: 680, y: 360 },
    { x: 680, y: 400 },
  ]);
});

describe("who changes a rule that somebody else has changed meanwhile is told, and may overwrite it,", () => {
  const openRule = async () => {
    const { workspaceId, cameraId } = await equippedWorkspace(demo.gateway);
    const condition = { id: randomUUID(), type: "STATIC_DELIMITATION_AREA", objects: ["PERSON"] };
    const group = { id: randomUUID(), type: "GROUP", operator: "AND", children: [condition] };
    const id = await createAlertRule(demo.gateway.prisma, { cameraId, group });
    const { page } = await openOwnConsole(demo, { workspaceId, address: `/?view=rules&camera=${cameraId}` });
    const where = { workspaceId_id: { workspaceId, id } };
    const stored = () => demo.gateway.prisma.alertRule.findUniqueOrThrow({ where });
    const changeSeverity = () =>
      demo.gateway.prisma.alertRule.update({ where, data: { severity: "CRITICAL" } });
    return { page, stored, changeSeverity };
  };
  const told = "Somebody else has changed this meanwhile.";

  test("in its form", async () => {
    const { page, stored, changeSeverity } = await openRule();
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "Change", exact: true }).click();
    await dialog.getByLabel("Email addresses").fill("mine@demo.example");
    await changeSeverity();
    await dialog.getByRole("button", { name: "Save", exact: true }).click();
    await dialog.getByText(told).waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await stored()).toMatchObject({ severity: "CRITICAL", emails: [] });
    await dialog.getByRole("button", { name: "Save mine anyway" }).click();
    await page.getByRole("status").getByText("The rule was saved.").waitFor();
    expect(await stored()).toMatchObject({ emails: ["mine@demo.example"] });
  });

  test("in a drawing that was restored after the rule was read again", async () => {
    const { page, stored, changeSeverity } = await openRule();
    await page.getByRole("button", { name: "Draw an area" }).click();
    for (const keys of ["Space", "Shift+ArrowRight", "Space", "Shift+ArrowDown", "Space", "Enter"])
      await page.keyboard.press(keys);
    const before = await changeSeverity();
    await page.reload();
    const save = page.getByRole("button", { name: "Save the area" });
    await save.click();
    await page.getByText(told).waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await stored()).toEqual(before);
    await page.getByRole("button", { name: "Save mine anyway" }).click();
    await page.getByRole("status").getByText("The area was saved.").waitFor();
    expect(await stored()).toMatchObject({
      severity: "CRITICAL",
      group: { children: [{ type: "AREA" }, {}] },
    });
  });
});

test("a rule is deleted after a question that says what is lost", async () => {
  const { prisma } = demo.gateway;
  const workspaceId = await createWorkspace(prisma, {});
  const facilityId = await createFacility(prisma, { workspaceId });
  const cameraId = await createCamera(prisma, { workspaceId, facilityId });
  await createAlertRule(prisma, { cameraId });
  const authId = `test|${randomUUID()}`;
  const roles = ["facilities:read", "cameras:read", "alert-rules:read", "alert-rules:write"];
  await createUser(prisma, { workspaceId, authId, roles });
  const { page } = await openSignedOutPage(demo.browser, demo.origin, `/?view=rules&camera=${cameraId}`);
  await signIn(page, await tokenOf(authId));
  const remove = page.getByRole("article", { name: keepOut }).getByRole("button", { name: "Delete" });
  await remove.click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("The alerts that it raised stay.").waitFor();
  expect(await violations(page)).toEqual([]);
  // The focus is on the button that changes nothing.
  await page.keyboard.press("Enter");
  await expect.poll(() => dialog.count()).toBe(0);
  const rules = () => prisma.alertRule.count({ where: { workspaceId } });
  expect(await rules()).toBe(1);
  await remove.click();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("status").getByText("was deleted").waitFor();
  await expect.poll(() => remove.count()).toBe(0);
  expect(await rules()).toBe(0);
});

test("viewers who may only read can change nothing", async () => {
  const { page } = await openSignedOutPage(demo.browser, demo.origin, "/?view=rules");
  await signIn(page, await tokenOf("demo|viewer"));
  await page.getByRole("article", { name: keepOut }).waitFor();
  expect(
    await page
      .getByRole("main")
      .getByRole("button", { name: /change|draw|send|add|delete/i })
      .count(),
  ).toBe(0);
});

test("problems with a rule are described in the reader's language", async () => {
  const { page } = await openConsolePage(demo.browser, demo.origin, "/?view=rules&text=lorry", {
    locale: "de-DE",
  });
  const card = page.getByRole("article").first();
  await card.getByRole("button", { name: "Ändern", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("E-Mail-Adressen").fill("nicht so");
  await dialog.getByRole("button", { name: "Speichern" }).click();
  await dialog.getByText("„nicht so“ ist keine E-Mail-Adresse.").waitFor();
});

test("without cameras, only viewers who may add some learn how", async () => {
  const { prisma } = demo.gateway;
  const workspaceId = await createWorkspace(prisma, {});
  await createFacility(prisma, { workspaceId });
  const roles = ["facilities:read", "cameras:read"] as const;
  const [reader, writer] = [`test|${randomUUID()}`, `test|${randomUUID()}`];
  await createUser(prisma, { workspaceId, authId: reader, roles: [...roles] });
  await createUser(prisma, { workspaceId, authId: writer, roles: [...roles, "cameras:write"] });
  for (const view of ["fleet", "rules"])
    for (const [user, said] of [
      [reader, "They appear here as soon as somebody adds one."],
      [writer, "Add one in the settings."],
    ] as const) {
      const { page } = await openSignedOutPage(demo.browser, demo.origin, `/?view=${view}`);
      await signIn(page, await tokenOf(user));
      await page.getByRole("heading", { name: "No cameras yet" }).waitFor();
      await page.getByText(said).waitFor();
    }
});

describe.each(["light", "dark"] as const)("in a %s scheme, the rules", (colorScheme) => {
  test.each([1400, 360])(
    "have no violation of accessibility rules and fit into a window of %i px",
    async (width) => {
      const { page } = await openConsolePage(demo.browser, demo.origin, "/?view=rules", {
        colorScheme,
        viewport: { width, height: 900 },
      });
      const card = page.getByRole("article", { name: keepOut });
      await card.waitFor();
      expect(await violations(page)).toEqual([]);
      await card.getByRole("button", { name: "Change the area" }).click();
      expect(await violations(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    },
  );
});
