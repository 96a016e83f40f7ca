import { createFacility, createWorkspace } from "../support/factories.js";
import type { Sender } from "../support/harness.js";
import {
  appearances,
  browseOwnGateway,
  buttonOf,
  clickButton,
  clickLink,
  drawTriangle,
  expectAccessible,
  expectCount,
  expectToFit,
  fillIn,
  linkOf,
  notifying,
  openConsolePage,
  openSignedIn,
  pressKeys,
  saidAbout,
  waitForHeading,
  waitForStatus,
  waitForText,
} from "./console-page.js";
import { noProblems } from "./monitored-page.js";
import { newSite, newUser, person, treeOf } from "./own-console.js";

const admin: Sender = { user: "demo|admin" };

const demo = browseOwnGateway({ seed: "demo", environment: notifying });

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
  const { page } = await openConsolePage(demo.origin, "/?view=rules");
  await page.getByRole("searchbox").fill("lorry");
  await clickLink(page, "Lorry park");
  const card = page.getByRole("article", { name: keepOut });
  await waitForText(card, "safety@demo.example");
  await clickLink(card, "Change", { exact: true });
  const dialog = page.getByRole("main");
  await dialog.getByLabel("Severity").selectOption("High");
  await fillIn(dialog, "Email addresses", "gate@demo.example\nnot an address");
  await fillIn(dialog, "Webhook", "https://user:secret@hooks.example/");
  await fillIn(dialog, "Phone numbers", "+905321234567\n0532 123");
  await clickButton(dialog, "Save", { exact: true });
  await waitForText(dialog.getByRole("alert"), "Nothing was saved");
  const problemOf = (field: string) => saidAbout(dialog, field);
  expect(await problemOf("Email addresses")).toBe("“not an address” is not an email address.");
  expect(await problemOf("Phone numbers")).toBe(
    "“0532 123” is not a phone number in international format, such as +905321234567.",
  );
  expect(await problemOf("Webhook")).toBe("The address must not contain a user name or a password.");
  expect(await page.evaluate(() => (document.activeElement as HTMLTextAreaElement).name)).toBe("emails");
  await expectAccessible(page);
  await fillIn(dialog, "Webhook", "");
  await fillIn(dialog, "Phone numbers", "+905321234567");
  await fillIn(dialog, "Email addresses", "gate@demo.example");
  await clickButton(dialog, "Save", { exact: true });
  await waitForStatus(page, "The rule was saved.");
  await waitForText(card, "High");
  await waitForText(card, "gate@demo.example");
  // There is no account for text messages.
  await waitForText(card, "Not set up at this gateway");
  expect(await rulesOf("Lorry park")).toContainEqual(
    expect.objectContaining({
      severity: "HIGH",
      emails: ["gate@demo.example"],
      phoneNumbers: ["+905321234567"],
      status: "ACTIVE",
    }),
  );
  await clickButton(card, "More");
  await clickButton(card, "Send a test");
  await waitForText(card, "Test on its way");
  await clickButton(card, "More");
  await clickButton(card, "Send a test");
  await card.getByRole("alert").waitFor();
});

test("an area can be changed and redrawn by pointer and by keys", async () => {
  const { page, problems } = await openConsolePage(demo.origin, "/?view=rules&text=main+gate");
  const card = page.getByRole("article", { name: keepOut });
  const areaOf = async () =>
    (await rulesOf("Main gate")).flatMap(({ areas }) => areas).find(({ name }) => name === "Keep-out zone");
  const before = await areaOf();
  await clickLink(page, "Main gate");
  await clickLink(card, "Change the area");
  const corner = buttonOf(page, /^Corner 1 of 5/);
  await corner.focus();
  await pressKeys(page, "ArrowUp", "Shift+ArrowRight");
  await clickButton(page, "Add a corner after corner 5");
  await buttonOf(page, /^Corner 3 of 6/).press("Delete");
  await clickButton(page, "Save", { exact: true });
  await card.waitFor();
  const changed = await areaOf();
  const [first, , removed] = before?.points ?? [];
  expect(changed?.id).toBe(before?.id);
  expect(changed?.points).toHaveLength(5);
  expect(changed?.points[0]).toEqual({ x: (first?.x ?? 0) + 40, y: (first?.y ?? 0) - 8 });
  expect(changed?.points).not.toContainEqual(removed);

  await clickLink(card, "Change the area");
  await clickButton(page, "Start over");
  const surface = buttonOf(page, /^Drawing surface/);
  const { width, height } = (await surface.boundingBox()) as { width: number; height: number };
  for (const [x, y] of [
    [0.25, 0.5],
    [0.75, 0.5],
  ] as const)
    await surface.click({ position: { x: width * x, y: height * y } });
  // Starts in the middle of the picture.
  for (let step = 0; step < 5; step += 1) await pressKeys(page, "Shift+ArrowDown");
  await pressKeys(page, "Space", "Enter");
  await clickButton(page, "Save", { exact: true });
  await card.waitFor();
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

describe("who changes a rule that somebody else has changed meanwhile is told, and may overwrite it,", () => {
  const openRule = async () => {
    const { workspaceId, cameraId, addRule, open } = await newSite(demo);
    const id = await addRule({ group: treeOf(person) });
    const { page } = await open(`/?view=rules&camera=${cameraId}`);
    const where = { workspaceId_id: { workspaceId, id } };
    const stored = () => demo.prisma.alertRule.findUniqueOrThrow({ where });
    const changeSeverity = () => demo.prisma.alertRule.update({ where, data: { severity: "CRITICAL" } });
    return { page, stored, changeSeverity };
  };
  const told = "Somebody else has changed this meanwhile.";

  test("in its form", async () => {
    const { page, stored, changeSeverity } = await openRule();
    await clickLink(page, "Change", { exact: true });
    await fillIn(page, "Email addresses", "mine@demo.example");
    await changeSeverity();
    await clickButton(page, "Save", { exact: true });
    await waitForText(page, told);
    await expectAccessible(page);
    expect(await stored()).toMatchObject({ severity: "CRITICAL", emails: [] });
    await clickButton(page, "Save mine anyway");
    await waitForStatus(page, "The rule was saved.");
    expect(await stored()).toMatchObject({ emails: ["mine@demo.example"] });
  });

  test("in a drawing that was restored after the rule was read again", async () => {
    const { page, stored, changeSeverity } = await openRule();
    await clickLink(page, "Draw an area");
    await drawTriangle(page);
    const before = await changeSeverity();
    await page.reload();
    await clickButton(page, "Save", { exact: true });
    await waitForText(page, told);
    expect(await stored()).toEqual(before);
    await clickButton(page, "Save mine anyway");
    await waitForStatus(page, "The rule was saved.");
    expect(await stored()).toMatchObject({
      group: { children: [{ type: "AREA" }, {}] },
    });
  });
});

test("a rule is deleted after a question that says what is lost", async () => {
  const { workspaceId, cameraId, addRule, open } = await newSite(demo);
  await addRule();
  const { page } = await open(`/?view=rules&camera=${cameraId}`);
  const card = page.getByRole("article", { name: keepOut });
  const remove = async () => {
    await clickButton(card, "More");
    await clickButton(card, "Delete");
  };
  await remove();
  const dialog = page.getByRole("dialog");
  await waitForText(dialog, "The alerts that it raised stay.");
  // The focus is on the button that changes nothing.
  await pressKeys(page, "Enter");
  await expectCount(dialog, 0);
  const rules = () => demo.prisma.alertRule.count({ where: { workspaceId } });
  expect(await rules()).toBe(1);
  await remove();
  await clickButton(dialog, "Delete");
  await waitForStatus(page, "was deleted");
  await expectCount(card, 0);
  expect(await rules()).toBe(0);
});

test("viewers who may only read can change nothing", async () => {
  const { page } = await openSignedIn(demo, "demo|viewer", "/?view=rules");
  await page.getByRole("article", { name: keepOut }).waitFor();
  expect(await buttonOf(page.getByRole("main"), /change|draw|send|add|delete/i).count()).toBe(0);
});

test("without cameras, only viewers who may add some learn how", async () => {
  const workspaceId = await createWorkspace(demo.prisma);
  await createFacility(demo.prisma, { workspaceId });
  const roles = ["facilities:read", "cameras:read"] as const;
  for (const [view, added, said] of [
    ["fleet", [], "They appear here as soon as somebody adds one."],
    ["rules", ["cameras:write"], "Add one in the settings."],
  ] as const) {
    const { open } = await newUser(demo, { workspaceId, roles: [...roles, ...added] });
    const { page } = await open(`/?view=${view}`);
    await waitForHeading(page, "No cameras yet");
    await waitForText(page, said);
  }
});

test.each(appearances)(
  "the rules have no violation of accessibility rules and fit, $colorScheme and $viewport.width px wide",
  async (appearance) => {
    const { page } = await openConsolePage(demo.origin, "/?view=rules", appearance);
    const card = page.getByRole("article", { name: keepOut });
    await card.waitFor();
    await expectAccessible(page);
    for (const opened of [linkOf(card, "Change the area"), linkOf(page, "Add a rule")]) {
      await opened.click();
      await buttonOf(page, /^(Corner 1 of|Drawing surface)/)
        .first()
        .waitFor();
      await expectAccessible(page);
      await expectToFit(page);
      await page.goBack();
    }
  },
);
