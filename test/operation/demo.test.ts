import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { permissions } from "../../src/access/permissions.js";
import { otherFacilities } from "../../src/demo/fleet-definition.js";
import { FleetPlan, planWorkspace } from "../../src/demo/fleet-plan.js";
import { LocalObjectStore } from "../../src/storage/local.js";
import { TemporaryFiles } from "../../src/storage/temporary-files.js";
import { type Gateway, gatewayOn, startGateway } from "../support/harness.js";
import { firstStartOutput } from "../support/resources.js";
import { gatewaySettings, startCommand } from "../support/running-command.js";

const day = 24 * 3_600_000;
const readPermissions = ["facilities:read", "alerts:read", "cameras:read"];
const keyPermissions = ["facilities:read", "cameras:read", "cameras:write", "alerts:read", "alerts:write"];

const { server } = inject("resources");
let gateway: Gateway;
let key: string;
beforeAll(async () => {
  gateway = await startGateway({ seed: "demo" });
  key = (await readFile(path.join(inject("resources").directory, "demo", "demo-api-key"), "utf8")).trim();
});
afterAll(() => gateway.close());

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
const fleetOf = async (user: string) => (await gateway.data<Fleet>(fleetQuery, { as: { user } })).workspace;

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
    const timeAt = async (offset: number) => {
      const { workspace } = await gateway.data<Fleet>(query, {
        as: { user: "demo|admin" },
        variables: { offset },
      });
      return Date.parse(workspace.alerts.nodes[0]?.createdAt as string);
    };
    const [newest, oldest] = [await timeAt(0), await timeAt(19_999)];
    expect(newest).toBeLessThanOrEqual(Date.now());
    expect(newest).toBeGreaterThan(Date.now() - day);
    expect(newest - oldest).toBeLessThanOrEqual(90 * day);
    expect(newest - oldest).toBeGreaterThan(80 * day);
  });

  it("has alerts that somebody acknowledged and commented on, and others", async () => {
    type Triage = Record<"acknowledged" | "others", { totalCount: number }>;
    const end = new Date().toISOString();
    const filter = (acknowledged: boolean) => ({ start: "2000-01-01T00:00:00Z", end, acknowledged });
    const query = `query ($acknowledged: AlertFilter!, $others: AlertFilter!) {
      acknowledged: alerts(filter: $acknowledged, first: 500) { totalCount nodes { acknowledgedBy { authId } comments { nodes { authorName } } } }
      others: alerts(filter: $others) { totalCount } }`;
    const variables = { acknowledged: filter(true), others: filter(false) };
    type Acknowledged = {
      nodes: { acknowledgedBy: { authId: string }; comments: { nodes: { authorName: string }[] } }[];
    };
    const { acknowledged, others } = await gateway.data<Triage & { acknowledged: Acknowledged }>(query, {
      as: { user: "demo|admin" },
      variables,
    });
    expect(acknowledged.totalCount).toBeGreaterThan(1000);
    expect(acknowledged.totalCount + others.totalCount).toBe(20_000);
    expect(new Set(acknowledged.nodes.map(({ acknowledgedBy }) => acknowledgedBy.authId))).toEqual(
      new Set(["demo|admin", "demo|officer"]),
    );
    expect(acknowledged.nodes.flatMap(({ comments }) => comments.nodes)).toContainEqual({
      authorName: "Lena Lang",
    });
  });

  it("has a camera that lost its stream in the night, with the reason, and raises nothing since", async () => {
    const query = `{ searchCameras(filter: { statusDetails: ["STREAM_ERROR"] }) { nodes {
      name statusDetailChangedAt streamRequests(first: 1) { nodes { errorCode createdAt } } alerts(first: 1) { nodes { createdAt } } } } }`;
    type Lost = {
      name: string;
      statusDetailChangedAt: string;
      streamRequests: { nodes: object[] };
      alerts: { nodes: { createdAt: string }[] };
    };
    const { nodes } = (
      await gateway.data<{ searchCameras: { nodes: Lost[] } }>(query, { as: { user: "demo|admin" } })
    ).searchCameras;
    expect(nodes).toMatchObject([{ name: "Quay dock 2" }]);
    const [lost] = nodes as [Lost];
    const lostAt = lost.statusDetailChangedAt;
    expect(lost.streamRequests.nodes).toEqual([{ errorCode: "REFUSED", createdAt: lostAt }]);
    expect(Date.parse(lost.alerts.nodes[0]?.createdAt as string)).toBeLessThan(Date.parse(lostAt));
    const clock = new Intl.DateTimeFormat("en-GB", { timeZone: "Europe/Amsterdam", timeStyle: "short" });
    expect(clock.format(new Date(lostAt))).toBe("02:40");
  });

  it("has an offline facility that has raised nothing since", async () => {
    const query = "{ facilities { lastHeartbeatAt alerts(first: 1) { nodes { createdAt } } } }";
    type Seen = { lastHeartbeatAt: string; alerts: { nodes: { createdAt: string }[] } };
    const { facilities } = await gateway.data<{ facilities: Seen[] }>(query, { as: { user: "demo|admin" } });
    const last = facilities.map(({ lastHeartbeatAt, alerts }) => ({
      heartbeat: Date.parse(lastHeartbeatAt),
      alert: Date.parse(alerts.nodes[0]?.createdAt as string),
    }));
    const newest = Math.max(...last.map(({ heartbeat }) => heartbeat));
    const offline = last.filter(({ heartbeat }) => heartbeat < newest - day);
    expect(offline).toHaveLength(1);
    for (const { heartbeat, alert } of offline) expect(alert).toBeLessThan(heartbeat);
  });

  it("has one bad crossing, most alerts when shifts change, and few at night", async () => {
    const query = `query ($filter: AlertFilter!) {
      byCamera: alertStatistics(filter: $filter, groupBy: [CAMERA]) { count camera { name } }
      byHour: alertStatistics(filter: $filter, groupBy: [HOUR_OF_DAY]) { count hourOfDay } }`;
    const filter = { start: "2000-01-01T00:00:00Z", end: new Date().toISOString() };
    const { byCamera, byHour } = await gateway.data<{
      byCamera: { count: number; camera: { name: string } }[];
      byHour: { count: number; hourOfDay: number }[];
    }>(query, { as: { user: "demo|admin" }, variables: { filter } });
    const [worst, next] = byCamera;
    expect(worst?.camera.name).toBe("Aisle A cross-walk");
    expect(worst?.count).toBeGreaterThan(4 * (next?.count ?? 0));
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
    type Deliveries = {
      workspace: Record<"sent" | "pending", { totalCount: number }> & { parked: { nodes: object[] } };
    };
    const { sent, pending, parked } = (await gateway.data<Deliveries>(query, { as: { user: "demo|admin" } }))
      .workspace;
    expect(sent.totalCount).toBeGreaterThan(100);
    expect(pending.totalCount).toBe(0);
    expect(parked.nodes).toEqual([
      {
        target: "https://safety-desk.demo.example/alerts",
        lastError: "The webhook responded with status 503",
        alertRule: { name: "VEHICLE_IN_PEDESTRIAN_AREA" },
      },
    ]);
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
    const { workspace } = await gateway.data<{ workspace: { alerts: { nodes: [Shown] } } }>(query, {
      as: { user: "demo|admin" },
    });
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

describe("the Other workspace", () => {
  it("has one facility, two cameras and 50 alerts", async () => {
    const { name, facilities, cameras, alerts } = await fleetOf("other|admin");
    expect({
      name,
      facilities: facilities.length,
      cameras: cameras.length,
      alerts: alerts.totalCount,
    }).toEqual({
      name: "Other",
      facilities: 1,
      cameras: 2,
      alerts: 50,
    });
  });
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
    const { me } = await gateway.data<{ me: { authId: string; roles: string[] } }>(
      "{ me { authId roles } }",
      { as: { user } },
    );
    expect({ ...me, roles: [...me.roles].sort() }).toEqual({ authId: user, roles: [...roles].sort() });
  });

  const seen =
    "{ facilities { timeZoneId } cameras { name } workspace { alerts(first: 1) { totalCount nodes { facility { timeZoneId } } } } }";

  it("demo|site sees the Istanbul facility and nothing else", async () => {
    const { facilities, cameras, workspace } = await gateway.data<
      { cameras: object[]; facilities: object[] } & Fleet
    >(seen, {
      as: { user: "demo|site" },
    });
    expect(facilities).toEqual([{ timeZoneId: "Europe/Istanbul" }]);
    expect(cameras).toHaveLength(6);
    expect(workspace.alerts.nodes).toEqual([{ facility: { timeZoneId: "Europe/Istanbul" } }]);
    expect(workspace.alerts.totalCount).toBeGreaterThan(0);
    expect(workspace.alerts.totalCount).toBeLessThan(20_000);
  });

  it("demo|nobody sees nothing", async () => {
    const { facilities, cameras, workspace } = await gateway.data<
      { cameras: object[]; facilities: object[] } & Fleet
    >(seen, {
      as: { user: "demo|nobody" },
    });
    expect({ facilities, cameras, alerts: workspace.alerts }).toEqual({
      facilities: [],
      cameras: [],
      alerts: { totalCount: 0, nodes: [] },
    });
  });
});

describe("the demo API key", () => {
  it("has five permissions at all facilities", async () => {
    const query = "{ workspace { apiKeys { permissions facilityIds expiresAt revokedAt } } }";
    type Keys = { workspace: { apiKeys: { permissions: string[] }[] } };
    const { apiKeys } = (await gateway.data<Keys>(query, { as: { user: "demo|admin" } })).workspace;
    const shown = apiKeys.map((each) => ({ ...each, permissions: [...each.permissions].sort() }));
    expect(shown).toEqual([
      { permissions: [...keyPermissions].sort(), facilityIds: null, expiresAt: null, revokedAt: null },
    ]);
  });

  it("is not a user and cannot read users", async () => {
    const users = await gateway.graphql("{ workspace { users { id } } }", {
      as: { authorization: `Basic ${key}` },
    });
    expect(users.errors?.map((error) => error.extensions.code)).toEqual(["FORBIDDEN"]);
    const me = await gateway.graphql("{ me { id } }", { as: { authorization: `Basic ${key}` } });
    expect(me.errors?.map((error) => error.extensions.code)).toEqual(["FORBIDDEN"]);
  });

  it("is readable by its owner only", async () => {
    const { mode } = await stat(path.join(inject("resources").directory, "demo", "demo-api-key"));
    expect((mode & 0o777).toString(8)).toBe("600");
  });
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
    ({ cameras } = await gateway.data<{ cameras: CameraWithImages[] }>(query, {
      as: { user: "demo|admin" },
    }));
  });

  async function sizeOf(link: string): Promise<Size> {
    const response = await fetch(link);
    expect({ status: response.status, type: response.headers.get("content-type") }).toEqual({
      status: 200,
      type: "image/jpeg",
    });
    // Decodes every pixel.
    const { info } = await sharp(await response.arrayBuffer(), { failOn: "warning" })
      .raw()
      .toBuffer({ resolveWithObject: true });
    return { width: info.width, height: info.height };
  }

  it("open every camera's image in the stated size", async () => {
    expect(cameras).toHaveLength(24);
    for (const { imageLink, imageDimensions } of cameras)
      expect(await sizeOf(imageLink)).toEqual(imageDimensions);
  });

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

  it("open the calibrated image in the stated size, and the grid and cropped images", async () => {
    for (const { width, height, calibratedImage, croppedImage, gridImage } of cameras.map(
      ({ calibration }) => calibration,
    )) {
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

  it.runIf(!server)("ends with a gateway that is killed meanwhile, and leaves nothing behind", async () => {
    const directory = await mkdtemp(path.join(tmpdir(), "gateway-demo-"));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const killed = startCommand("main", {
      environment: gatewaySettings({ DATA_DIR: directory, SEED: "demo" }),
    });
    await killed.said(/drawing the pictures/);
    // Returns when nobody can write to its output any more.
    await killed.kill();
    const next = await gatewayOn({ DATA_DIR: directory, SEED: "none" });
    onTestFinished(() => next.close());
    expect(next.app.demoUser).toBeUndefined();
  });

  it("generates the same fleet and images for the same time", async () => {
    const generate = async () => {
      const directory = await mkdtemp(path.join(tmpdir(), "gateway-pictures-"));
      onTestFinished(() => rm(directory, { recursive: true, force: true }));
      const fleet = new FleetPlan(
        new Date("2026-11-20T12:00:00.000Z"),
        new LocalObjectStore(directory, await TemporaryFiles.open(path.join(directory, "temporary"))),
      );
      await planWorkspace(fleet, { name: "Other", facilities: otherFacilities, alerts: 50, firstCamera: 0 });
      const pictures = fleet.pictureCopies.map(async ([from]) =>
        createHash("sha256")
          .update(await readFile(path.join(directory, from)))
          .digest("hex"),
      );
      return {
        alerts: fleet.rows("Alert"),
        cameras: fleet.rows("Camera"),
        rules: fleet.rows("AlertRule"),
        pictures: await Promise.all(pictures),
      };
    };
    expect(await generate()).toEqual(await generate());
  });
});
