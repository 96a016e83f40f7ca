// Runs once: both kinds of databases run the same statements.
// Takes long: it kills the process that opens streams.
import { randomUUID } from "node:crypto";
import { inject } from "vitest";
import { eventually } from "../support/eventually.js";
import { run } from "../support/harness.js";
import { TestSite } from "../support/test-site.js";
import { FeedSite } from "./feed-site.js";
import { feedSettings, hasFfmpeg, SwitchedCamera } from "./switched-camera.js";
import { descendantsOf, environmentOf, isRunning, type SystemProcess } from "./system-processes.js";

const { server } = inject("resources");

const opensStreams = ({ command }: SystemProcess) => command.includes("open-streams");
const isProgram = ({ command }: SystemProcess) => /ff(?:mpeg|probe)\0/.test(command);

/** Records an alert without a picture for each camera, and says when its picture was taken: the same ones when it is repeated. */
function recordsAlerts(site: FeedSite, cameraIds: readonly string[]) {
  const createdAt = site.now().toISOString();
  const input = cameraIds.map((cameraId) => ({ id: randomUUID(), cameraId, name: "PPE", createdAt }));
  return async () => {
    const { recordAlerts } = await run<{ recordAlerts: { alerts: { pictureAt: string | null }[] } }>(
      site.gateway,
      site,
      [
        "mutation ($input: [RecordAlertInput!]!) { recordAlerts(input: $input) { alerts { pictureAt } } }",
        { input },
      ],
    );
    return recordAlerts.alerts;
  };
}

describe.runIf(hasFfmpeg)("the process that opens streams", () => {
  let camera: SwitchedCamera;
  beforeAll(async () => {
    camera = await SwitchedCamera.start();
  }, 60_000);
  afterAll(() => camera.stop());

  it("is started again when it has died, and the camera is opened nevertheless", async () => {
    const site = await FeedSite.forTest();
    camera.mode = "silent";
    const id = await site.create(camera.url("killed"));
    await camera.untilOpened("killed");
    const [opener] = (await descendantsOf(process.pid)).filter(opensStreams);
    process.kill(opener?.pid as number, "SIGKILL");
    await site.gateway.app.idle();
    camera.mode = "working";
    await site.advance(60);
    const { feedError, imageDimensions } = await site.camera(id);
    expect({ feedError, imageDimensions }).toEqual({
      feedError: null,
      imageDimensions: { width: 320, height: 180 },
    });
  });

  it("opens a stream for which it died alone, and counts another death as the camera's failure", async () => {
    const { site, start } = await FeedSite.restartable();
    const openers = async () => (await descendantsOf(process.pid)).filter(opensStreams);
    camera.mode = "silent";
    const id = await site.create(camera.url("deadly"));
    await camera.untilOpened("deadly");
    for (const times of [2, 3]) {
      for (const { pid } of await openers()) process.kill(pid, "SIGKILL");
      if (times === 2) await camera.untilOpened("deadly", 2);
    }
    await site.gateway.app.idle();
    expect((await site.camera(id)).feedError).toMatchObject({ code: "UNKNOWN" });
    expect(camera.openings("deadly")).toBe(2);
    // Also another gateway opens it in a process of its own.
    await site.gateway.close();
    await start();
    site.time += 15_000;
    const bystander = await site.create(camera.url("bystander"));
    await camera.untilOpened("deadly", 3);
    await camera.untilOpened("bystander");
    expect(await openers()).toHaveLength(2);
    camera.mode = "working";
    await site.gateway.app.idle();
    for (const each of [id, bystander]) expect((await site.camera(each)).feedError).toBeNull();
    // A day later, a live view opens it like any other.
    await site.advance(25 * 3600);
    const live = (await site.openLive(id)).body?.getReader();
    await live?.read();
    expect(await openers()).toHaveLength(1);
    await live?.cancel();
  }, 300_000);

  it("ends with the gateway that is killed, and so do its children; no secret is among their parameters", async () => {
    const testSite = await TestSite.forTest();
    const site = new FeedSite();
    const first = await testSite.start();
    await site.open(first);
    await first.close();
    const { process: gateway, address } = await testSite.startProcess(feedSettings);
    expect(gateway.output).toContain(`Camera feed  builtin, by ${feedSettings.FFMPEG_PATH}`);
    camera.mode = "silent";
    const authorization = (site.as as { authorization: string }).authorization;
    const response = await fetch(`${address}/facilities/${site.facilityId}/cameras`, {
      method: "POST",
      headers: { authorization, "content-type": "application/json" },
      body: JSON.stringify({ name: "Gate", url: camera.url("orphaned"), streamType: "direct" }),
    });
    expect(response.status).toBe(200);
    const started = await eventually(
      () => descendantsOf(gateway.pid),
      (found) => found.some(isProgram),
    );
    expect(started.some(opensStreams)).toBe(true);
    const environments = await Promise.all(started.map(environmentOf));
    expect(`${started.map(({ command }) => command)} ${environments}`).not.toMatch(/hidden-word|test-only/);
    await gateway.kill();
    await expect
      .poll(async () => (await Promise.all(started.map(isRunning))).includes(true), { timeout: 5_000 })
      .toBe(false);
  }, 40_000);

  it("closes the streams when the gateway ends, and the next one opens them at once", async () => {
    const { site, start } = await FeedSite.restartable();
    camera.mode = "silent";
    const id = await site.create(camera.url("handed-on"));
    await camera.untilOpened("handed-on");
    await site.gateway.close();
    camera.mode = "working";
    await start();
    await site.gateway.app.idle();
    expect(await site.camera(id)).toMatchObject({ imageDimensions: { width: 320, height: 180 } });
  });

  it("takes the picture of an alert whose gateway ended while it was taking it", async () => {
    const { site, start } = await FeedSite.restartable();
    const cameraId = await site.added(camera.url("alerted"));
    camera.mode = "silent";
    const record = recordsAlerts(site, [cameraId]);
    expect(await record()).toEqual([{ pictureAt: null }]);
    await camera.untilOpened("alerted", 3);
    await site.gateway.close();
    camera.mode = "working";
    await start();
    await site.gateway.app.idle();
    expect(await record()).toEqual([{ pictureAt: expect.any(String) }]);
  });

  it.runIf(server)(
    "two gateways open each stream once when it is due, also for the picture of an alert",
    async () => {
      const testSite = await TestSite.forTest();
      const site = new FeedSite();
      const environment = { ...feedSettings, FEED_CONCURRENCY: "2" };
      const gateways = [
        await testSite.start({ now: site.now, environment }),
        await testSite.start({ now: site.now, environment }),
      ];
      onTestFinished(async () => {
        for (const gateway of gateways) await gateway.close();
      });
      await site.open(gateways[0] as (typeof gateways)[0]);
      const names = ["one", "two", "three", "four", "five", "six"];
      const ids: string[] = [];
      for (const name of names) ids.push(await site.create(camera.url(name)));
      const allIdle = async () => {
        for (const gateway of gateways) await site.wake(gateway);
        for (const gateway of gateways) await gateway.app.idle();
      };
      await allIdle();
      expect(names.map((name) => camera.openings(name))).toEqual(names.map(() => 2));
      site.time += 300_000;
      await allIdle();
      expect(names.map((name) => camera.openings(name))).toEqual(names.map(() => 3));
      const record = recordsAlerts(site, ids);
      await record();
      await allIdle();
      expect(names.map((name) => camera.openings(name))).toEqual(names.map(() => 4));
      expect(await record()).toEqual(ids.map(() => ({ pictureAt: expect.any(String) })));
    },
    60_000,
  );
});
