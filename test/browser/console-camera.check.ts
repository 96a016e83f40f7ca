import { randomUUID } from "node:crypto";
import type { BrowserContextOptions, Page } from "playwright-core";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { type Permission, permissions } from "../../src/access/permissions.js";
import {
  createAlertRule,
  createAlerts,
  createCamera,
  createFacility,
  createStreamRequest,
  createUser,
  createWorkspace,
} from "../support/factories.js";
import { uploadRequest } from "../support/forms.js";
import { reportByRest } from "../writes/callbacks.js";
import { browseOwnGateway, openSignedOutPage, signIn, tokenOf, violations } from "./console-page.js";
import { noProblems } from "./monitored-page.js";

const minute = 60_000;
const start = Date.now();
const ago = (milliseconds: number) => new Date(start - milliseconds);

const own = browseOwnGateway({ seed: "none", now: () => new Date(start) });

const fresh = { imageLink: "https://pictures.example/yard.jpg", pictureAt: ago(0) };

interface Site {
  workspaceId: string;
  facilityId: string;
  authId: string;
}

/** A workspace with a facility that is online, and a user. */
async function newSite(roles: readonly Permission[] = permissions): Promise<Site> {
  const { prisma } = own.gateway;
  const workspaceId = await createWorkspace(prisma, {});
  const authId = `test|${randomUUID()}`;
  await createUser(prisma, { workspaceId, authId, roles: [...roles] });
  const facilityId = await createFacility(prisma, { workspaceId, name: "Plant", lastHeartbeatAt: ago(0) });
  return { workspaceId, facilityId, authId };
}

const newCamera = ({ workspaceId, facilityId }: Site, values: object = {}) =>
  createCamera(own.gateway.prisma, {
    workspaceId,
    facilityId,
    name: "Yard",
    url: "rtsp://camera.example/yard",
    streamType: "DIRECT",
    streamProtocol: "RTSP",
    ...values,
  });

const grey = { r: 90, g: 110, b: 130 };

/** A camera with a picture of its own, rules, alerts that say where, and a history. */
async function completeCamera(site: Site, values: object = {}): Promise<string> {
  const { prisma } = own.gateway;
  const { workspaceId, facilityId } = site;
  const image = sharp({ create: { width: 1280, height: 720, channels: 3, background: grey } });
  const upload = uploadRequest({
    query: `mutation ($facilityId: UUID!, $input: CreateClientCameraInput!) {
      createClientCamera(facilityId: $facilityId, input: $input) { id }
    }`,
    variables: { facilityId, input: { name: "Main gate" } },
    file: await image.jpeg().toBuffer(),
    variable: "input.image",
  });
  const response = await own.gateway.fetch("/graphql", { ...upload, as: { user: site.authId } });
  const { data } = (await response.json()) as { data: { createClientCamera: { id: string } } };
  const { id: cameraId } = data.createClientCamera;
  const url = "rtsp://viewer:hidden@camera.example/password=hidden";
  const stream = { url, streamType: "DIRECT", pictureAt: ago(minute) };
  await prisma.camera.updateMany({ where: { id: cameraId }, data: { ...stream, ...values } });
  for (const name of ["STATIC_DELIMITATION_AREA", "VEHICLE_IN_PEDESTRIAN_AREA"])
    await createAlertRule(prisma, { cameraId, name });
  const places = Array.from({ length: 9 }, (_, index) => ({
    workspaceId,
    facilityId,
    cameraId,
    severity: "HIGH",
    canvasDimensions: { width: 1280, height: 720 },
    violatingCoordinates: [{ x: 300 + 60 * index, y: 400 }],
  }));
  await createAlerts(prisma, places, ago(5 * minute));
  const reported = { statusDetail: "STREAM_ERROR", source: "TRACKER", createdAt: ago(60 * minute) };
  await prisma.statusChange.create({ data: { workspaceId, cameraId, ...reported } });
  return cameraId;
}

async function openAs(authId: string, address = "/?view=fleet", options: BrowserContextOptions = {}) {
  const opened = await openSignedOutPage(own.browser, own.gateway.url, address, options);
  await signIn(opened.page, await tokenOf(authId));
  return opened;
}

const tiles = (page: Page) => page.getByRole("article");
const stateOf = (page: Page) => page.getByRole("region", { name: "State" });
const timeline = (page: Page) => page.getByRole("region", { name: "Timeline" });

describe("the fleet", () => {
  test("lists cameras by state, worst first, and counts exactly those that it shows", async () => {
    const site = await newSite();
    const { prisma } = own.gateway;
    const silent = await createFacility(prisma, {
      workspaceId: site.workspaceId,
      name: "Depot",
      lastHeartbeatAt: ago(26 * 60 * minute),
    });
    await newCamera(site, { name: "Away", facilityId: silent, ...fresh });
    await newCamera(site, {
      name: "Lost",
      ...fresh,
      statusDetail: "STREAM_ERROR",
      statusDetailChangedAt: ago(181 * minute),
    });
    await newCamera(site, { name: "Dirty", ...fresh, statusDetail: "LENS_DIRTY" });
    await newCamera(site, { name: "New" });
    await newCamera(site, { name: "Stale", ...fresh, pictureAt: ago(121 * minute) });
    await newCamera(site, { name: "Live 1", ...fresh });
    await newCamera(site, { name: "Live 2", ...fresh });
    const { page } = await openAs(site.authId);
    await expect.poll(() => tiles(page).count()).toBe(7);
    const states: [string, string[]][] = [
      ["Facility offline", ["Away"]],
      ["No stream", ["Lost"]],
      ["Fault reported", ["Dirty"]],
      ["Never connected", ["New"]],
      ["Old picture", ["Stale"]],
      ["Working", ["Live 1", "Live 2"]],
    ];
    expect(await tiles(page).evaluateAll((all) => all.map((tile) => tile.ariaLabel))).toEqual(
      states.flatMap(([, names]) => names),
    );
    expect(await page.getByRole("heading", { level: 3 }).allTextContents()).toEqual(
      states.map(([state, names]) => `${state} ${names.length}`),
    );
    const filter = page.getByRole("group", { name: "State" });
    expect(await filter.getByRole("button").allTextContents()).toEqual([
      "Needs attention5",
      ...states.map(([state, names]) => `${state}${names.length}`),
    ]);
    for (const [state, names] of states) {
      await filter.getByRole("button", { name: state }).click();
      await expect
        .poll(() => tiles(page).evaluateAll((all) => all.map((tile) => tile.ariaLabel)))
        .toEqual(names);
      await filter.getByRole("button", { name: state }).click();
    }
    await page.keyboard.press("x");
    await expect.poll(() => tiles(page).count()).toBe(5);
    const tile = (name: string) => page.getByRole("article", { name });
    await tile("Away").getByText("Facility last seen yesterday").waitFor();
    await tile("Lost").getByText("Stream lost 3 hr ago").waitFor();
    await tile("Dirty").getByText("Lens dirty").waitFor();
    await tile("Stale").getByText("Last picture 2 hr ago").waitFor();
    const facility = (name: string) =>
      page.getByRole("region", { name: "Facilities" }).getByRole("listitem").filter({ hasText: name });
    await facility("Plant").getByText("Online, 4 need attention").waitFor();
    await page.getByRole("searchbox").fill("l");
    await expect.poll(() => filter.getByRole("button").first().textContent()).toBe("Needs attention2");
    await expect.poll(() => tiles(page).count()).toBe(2);
  });

  test("moves a camera to its new state as it changes, and back when its facility is online again", async () => {
    const site = await newSite();
    const id = await newCamera(site, fresh);
    await newCamera(site, { name: "Gate", ...fresh });
    const { facilityId } = site;
    await own.gateway.prisma.facility.updateMany({
      where: { id: facilityId },
      data: { lastHeartbeatAt: ago(20 * minute) },
    });
    const { page } = await openAs(site.authId);
    await page.getByRole("heading", { name: "Facility offline 2" }).waitFor();
    // The subscription may be a moment behind the tiles.
    await expect
      .poll(
        async () => {
          await own.gateway.data("mutation ($id: UUID!) { recordHeartbeat(facilityId: $id) { id } }", {
            as: { user: site.authId },
            variables: { id: facilityId },
          });
          return page.getByRole("heading", { name: "Working 2" }).isVisible();
        },
        { interval: 500, timeout: 20_000 },
      )
      .toBe(true);
    const set = (statusDetail: string) =>
      own.gateway.data(
        `mutation ($id: UUID!, $statusDetail: String!) {
          setCameraStatusDetail(id: $id, input: { source: DASHBOARD, statusDetail: $statusDetail }) { id }
        }`,
        { as: { user: site.authId }, variables: { id, statusDetail } },
      );
    await set("STREAM_ERROR");
    await page.getByRole("heading", { name: "No stream 1" }).waitFor();
    await page.getByRole("heading", { name: "Working 1" }).waitFor();
  });
});

describe("the page of a camera", () => {
  test("shows its picture with its age, its state, its alerts, its rules and what happened", async () => {
    const site = await newSite();
    const name = "Main gate";
    const id = await completeCamera(site);
    const { page, problems } = await openAs(site.authId);
    await tiles(page).getByRole("link", { name, exact: true }).click();
    expect(new URL(page.url()).search).toBe(`?camera=${id}`);
    await page.getByRole("heading", { name, level: 1 }).waitFor();
    // The number of open alerts comes before it.
    expect((await page.title()).replace(/^\(\d+\) /, "")).toBe(`${name} · Camera monitoring gateway`);
    await stateOf(page).getByText("Working").waitFor();
    await page.getByText("camera.example").waitFor();
    expect(await page.locator("body").innerText()).not.toContain("hidden");
    await page.getByText(/^Picture (this minute|\d+ min\.? ago)$/).waitFor();
    const image = page.getByRole("img", { name: `Latest picture of ${name}` });
    await expect.poll(() => image.evaluate((each) => (each as HTMLImageElement).naturalWidth)).toBe(1280);
    await page.getByRole("img", { name: `Picture of ${name} with the places of` }).waitFor();
    await timeline(page).getByText("Status “No stream”").waitFor();
    await timeline(page).getByText("The camera was added").waitFor();
    const alerts = page.getByRole("region", { name: "Newest alerts" });
    expect(await alerts.getByRole("article").count()).toBe(6);
    const rules = page.getByRole("region", { name: "Rules" });
    expect(await rules.getByRole("listitem").count()).toBeGreaterThan(1);
    await rules.getByRole("link", { name: "Rules and zones of this camera" }).click();
    await expect.poll(() => new URL(page.url()).search).toBe(`?view=rules&camera=${id}`);
    await page.getByRole("link", { name, exact: true }).first().waitFor();
    await page.goBack();
    await alerts.getByRole("link", { name: "All alerts of this camera" }).click();
    await page.getByRole("button", { name: `Camera ${name}` }).waitFor();
    await page.goBack();
    await alerts.getByRole("article").first().getByRole("link").click();
    await page.getByRole("heading", { name: "Why it was raised" }).waitFor();
    await page.getByRole("link", { name, exact: true }).first().click();
    await page.getByRole("heading", { name, level: 1 }).waitFor();
    expect(problems).toEqual(noProblems);
  });

  test.each([
    [
      "Facility offline",
      { facility: { lastHeartbeatAt: ago(40 * minute) } },
      "sends no heartbeat",
      "Old picture",
    ],
    ["Old picture", { pictureAt: ago(121 * minute) }, "no new picture has come", "Old picture, 2 hr ago"],
    ["Old picture", { pictureAt: null }, "no new picture has come", "Picture of unknown age"],
    ["Never connected", { imageLink: null, pictureAt: null }, "No picture has ever come", "No picture yet"],
    [
      "Working",
      { url: null, streamType: "CLIENT", pictureAt: ago(90 * 60 * minute) },
      "Its picture was uploaded",
      "Uploaded 3 days ago",
    ],
  ] as const)("says %s, and why and how old the picture is", async (state, values, reason, age) => {
    const site = await newSite();
    const { facility, ...camera } = { facility: undefined, ...values } as { facility?: object };
    if (facility)
      await own.gateway.prisma.facility.updateMany({ where: { id: site.facilityId }, data: facility });
    const { page } = await openAs(site.authId, `/?camera=${await newCamera(site, { ...fresh, ...camera })}`);
    await stateOf(page).getByText(state, { exact: true }).waitFor();
    await stateOf(page).getByText(reason).waitFor();
    await page.getByRole("main").getByText(age).first().waitFor();
  });

  test("tries the stream again, and shows what came of it", async () => {
    const site = await newSite();
    const { workspaceId } = site;
    const cameraId = await newCamera(site, {
      ...fresh,
      statusDetail: "STREAM_ERROR",
      statusDetailChangedAt: ago(181 * minute),
    });
    const { prisma } = own.gateway;
    await createStreamRequest(prisma, {
      workspaceId,
      cameraId,
      createdAt: ago(182 * minute),
      lastCallbackAt: ago(181 * minute),
      errorOperation: "open stream",
      errorMessage: "Connection refused",
    });
    const { page } = await openAs(site.authId, `/?camera=${cameraId}`);
    await stateOf(page).getByText("No stream", { exact: true }).waitFor();
    await stateOf(page).getByText("3 hr ago").waitFor();
    await stateOf(page).getByText("The last error: Connection refused").waitFor();
    await timeline(page).getByText("open stream: Connection refused").waitFor();
    await page.getByRole("button", { name: "Try the stream again" }).click();
    await page.getByRole("status").getByText("The stream is being requested").waitFor();
    await timeline(page).getByText("Waiting for what comes of it").waitFor();
    const { requestId } = await prisma.streamRequest.findFirstOrThrow({
      where: { workspaceId, cameraId, supersededAt: null },
    });
    await reportByRest(own.gateway, "thumbnail", requestId);
    await stateOf(page).getByText("Working").waitFor();
    await timeline(page).getByText("The stream was opened").waitFor();
  });

  test("offers changes to those alone who may make them", async () => {
    const site = await newSite(["cameras:read", "alerts:read"]);
    const id = await newCamera(site, { ...fresh, statusDetail: "STREAM_ERROR" });
    const { page } = await openAs(site.authId, `/?camera=${id}`);
    await stateOf(page).getByText("No stream", { exact: true }).waitFor();
    for (const name of ["Try the stream again", "Edit"])
      expect(await page.getByRole("button", { name }).count()).toBe(0);
  });

  test("follows reports and alerts as they happen", async () => {
    const site = await newSite();
    const cameraId = await newCamera(site, fresh);
    const as = { user: site.authId };
    const { page } = await openAs(site.authId, `/?camera=${cameraId}`);
    await stateOf(page).getByText("Working").waitFor();
    // The subscription may be a moment behind the page.
    await expect
      .poll(
        async () => {
          await own.gateway.data(
            "mutation ($input: [RecordAlertInput!]!) { recordAlerts(input: $input) { recorded } }",
            {
              as,
              variables: {
                input: [{ id: randomUUID(), cameraId, name: "NEW_KIND", createdAt: new Date(start) }],
              },
            },
          );
          return page.getByRole("article").getByText("New kind").first().isVisible();
        },
        { interval: 500, timeout: 20_000 },
      )
      .toBe(true);
    await own.gateway.data(
      `mutation ($id: UUID!) {
        setCameraStatusDetail(id: $id, input: { source: ON_PREMISE_FACILITY, statusDetail: "LENS_COVERED" }) { id }
      }`,
      { as, variables: { id: cameraId } },
    );
    await stateOf(page).getByText("Lens covered").waitFor();
    await timeline(page).getByText("Status “Lens covered” by a device at the facility").waitFor();
  });

  test("says that there is no such camera, also of one that is hidden", async () => {
    const id = await newCamera(await newSite());
    const site = await newSite();
    await newCamera(site, fresh);
    for (const hidden of [id, randomUUID()]) {
      const { page } = await openAs(site.authId, `/?camera=${hidden}`);
      await page.getByRole("heading", { name: "This camera is not there" }).waitFor();
      expect(await violations(page)).toEqual([]);
      await page.getByRole("link", { name: "To the fleet" }).click();
      await tiles(page).first().waitFor();
    }
  });

  test("is reached, read and changed by keyboard alone", async () => {
    const site = await newSite();
    const { workspaceId, facilityId } = site;
    const cameraId = await newCamera(site, fresh);
    const alertRuleId = await createAlertRule(own.gateway.prisma, { cameraId });
    await createAlerts(own.gateway.prisma, [{ workspaceId, facilityId, cameraId, alertRuleId }]);
    const { page } = await openAs(site.authId);
    await tiles(page).first().waitFor();
    const tabTo = async (name: string) => {
      for (let step = 0; step < 60; step += 1) {
        await page.keyboard.press("Tab");
        const focused = await page.evaluate(() => document.activeElement?.textContent);
        if (focused === name) return;
      }
      throw new Error(`${name} cannot be reached`);
    };
    await tabTo("Yard");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Yard", level: 1 }).waitFor();
    await tabTo("Edit");
    await page.keyboard.press("Enter");
    const form = page.getByRole("dialog", { name: "Change “Yard”" });
    await form.getByLabel("Name").fill("Yard north");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Yard north", level: 1 }).waitFor();
    await tabTo("Try the stream again");
    await page.keyboard.press("Enter");
    await timeline(page).getByText("The stream was requested").waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("f");
    await tiles(page).first().waitFor();
    expect(new URL(page.url()).search).toBe("?view=fleet");
  });

  test("is loaded when it is opened, and not with the fleet", async () => {
    const site = await newSite();
    await newCamera(site, fresh);
    const { page } = await openAs(site.authId);
    await tiles(page).first().waitFor();
    const loaded = () =>
      page.evaluate(() =>
        performance
          .getEntriesByType("resource")
          .map(({ name }) => name)
          .join(),
      );
    expect(await loaded()).not.toContain("/camera-page");
    await page.getByRole("link", { name: "Yard", exact: true }).click();
    await page.getByRole("region", { name: "State" }).waitFor();
    expect(await loaded()).toContain("/camera-page");
  });

  test("is in German for readers of German", async () => {
    const site = await newSite();
    const id = await newCamera(site, { ...fresh, statusDetail: "STREAM_ERROR" });
    const { page } = await openAs(site.authId, `/?camera=${id}`);
    await page.getByRole("button", { name: "Account" }).click();
    await page.getByLabel("Language").selectOption("Deutsch");
    await page.keyboard.press("Escape");
    const state = page.getByRole("region", { name: "Zustand" });
    await state.getByText("Kein Stream").waitFor();
    await state.getByText("Der Stream ließ sich nicht öffnen.").waitFor();
    await page.getByRole("button", { name: "Stream erneut versuchen" }).waitFor();
  });

  describe.each(["light", "dark"] as const)("in a %s scheme", (colorScheme) => {
    test.each([1440, 360])(
      "has no violation of accessibility rules and fits into a window of %i px",
      async (width) => {
        const site = await newSite();
        const working = await completeCamera(site);
        const lost = await completeCamera(site, { statusDetail: "STREAM_ERROR" });
        const viewport = { width, height: 900 };
        const { page } = await openAs(site.authId, "/?view=fleet", { colorScheme, viewport });
        await page.getByRole("heading", { name: "No stream 1" }).waitFor();
        expect(await violations(page)).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
        for (const id of [working, lost]) {
          await page.goto(`${own.gateway.url}/?camera=${id}`);
          await timeline(page).getByText("The camera was added").waitFor();
          await page.locator(".heatmap-picture, .heatmap-basis").first().waitFor();
          expect(await violations(page)).toEqual([]);
          expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
        }
        await page.getByRole("button", { name: "Edit" }).click();
        await page.getByRole("dialog").waitFor();
        expect(await violations(page)).toEqual([]);
      },
      60_000,
    );
  });
});
