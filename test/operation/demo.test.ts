// Runs once: both kinds of databases run the same statements.
// Takes long: it reads the whole demo.
import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import sharp from "sharp";
import { inject } from "vitest";
import { permissions } from "../../src/engine/access/permissions.js";
import { readRulePictures } from "../../src/programs/demo/camera-pictures.js";
import { otherFacilities } from "../../src/programs/demo/fleet-definition.js";
import { FleetPlan, planWorkspace } from "../../src/programs/demo/fleet-plan.js";
import { type Sender, sharedGateway } from "../support/harness.js";
import { firstStartOutput } from "../support/resources.js";

const day = 24 * 3_600_000;
const readPermissions = ["facilities:read", "alerts:read", "cameras:read"];
const keyPermissions = ["facilities:read", "cameras:read", "cameras:write", "alerts:read", "alerts:write"];
const gateway = await sharedGateway({ seed: "demo" });

interface Fleet {
  workspace: {
    name: string;
    facilities: { name: string; timeZoneId: string; cameraCount: number }[];
    cameras: { alertRules: object[]; analysisJobs: object[]; calibration: object | null }[];
    alerts: { totalCount: number; nodes: { createdAt: string }[] };
  };
}
const fleetQuery = `{ workspace {
  name facilities { name timeZoneId cameraCount }
  cameras { alertRules { id } analysisJobs { id } calibration { id } }
  alerts(first: 1) { totalCount nodes { createdAt } }
} }`;
const admin = { user: "demo|admin" };
const always = { start: "2000-01-01T00:00:00Z", end: new Date().toISOString() };
const read = <Data>(query: string, variables: object = {}, as: Sender = admin) =>
  gateway.data<Data>(query, { as, variables });
const fleetOf = async (user: string) => (await read<Fleet>(fleetQuery, {}, { user })).workspace;

describe("the Demo workspace", () => {
  it("has four facilities in four time zones with 24 cameras, 60 rules and 20,000 alerts", async () => {
    const { name, facilities, cameras, alerts } = await fleetOf("demo|admin");
    expect(name).toBe("Demo");
    const zones = ["America/Sao_Paulo", "Asia/Kathmandu", "Europe/Amsterdam", "Europe/Istanbul"];
    expect(facilities.map(({ timeZoneId }) => timeZoneId).sort()).toEqual(zones);
    expect(facilities.map(({ cameraCount }) => cameraCount)).toEqual([6, 6, 6, 6]);
    expect(cameras).toHaveLength(24);
    expect(cameras.flatMap(({ alertRules }) => alertRules)).toHaveLength(60);
    expect(alerts.totalCount).toBe(20_000);
  });

  it("has alerts of the last 90 days only, the newest from today", async () => {
    const query =
      "query ($offset: Int) { workspace { alerts(first: 1, offset: $offset) { nodes { createdAt } } } }";
    const timeAt = async (offset: number) =>
      Date.parse((await read<Fleet>(query, { offset })).workspace.alerts.nodes[0]?.createdAt as string);
    const [newest, oldest] = [await timeAt(0), await timeAt(19_999)];
    expect(newest).toBeLessThanOrEqual(Date.now());
    expect(newest).toBeGreaterThan(Date.now() - day);
    expect(newest - oldest).toBeLessThanOrEqual(90 * day);
    expect(newest - oldest).toBeGreaterThan(80 * day);
  });

  it("has alerts that somebody acknowledged and commented on, and others", async () => {
    const query = `query ($filter: AlertFilter!) { alerts(filter: $filter, first: 500) {
      totalCount nodes { acknowledgedBy { authId } comments { nodes { authorName } } } } }`;
    type Acknowledged = { alerts: { totalCount: number; nodes: { acknowledgedBy: { authId: string } }[] } };
    const { alerts } = await read<Acknowledged>(query, { filter: { ...always, acknowledged: true } });
    expect(alerts.totalCount).toBeGreaterThan(1000);
    expect(alerts.totalCount).toBeLessThan(20_000);
    expect(new Set(alerts.nodes.map(({ acknowledgedBy }) => acknowledgedBy.authId))).toEqual(
      new Set(["demo|admin", "demo|officer"]),
    );
    expect(JSON.stringify(alerts.nodes)).toContain('{"authorName":"Lena Lang"}');
  });

  it("has clips of new alerts that can be played", async () => {
    const query = `query ($filter: AlertFilter!) { alerts(filter: $filter) { nodes {
      createdAt camera { name } clip { state url contentType size duration startsAt } } } }`;
    type Filmed = {
      createdAt: string;
      camera: { name: string };
      clip: { state: string; url: string; contentType: string; size: number; startsAt: string };
    };
    const { alerts } = await read<{ alerts: { nodes: Filmed[] } }>(query, {
      filter: { ...always, hasClip: true },
    });
    const names = alerts.nodes.map(({ camera }) => camera.name).sort();
    expect(names).toEqual(["Aisle A cross-walk", "Dock 1–4 north", "Main gate"]);
    for (const { createdAt, clip } of alerts.nodes) {
      expect(Date.parse(createdAt)).toBeGreaterThan(Date.now() - 3 * day);
      const { pathname, search } = new URL(clip.url);
      const response = await gateway.fetch(pathname + search);
      expect((await response.arrayBuffer()).byteLength).toBe(clip.size);
      expect(clip).toMatchObject({
        state: "READY",
        contentType: response.headers.get("content-type"),
        duration: 8,
      });
    }
  });

  it("has a camera that lost its stream in the night, with the reason, and raises nothing since", async () => {
    const query = `{ searchCameras(filter: { statusDetails: ["STREAM_ERROR"] }) { nodes {
      name statusDetailChangedAt streamRequests(first: 1) { nodes { errorCode createdAt } } alerts(first: 1) { nodes { createdAt } } } } }`;
    type Lost = { statusDetailChangedAt: string; alerts: { nodes: [{ createdAt: string }] } };
    const { nodes } = (await read<{ searchCameras: { nodes: [Lost] } }>(query)).searchCameras;
    const lostAt = nodes[0].statusDetailChangedAt;
    const streamRequests = { nodes: [{ errorCode: "REFUSED", createdAt: lostAt }] };
    expect(nodes).toMatchObject([{ name: "Quay dock 2", streamRequests }]);
    expect(Date.parse(nodes[0].alerts.nodes[0].createdAt)).toBeLessThan(Date.parse(lostAt));
    const clock = new Intl.DateTimeFormat("en-GB", { timeZone: "Europe/Amsterdam", timeStyle: "short" });
    expect(clock.format(new Date(lostAt))).toBe("02:40");
  });

  it("has an offline facility that has raised nothing since", async () => {
    type Seen = { lastHeartbeatAt: string; alerts: { nodes: [{ createdAt: string }] } };
    const { facilities } = await read<{ facilities: Seen[] }>(
      "{ facilities { lastHeartbeatAt alerts(first: 1) { nodes { createdAt } } } }",
    );
    const heartbeats = facilities.map(({ lastHeartbeatAt }) => Date.parse(lastHeartbeatAt)).sort();
    expect(heartbeats.filter((time) => time < Math.max(...heartbeats) - day)).toHaveLength(1);
    const offline = facilities.find(({ lastHeartbeatAt }) => Date.parse(lastHeartbeatAt) === heartbeats[0]);
    expect(Date.parse(offline?.alerts.nodes[0].createdAt as string)).toBeLessThan(heartbeats[0] as number);
  });

  it("has one bad crossing, most alerts when shifts change, and few at night", async () => {
    const query = `query ($filter: AlertFilter!) {
      byCamera: alertStatistics(filter: $filter, groupBy: [CAMERA]) { count camera { name } }
      byHour: alertStatistics(filter: $filter, groupBy: [HOUR_OF_DAY]) { count hourOfDay } }`;
    const { byCamera, byHour } = await read<{
      byCamera: [{ count: number }, { count: number }];
      byHour: { count: number; hourOfDay: number }[];
    }>(query, { filter: always });
    expect(byCamera[0]).toMatchObject({ camera: { name: "Aisle A cross-walk" } });
    expect(byCamera[0].count).toBeGreaterThan(4 * byCamera[1].count);
    byHour.sort((one, other) => other.count - one.count);
    expect(new Set(byHour.slice(0, 2).map(({ hourOfDay }) => hourOfDay))).toEqual(new Set([7, 17]));
    const at = (hour: number) => byHour.find(({ hourOfDay }) => hourOfDay === hour)?.count ?? 0;
    expect(at(2) * 5).toBeLessThan(at(7));
  });

  it("has deliveries that arrived, and one that was given up", async () => {
    const query = `{ workspace {
      sent: deliveries(filter: { states: [SENT] }, first: 1) { totalCount }
      pending: deliveries(filter: { states: [PENDING] }, first: 1) { totalCount }
      parked: deliveries(filter: { states: [PARKED] }, first: 2) { nodes { target lastError alertRule { name } } } } }`;
    const parked = {
      target: "https://safety-desk.demo.example/alerts",
      lastError: "The webhook responded with status 503",
      alertRule: { name: "VEHICLE_IN_PEDESTRIAN_AREA" },
    };
    const { workspace } = await read<{ workspace: { sent: { totalCount: number } } }>(query);
    expect(workspace).toMatchObject({ pending: { totalCount: 0 }, parked: { nodes: [parked] } });
    expect(workspace.sent.totalCount).toBeGreaterThan(100);
  });
});

describe("the pictures of the Demo workspace", () => {
  interface Shown {
    url: string;
    annotatedUrl: string;
    area: { x: number; y: number }[];
  }

  it("are clean, with the violated area where the annotated picture outlines it", async () => {
    const query = "{ workspace { alerts(first: 1) { nodes { url annotatedUrl area { x y } } } } }";
    const { workspace } = await read<{ workspace: { alerts: { nodes: [Shown] } } }>(query);
    const { url, annotatedUrl, area } = workspace.alerts.nodes[0];
    const middles = area.map(({ x, y }, index) => ({
      x: (x + (area.at(index - 1)?.x ?? 0)) / 2,
      y: (y + (area.at(index - 1)?.y ?? 0)) / 2,
    }));
    const redOutlines = async (link: string) => {
      const picture = await (
        await gateway.fetch(new URL(link).pathname + new URL(link).search)
      ).arrayBuffer();
      const { data, info } = await sharp(picture).raw().toBuffer({ resolveWithObject: true });
      expect([info.width, info.height]).toEqual([1280, 720]);
      return middles.filter(({ x, y }) => {
        const [r = 0, g = 0] = data.subarray((Math.round(y) * info.width + Math.round(x)) * info.channels);
        return r > g + 90;
      }).length;
    };
    expect(await redOutlines(annotatedUrl)).toBe(area.length);
    expect(await redOutlines(url)).toBeLessThan(area.length);
  });
});

it("the Other workspace has one facility, two cameras and 50 alerts", async () => {
  const { name, facilities, cameras, alerts } = await fleetOf("other|admin");
  expect([name, facilities.length, cameras.length, alerts.totalCount]).toEqual(["Other", 1, 2, 50]);
});

describe("the demo users", () => {
  it.each([
    ["demo|admin", [...permissions]],
    ["demo|viewer", readPermissions],
    ["demo|officer", ["alerts:write", ...readPermissions].sort()],
    ["demo|site", []],
    ["demo|nobody", []],
    ["other|admin", [...permissions]],
  ])("have their roles: %s", async (user, roles) => {
    const { me } = await read<{ me: { authId: string; roles: string[] } }>(
      "{ me { authId roles } }",
      {},
      { user },
    );
    expect({ ...me, roles: [...me.roles].sort() }).toEqual({ authId: user, roles: [...roles].sort() });
  });

  const seen =
    "{ facilities { timeZoneId } cameras { name } workspace { alerts(first: 1) { totalCount nodes { facility { timeZoneId } } } } }";

  it("demo|site sees the Istanbul facility and nothing else", async () => {
    const { facilities, cameras, workspace } = await read<Fleet & Fleet["workspace"]>(
      seen,
      {},
      { user: "demo|site" },
    );
    const there = { timeZoneId: "Europe/Istanbul" };
    expect([facilities, cameras.length, workspace.alerts.nodes]).toEqual([[there], 6, [{ facility: there }]]);
    expect(workspace.alerts.totalCount).toBeLessThan(20_000);
  });

  it("demo|nobody sees nothing", async () => {
    expect(await read(seen, {}, { user: "demo|nobody" })).toEqual({
      facilities: [],
      cameras: [],
      workspace: { alerts: { totalCount: 0, nodes: [] } },
    });
  });
});

it("the demo API key has five permissions at all facilities", async () => {
  const query = "{ workspace { apiKeys { permissions facilityIds expiresAt revokedAt } } }";
  type Keys = { workspace: { apiKeys: { permissions: string[] }[] } };
  const { apiKeys } = (await read<Keys>(query)).workspace;
  const shown = apiKeys.map((each) => ({ ...each, permissions: [...each.permissions].sort() }));
  expect(shown).toEqual([
    { permissions: [...keyPermissions].sort(), facilityIds: null, expiresAt: null, revokedAt: null },
  ]);
});

describe("the demo's links", () => {
  interface Size {
    width: number;
    height: number;
  }
  interface CameraWithImages {
    imageLink: string;
    imageDimensions: Size;
    calibration: Size & { calibratedImage: string; croppedImage: string; gridImage: string };
    alerts: { nodes: { url: string; thumbnailUrl: string; imageDimensions: Size }[] };
  }
  let cameras: CameraWithImages[];
  beforeAll(async () => {
    const query = `{ cameras {
      imageLink imageDimensions { width height } calibration { width height calibratedImage croppedImage gridImage }
      alerts(first: 1) { nodes { url thumbnailUrl imageDimensions { width height } } }
    } }`;
    ({ cameras } = await read<{ cameras: CameraWithImages[] }>(query));
  });

  async function sizeOf(link: string): Promise<Size> {
    const response = await fetch(link);
    expect({ status: response.status, type: response.headers.get("content-type") }).toEqual({
      status: 200,
      type: "image/webp",
    });
    // Decodes every pixel.
    const { info } = await sharp(await response.arrayBuffer(), { failOn: "warning" })
      .raw()
      .toBuffer({ resolveWithObject: true });
    return { width: info.width, height: info.height };
  }

  it("open alert images in the stated size, and their thumbnails in the same aspect ratio", async () => {
    const alerts = cameras.flatMap((camera) => camera.alerts.nodes);
    expect(alerts).toHaveLength(24);
    for (const { url, thumbnailUrl, imageDimensions } of alerts) {
      expect(await sizeOf(url)).toEqual(imageDimensions);
      const small = await sizeOf(thumbnailUrl);
      expect(small.width).toBeLessThan(imageDimensions.width);
      expect(small.width / small.height).toBeCloseTo(imageDimensions.width / imageDimensions.height, 1);
    }
  });

  it("open every camera's image and calibrated image in the stated size, and the grid and cropped images", async () => {
    expect(cameras).toHaveLength(24);
    for (const { imageLink, imageDimensions, calibration } of cameras) {
      const { width, height, calibratedImage, croppedImage, gridImage } = calibration;
      expect(await sizeOf(imageLink)).toEqual(imageDimensions);
      expect(await sizeOf(calibratedImage)).toEqual({ width, height });
      for (const link of [croppedImage, gridImage])
        expect((await sizeOf(link)).width).toBeLessThanOrEqual(width);
    }
  });
});

describe("seeding", () => {
  const announcement = /API key of the demo workspace[^\n]*: (cmk_[0-9a-f]{32}_[0-9a-f]{64})/g;
  const totals = async (address: string, demoKey: string) => {
    const headers = { "content-type": "application/json", authorization: `Basic ${demoKey}` };
    const body = JSON.stringify({
      query: "{ workspace { cameras { id } alerts(first: 1) { totalCount } } }",
    });
    const { data } = (await (
      await fetch(`${address}/graphql`, { method: "POST", headers, body })
    ).json()) as { data: Fleet };
    return { cameras: data.workspace.cameras.length, alerts: data.workspace.alerts.totalCount };
  };

  it("runs on the first start with an empty database, and prints and stores the key", async () => {
    const { directory } = inject("resources");
    const output = await readFile(firstStartOutput(directory), "utf8");
    const printed = [...output.matchAll(announcement)].map(([, shown]) => shown);
    expect(printed).toHaveLength(1);
    const file = path.join(directory, "demo", "demo-api-key");
    expect((await readFile(file, "utf8")).trim()).toBe(printed[0]);
    expect(((await stat(file)).mode & 0o777).toString(8)).toBe("600");
    expect(await totals(gateway.url, printed[0] as string)).toEqual({ cameras: 24, alerts: 20_000 });
  });

  it("generates the same fleet for the same time", async () => {
    const generate = async () => {
      const fleet = new FleetPlan(new Date("2026-11-20T12:00:00.000Z"), "local", await readRulePictures());
      planWorkspace(fleet, { name: "Other", facilities: otherFacilities, alerts: 50, firstCamera: 0 });
      return (["Alert", "Camera", "AlertRule"] as const).map((table) => fleet.rows(table));
    };
    expect(await generate()).toEqual(await generate());
  });
});
