import type { Page } from "playwright-core";
import { createApiKey, createConnector } from "../support/factories.js";
import {
  browseSharedGateway,
  buttonOf,
  clickLink,
  downloadBy,
  expectAccessible,
  expectNone,
  expectToFit,
  fillIn,
  linkOf,
  tick,
  waitForHeading,
  waitForText,
} from "./console-page.js";
import { noProblems } from "./monitored-page.js";
import { newSite } from "./own-console.js";

const address = "/?view=settings&part=connectors";
/** A name that runs from right to left. */
const hebrew = "מחבר";

const shared = browseSharedGateway();

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000);

/** A workspace with a connector that runs, and one that is away, whose key was revoked. */
async function connectedWorkspace() {
  const { prisma } = shared;
  const site = await newSite(shared);
  const { workspaceId, facilityId, cameraId } = site;
  const permissions = ["alerts:write" as const];
  const key = await createApiKey(prisma, {
    workspaceId,
    name: "Plant",
    permissions,
    facilityIds: [facilityId],
  });
  const revoked = await createApiKey(prisma, {
    workspaceId,
    name: `${hebrew} key`,
    permissions,
    revokedAt: ago(60),
  });
  const seen = (kind: string, name: string, count: number, camera: string | null = null) => ({
    ...{ kind, name, cameraId: camera, count },
    lastSeenAt: ago(120).toISOString(),
  });
  await createConnector(prisma, {
    ...{ workspaceId, apiKeyId: key.id, name: "frigate-plant", version: "1.4.0" },
    lastReportedAt: ago(20),
    unmapped: [seen("CAMERA", `${hebrew} garage`, 12), seen("ZONE", "gate", 1, cameraId)],
  });
  await createConnector(prisma, {
    ...{ workspaceId, apiKeyId: revoked.id, name: `${hebrew} quay`, kind: "MQTT" },
    lastReportedAt: ago(200),
  });
  return site;
}

const rowOf = (page: Page, name: string) => page.getByRole("listitem").filter({ hasText: name }).first();

test("connectors are listed with whether they run, their version and key, and what they cannot map", async () => {
  const { facilityId, cameraId, open } = await connectedWorkspace();
  const { page, problems } = await open(address);
  const running = rowOf(page, "frigate-plant");
  await waitForText(running, "Running", { exact: true });
  const text = await running.innerText();
  for (const part of ["Frigate", "version", "1.4.0", "API key: Plant", "12 times", "once"])
    expect(text).toContain(part);
  const away = rowOf(page, `${hebrew} quay`);
  await waitForText(away, "Away", { exact: true });
  expect(await away.innerText()).toContain("(revoked)");
  expect(await away.locator("bdi").allInnerTexts()).toEqual([`${hebrew} quay`, `${hebrew} key`]);
  const target = (name: string) => linkOf(page, name).getAttribute("href");
  expect(await target("Add a camera:")).toBe(`/?view=settings&facility=${facilityId}&add=camera`);
  expect(await target("Rules:")).toBe(`/?view=rules&camera=${cameraId}`);
  await expectAccessible(page);
  await page.setViewportSize({ width: 375, height: 800 });
  await expectToFit(page);
  expect(problems).toEqual(noProblems);
});

test("a connector that is heard again counts as running, without a reload", async () => {
  const { workspaceId, open } = await connectedWorkspace();
  const { page } = await open(address);
  await page.clock.install();
  await page.reload();
  const row = rowOf(page, `${hebrew} quay`);
  await waitForText(row, "Away", { exact: true });
  await shared.prisma.connector.updateMany({
    where: { workspaceId },
    data: { lastReportedAt: ago(1) },
  });
  await page.clock.runFor(60_000);
  await waitForText(row, "Running", { exact: true });
});

test("the form writes a configuration, without secrets, and says how to check and start it", async () => {
  const { facilityId, open } = await newSite(shared);
  const { page, problems } = await open(address);
  await waitForHeading(page, "No connector has reported yet");
  await expectAccessible(page);
  await buttonOf(page, "Write a configuration").press("Enter");
  const dialog = page.getByRole("dialog");
  await fillIn(dialog, "Name of the connector", "Plant / north");
  await dialog.getByLabel("Where is it: API key").selectOption("environment");
  await fillIn(dialog, "Name of the file or variable: API key", "GATEWAY_KEY");
  await dialog.getByLabel("Facility").selectOption("Plant");
  await fillIn(dialog.getByRole("group", { name: "Frigate", exact: true }), "User", "viewer");
  const file = await downloadBy(page, buttonOf(dialog, "Save the file").press("Enter"));
  expect(file.name).toBe("Plant-north.json");
  expect(JSON.parse(String(file.data))).toEqual({
    name: "Plant / north",
    gateway: {
      url: shared.gateway.url.replace("127.0.0.1", "localhost"),
      apiKey: { environment: "GATEWAY_KEY" },
    },
    broker: { url: "mqtts://broker:8883" },
    frigate: {
      ...{ url: "https://frigate:8971", username: "viewer" },
      password: { file: "/run/secrets/frigate-password" },
    },
    facility: facilityId,
    stateFile: "state.json",
  });
  await waitForText(dialog, "npm run connect:frigate -- Plant-north.json --check");
  await expectAccessible(page);
  expect(problems).toEqual(noProblems);
});

test("the form of detections asks for the camera and the size of frames only where messages do not tell them", async () => {
  const { page } = await (await newSite(shared)).open(`${address}&add=connector`);
  const dialog = page.getByRole("dialog");
  await tick(dialog, "Detections over MQTT");
  await fillIn(dialog, "Name of the connector", "axis");
  const camera = dialog.getByLabel(/^Camera empty/);
  await fillIn(dialog, /^Topic may/, "axis/gate");
  expect(await camera.evaluate((input: HTMLInputElement) => input.required)).toBe(true);
  await fillIn(dialog, /^Topic may/, "detections/+");
  expect(await camera.evaluate((input: HTMLInputElement) => input.required)).toBe(false);
  await expectNone(dialog.getByLabel("Height of its frames"));
  await dialog.getByLabel("Format").selectOption("NVIDIA DeepStream");
  await expectNone(camera);
  await dialog.getByLabel("Height of its frames").waitFor();
});

test("the form leads to a new key with the permissions that the connector needs, and stays half filled", async () => {
  const { page } = await (await newSite(shared)).open(`${address}&add=connector`);
  const dialog = page.getByRole("dialog");
  await fillIn(dialog, "Name of the connector", "Half");
  await clickLink(dialog, "Create a key with what it needs");
  await waitForHeading(dialog, "Create an API key");
  const chosen = dialog.getByRole("checkbox", { checked: true });
  expect(await chosen.evaluateAll((boxes) => boxes.map((box) => (box as HTMLInputElement).name))).toEqual([
    "cameras:write",
    "alerts:write",
  ]);
  await page.goBack();
  await expect.poll(() => dialog.getByLabel("Name of the connector").inputValue()).toBe("Half");
});
