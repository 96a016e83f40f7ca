import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import sharp from "sharp";
import { createFacility, createStreamRequest } from "../support/factories.js";
import { uploadRequest } from "../support/forms.js";
import { listOf } from "../support/list-of.js";
import { reportByRest } from "../writes/callbacks.js";
import {
  appearances,
  browseOwnGateway,
  buttonOf,
  clickButton,
  clickLink,
  expectAccessible,
  expectCount,
  expectNone,
  expectSearch,
  expectSoon,
  expectToFit,
  fillIn,
  goWithin,
  linkOf,
  pictureWidth,
  pressKeys,
  repeatUntilShown,
  waitForHeading,
  waitForStatus,
  waitForText,
} from "./console-page.js";
import { noProblems } from "./monitored-page.js";
import { newSite, recordAlerts, reportStatus, type SiteOptions } from "./own-console.js";

const minute = 60_000;
const start = Date.now();
const ago = (milliseconds: number) => new Date(start - milliseconds);

const own = browseOwnGateway({ now: () => new Date(start) });

const fresh = { imageLink: "https://pictures.example/yard.jpg", pictureAt: ago(0) };

/** A facility that is online, with a camera, and a user. */
const siteWith = (camera: object = {}, { facility, ...options }: SiteOptions = {}) =>
  newSite(own, {
    facility: { lastHeartbeatAt: ago(0), ...facility },
    camera: { name: "Yard", streamProtocol: "RTSP", ...camera },
    ...options,
  });

const grey = { r: 90, g: 110, b: 130 };

/** A camera with a picture of its own, rules, alerts that say where, and a history. */
async function completeCamera(
  { workspaceId, facilityId, as, addRule, raise }: Awaited<ReturnType<typeof newSite>>,
  values: object = {},
): Promise<string> {
  const { prisma } = own;
  const image = sharp({ create: { width: 1280, height: 720, channels: 3, background: grey } });
  const upload = uploadRequest({
    query: `mutation ($facilityId: UUID!, $input: CreateClientCameraInput!) {
      createClientCamera(facilityId: $facilityId, input: $input) { id }
    }`,
    variables: { facilityId, input: { name: "Main gate" } },
    file: await image.jpeg().toBuffer(),
    variable: "input.image",
  });
  const response = await own.gateway.fetch("/graphql", { ...upload, as });
  const { data } = (await response.json()) as { data: { createClientCamera: { id: string } } };
  const { id: cameraId } = data.createClientCamera;
  const url = "rtsp://viewer:hidden@camera.example/password=hidden";
  const stream = { url, streamType: "DIRECT", pictureAt: ago(minute) };
  await prisma.camera.updateMany({ where: { id: cameraId }, data: { ...stream, ...values } });
  for (const name of ["STATIC_DELIMITATION_AREA", "VEHICLE_IN_PEDESTRIAN_AREA"])
    await addRule({ cameraId, name });
  await raise(
    ...listOf(9, (index) => ({
      ...{ cameraId, severity: "HIGH", createdAt: ago((5 + index) * minute) },
      canvasDimensions: { width: 1280, height: 720 },
      violatingCoordinates: [{ x: 300 + 60 * index, y: 400 }],
    })),
  );
  const reported = { statusDetail: "STREAM_ERROR", source: "TRACKER", createdAt: ago(60 * minute) };
  await prisma.statusChange.create({ data: { workspaceId, cameraId, ...reported } });
  return cameraId;
}

const tiles = (page: Page) => page.getByRole("article");
const stateOf = (page: Page) => page.getByRole("region", { name: "State" });
const timeline = (page: Page) => page.getByRole("region", { name: "Timeline" });

test("the fleet lists cameras by state, worst first, and counts exactly those that it shows", async () => {
  const { workspaceId, addCamera, open } = await siteWith({
    ...{ name: "Lost", ...fresh, statusDetail: "STREAM_ERROR" },
    statusDetailChangedAt: ago(181 * minute),
  });
  const silent = await createFacility(own.prisma, {
    ...{ workspaceId, name: "Depot" },
    lastHeartbeatAt: ago(26 * 60 * minute),
  });
  for (const camera of [
    { name: "Away", facilityId: silent, ...fresh },
    { name: "Dirty", ...fresh, statusDetail: "LENS_DIRTY" },
    { name: "New" },
    { name: "Stale", ...fresh, pictureAt: ago(121 * minute) },
    { name: "Live 1", ...fresh },
    { name: "Live 2", ...fresh },
  ])
    await addCamera(camera);
  const { page } = await open("/?view=fleet");
  await expectCount(tiles(page), 7);
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
  await clickButton(filter, "No stream");
  await expectCount(tiles(page), 1);
  await clickButton(filter, "No stream");
  await pressKeys(page, "x");
  await expectCount(tiles(page), 5);
  const tile = (name: string) => page.getByRole("article", { name });
  await waitForText(tile("Away"), "Facility last seen yesterday");
  await waitForText(tile("Lost"), "Stream lost 3 hr ago");
  await waitForText(tile("Dirty"), "Lens dirty");
  await waitForText(tile("Stale"), "Last picture 2 hr ago");
  const facility = (name: string) =>
    page.getByRole("region", { name: "Facilities" }).getByRole("listitem").filter({ hasText: name });
  await waitForText(facility("Plant"), "Online, 4 need attention");
  await page.getByRole("searchbox").fill("l");
  await expectSoon(() => filter.getByRole("button").first().textContent(), "Needs attention2");
  await expectCount(tiles(page), 2);
});

describe("the page of a camera", () => {
  test("shows its picture with its age, its state, its alerts, its rules and what happened", async () => {
    const site = await siteWith();
    const name = "Main gate";
    const id = await completeCamera(site);
    const { page, problems } = await site.open("/?view=fleet");
    // The link covers the picture completely.
    await tiles(page)
      .filter({ hasText: name })
      .click({ position: { x: 100, y: 60 } });
    await expectSearch(page, `?camera=${id}`);
    await waitForHeading(page, name, 1);
    // The number of open alerts comes before it.
    expect((await page.title()).replace(/^\(\d+\) /, "")).toBe(`${name} · Camera monitoring gateway`);
    await waitForText(stateOf(page), "Working");
    await waitForText(page, "camera.example");
    expect(await page.locator("body").innerText()).not.toContain("hidden");
    await waitForText(page, /^Picture (this minute|\d+ min\.? ago)$/);
    const image = page.getByRole("img", { name: `Latest picture of ${name}` });
    await expectSoon(() => pictureWidth(image), 1280);
    await page.getByRole("img", { name: `Picture of ${name} with the places of` }).waitFor();
    await waitForText(timeline(page), "Status “No stream”");
    await waitForText(timeline(page), "The camera was added");
    const alerts = page.getByRole("region", { name: "Newest alerts" });
    expect(await alerts.getByRole("article").count()).toBe(6);
    const rules = page.getByRole("region", { name: "Rules" });
    expect(await rules.getByRole("listitem").count()).toBeGreaterThan(1);
    await clickLink(rules, "Rules and zones of this camera");
    await expectSearch(page, `?view=rules&camera=${id}`);
    await linkOf(page, name, { exact: true }).first().waitFor();
    await page.goBack();
    await clickLink(alerts, "All alerts of this camera");
    await buttonOf(page, `Camera ${name}`).waitFor();
    await page.goBack();
    await alerts.getByRole("article").first().getByRole("link").click();
    await waitForHeading(page, "Why it was raised");
    await linkOf(page, name, { exact: true }).first().click();
    await waitForHeading(page, name, 1);
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
    const { facility, ...camera } = { facility: {}, ...values };
    const { cameraId, open } = await siteWith({ ...fresh, ...camera }, { facility });
    const { page } = await open(`/?camera=${cameraId}`);
    await waitForText(stateOf(page), state, { exact: true });
    await waitForText(stateOf(page), reason);
    await page.getByRole("main").getByText(age).first().waitFor();
  });

  test("tries the stream again, and shows what came of it", async () => {
    const { workspaceId, cameraId, open } = await siteWith({
      ...fresh,
      statusDetail: "STREAM_ERROR",
      statusDetailChangedAt: ago(181 * minute),
    });
    const { prisma } = own;
    await createStreamRequest(prisma, {
      workspaceId,
      cameraId,
      createdAt: ago(182 * minute),
      lastCallbackAt: ago(181 * minute),
      errorOperation: "open stream",
      errorMessage: "Connection refused",
    });
    const { page } = await open(`/?camera=${cameraId}`);
    await waitForText(stateOf(page), "No stream", { exact: true });
    await waitForText(stateOf(page), "3 hr ago");
    await waitForText(stateOf(page), "The last error: Connection refused");
    await waitForText(timeline(page), "open stream: Connection refused");
    await clickButton(page, "Try the stream again");
    await waitForStatus(page, "The stream is being requested");
    await waitForText(timeline(page), "Waiting for what comes of it");
    const { requestId } = await prisma.streamRequest.findFirstOrThrow({
      where: { workspaceId, cameraId, supersededAt: null },
    });
    await reportByRest(own.gateway, "thumbnail", requestId);
    await waitForText(stateOf(page), "Working");
    await waitForText(timeline(page), "The stream was opened");
  });

  test("offers changes to those alone who may make them", async () => {
    const { cameraId, open } = await siteWith(
      { ...fresh, statusDetail: "STREAM_ERROR" },
      { user: { roles: ["cameras:read", "alerts:read"] } },
    );
    const { page } = await open(`/?camera=${cameraId}`);
    await waitForText(stateOf(page), "No stream", { exact: true });
    for (const name of ["Try the stream again", "Edit"]) await expectNone(buttonOf(page, name));
  });

  test("follows reports and alerts as they happen", async () => {
    const { as, cameraId, open } = await siteWith(fresh);
    const { page } = await open(`/?camera=${cameraId}`);
    await waitForText(stateOf(page), "Working");
    await repeatUntilShown(page.getByRole("article").getByText("New kind").first(), () =>
      recordAlerts(own.gateway, as, [{ cameraId, name: "NEW_KIND", createdAt: new Date(start) }]),
    );
    await reportStatus(own.gateway, as, cameraId, "LENS_COVERED", "ON_PREMISE_FACILITY");
    await waitForText(stateOf(page), "Lens covered");
    await waitForText(timeline(page), "Status “Lens covered” by a device at the facility");
  });

  test("says that there is no such camera, also of one that is hidden", async () => {
    const { cameraId: elsewhere } = await siteWith();
    const { open } = await siteWith(fresh);
    for (const hidden of [elsewhere, randomUUID()]) {
      const { page } = await open(`/?camera=${hidden}`);
      await waitForHeading(page, "This camera is not there");
      await expectAccessible(page);
      await clickLink(page, "To the cameras");
      await tiles(page).first().waitFor();
    }
  });

  test("is reached, read and changed by keyboard alone", async () => {
    const { addRule, raise, open } = await siteWith(fresh);
    await raise({ alertRuleId: await addRule() });
    const { page } = await open("/?view=fleet");
    await tiles(page).first().waitFor();
    const tabTo = async (name: string) => {
      for (let step = 0; step < 60; step += 1) {
        await pressKeys(page, "Tab");
        const focused = await page.evaluate(() => document.activeElement?.textContent);
        if (focused === name) return;
      }
      throw new Error(`${name} cannot be reached`);
    };
    await tabTo("Yard");
    await pressKeys(page, "Enter");
    await waitForHeading(page, "Yard", 1);
    await tabTo("Edit");
    await pressKeys(page, "Enter");
    const form = page.getByRole("dialog", { name: "Change “Yard”" });
    await fillIn(form, "Name", "Yard north");
    await pressKeys(page, "Enter");
    await waitForHeading(page, "Yard north", 1);
    await tabTo("Try the stream again");
    await pressKeys(page, "Enter");
    await waitForText(timeline(page), "The stream was requested");
    await pressKeys(page, "g", "f");
    await tiles(page).first().waitFor();
    await expectSearch(page, "?view=fleet");
  });

  test.each(appearances)(
    "breaks no rule of accessibility and fits, $colorScheme and $viewport.width px wide",
    async (appearance) => {
      const site = await siteWith();
      const working = await completeCamera(site);
      const lost = await completeCamera(site, { statusDetail: "STREAM_ERROR" });
      const { page } = await site.open("/?view=fleet", appearance);
      await waitForHeading(page, "No stream 1");
      await expectAccessible(page);
      await expectToFit(page);
      for (const [id, state] of [
        [working, "Working"],
        [lost, "No stream"],
      ] as const) {
        await goWithin(page, `/?camera=${id}`);
        await waitForText(stateOf(page), state, { exact: true });
        await waitForText(timeline(page), "The camera was added");
        await page.locator(".heatmap-picture, .heatmap-basis").first().waitFor();
        await expectAccessible(page);
        await expectToFit(page);
      }
      await clickButton(page, "Edit");
      await page.getByRole("dialog").waitFor();
      await expectAccessible(page);
    },
  );
});

it("says whom to call in the form, on the camera's page and beside its alerts", async () => {
  const { prisma, gateway } = own;
  const desk = { name: "Security desk", role: null, phoneNumber: "+49 30 1", email: null, note: null };
  const { cameraId, open, raise } = await siteWith({}, { facility: { contacts: [desk] } });
  const [alertId] = await raise({});
  const { page, problems } = await open(`/?view=camera&camera=${cameraId}`);
  await page.getByText(desk.name).waitFor();
  await clickButton(page, "Edit");
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Whom to call").click();
  const first = dialog.getByRole("group", { name: "Contact 1" });
  await fillIn(first, "Person or service", "Ada");
  await fillIn(first, "Phone", "0532 12");
  await clickButton(dialog, "Add a contact");
  await expectAccessible(page);
  await clickButton(dialog, "Save");
  await linkOf(page, "0532 12").waitFor();
  expect(await prisma.camera.findFirst({ where: { id: cameraId } })).toMatchObject({
    contacts: [{ ...desk, name: "Ada", phoneNumber: "0532 12" }],
  });
  await page.goto(`${gateway.url}/?alert=${alertId}`);
  await page.getByText(desk.name).waitFor();
  await linkOf(page, "0532 12").waitFor();
  expect(problems).toEqual(noProblems);
});
