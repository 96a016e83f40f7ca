import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { createApiKey, createConnector } from "../support/factories.js";
import { browseSharedGateway, violations } from "./console-page.js";
import { noProblems } from "./monitored-page.js";
import { equippedWorkspace, openOwnConsole } from "./own-console.js";

const address = "/?view=settings&part=connectors";
/** A name that runs from right to left. */
const hebrew = "מחבר";

const shared = browseSharedGateway();

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000);

/** A workspace with a connector that runs, and one that is away, whose key was revoked. */
async function connectedWorkspace() {
  const { prisma } = shared.gateway;
  const site = await equippedWorkspace(shared.gateway);
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
  const { workspaceId, facilityId, cameraId } = await connectedWorkspace();
  const { page, problems } = await openOwnConsole(shared, { workspaceId, address });
  const running = rowOf(page, "frigate-plant");
  await running.getByText("Running", { exact: true }).waitFor();
  const text = await running.innerText();
  for (const part of ["Frigate", "version", "1.4.0", "API key: Plant", "12 times", "once"])
    expect(text).toContain(part);
  const away = rowOf(page, `${hebrew} quay`);
  await away.getByText("Away", { exact: true }).waitFor();
  expect(await away.innerText()).toContain("(revoked)");
  expect(await away.locator("bdi").allInnerTexts()).toEqual([`${hebrew} quay`, `${hebrew} key`]);
  const target = (name: string) => page.getByRole("link", { name }).getAttribute("href");
  expect(await target("Add a camera:")).toBe(`/?view=settings&facility=${facilityId}&add=camera`);
  expect(await target("Rules:")).toBe(`/?view=rules&camera=${cameraId}`);
  expect(await violations(page)).toEqual([]);
  await page.setViewportSize({ width: 375, height: 800 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(375);
  expect(await violations(page)).toEqual([]);
  expect(problems).toEqual(noProblems);
});

test("a connector that is heard again counts as running, without a reload", async () => {
  const { workspaceId } = await connectedWorkspace();
  const { page } = await openOwnConsole(shared, { workspaceId, address });
  await page.clock.install();
  await page.reload();
  const row = rowOf(page, `${hebrew} quay`);
  await row.getByText("Away", { exact: true }).waitFor();
  await shared.gateway.prisma.connector.updateMany({
    where: { workspaceId },
    data: { lastReportedAt: ago(1) },
  });
  await page.clock.runFor(60_000);
  await row.getByText("Running", { exact: true }).waitFor();
});

test("the form writes a configuration, without secrets, and says how to check and start it", async () => {
  const { workspaceId, facilityId } = await equippedWorkspace(shared.gateway);
  const { page, problems } = await openOwnConsole(shared, { workspaceId, address });
  await page.getByRole("heading", { name: "No connector has reported yet" }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Write a configuration" }).press("Enter");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name of the connector").fill("Plant / north");
  await dialog.getByLabel("Where is it: API key").selectOption("environment");
  await dialog.getByLabel("Name of the file or variable: API key").fill("GATEWAY_KEY");
  await dialog.getByLabel("Facility").selectOption("Plant");
  await dialog.getByRole("group", { name: "Frigate", exact: true }).getByLabel("User").fill("viewer");
  expect(await violations(page)).toEqual([]);
  const download = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Save the file" }).press("Enter");
  const file = await download;
  expect(file.suggestedFilename()).toBe("Plant-north.json");
  expect(JSON.parse(await readFile(await file.path(), "utf8"))).toEqual({
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
  await dialog.getByText("npm run connect:frigate -- Plant-north.json --check").waitFor();
  expect(await violations(page)).toEqual([]);
  expect(problems).toEqual(noProblems);
});

test("the form of detections asks for the camera and the size of frames only where messages do not tell them", async () => {
  const { workspaceId } = await equippedWorkspace(shared.gateway);
  const { page } = await openOwnConsole(shared, { workspaceId, address: `${address}&add=connector` });
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Detections over MQTT").check();
  await dialog.getByLabel("Name of the connector").fill("axis");
  const camera = dialog.getByLabel(/^Camera empty/);
  await dialog.getByLabel(/^Topic may/).fill("axis/gate");
  expect(await camera.evaluate((input: HTMLInputElement) => input.required)).toBe(true);
  await dialog.getByLabel(/^Topic may/).fill("detections/+");
  expect(await camera.evaluate((input: HTMLInputElement) => input.required)).toBe(false);
  expect(await dialog.getByLabel("Width of its frames").count()).toBe(0);
  await dialog.getByLabel("Format").selectOption("NVIDIA DeepStream");
  expect(await camera.count()).toBe(0);
  await dialog.getByLabel("Width of its frames").fill("1920");
  await dialog.getByLabel("Height of its frames").fill("1080");
  await dialog.getByRole("group", { name: "MQTT broker" }).getByLabel("User").fill("gateway");
  expect(await violations(page)).toEqual([]);
  const download = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Save the file" }).click();
  expect(JSON.parse(await readFile(await (await download).path(), "utf8"))).toMatchObject({
    broker: { username: "gateway", password: { file: "/run/secrets/mqtt-password" } },
    sources: [{ topic: "detections/+", format: "DEEPSTREAM", frame: { width: 1920, height: 1080 } }],
  });
});

test("the form leads to a new key with the permissions that the connector needs, and stays half filled", async () => {
  const { workspaceId } = await equippedWorkspace(shared.gateway);
  const { page } = await openOwnConsole(shared, { workspaceId, address: `${address}&add=connector` });
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name of the connector").fill("Half");
  await dialog.getByRole("link", { name: "Create a key with what it needs" }).click();
  await dialog.getByRole("heading", { name: "Create an API key" }).waitFor();
  const chosen = dialog.getByRole("checkbox", { checked: true });
  expect(await chosen.evaluateAll((boxes) => boxes.map((box) => (box as HTMLInputElement).name))).toEqual([
    "cameras:write",
    "alerts:write",
  ]);
  await page.goBack();
  await expect.poll(() => dialog.getByLabel("Name of the connector").inputValue()).toBe("Half");
});
