// Runs once: no database can influence what is tested here.
// Takes long: it starts and kills processes.

import { readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { eventually } from "../support/eventually.js";
import { type Gateway, sharedGateway } from "../support/harness.js";
import { listOf } from "../support/list-of.js";
import { listenForTest } from "../support/listening.js";
import { TcpProxy } from "../support/tcp-proxy.js";
import { pictureAs } from "../uploads/sample-pictures.js";
import { FrigateSite } from "./frigate-site.js";

let gateway: Gateway;
let site: FrigateSite;
let frigate: FrigateSite["frigate"];
beforeEach(async () => {
  gateway = await sharedGateway();
  site = await FrigateSite.forTest(gateway);
  ({ frigate } = site);
});

const reviewIds = (alerts: { info: unknown }[]) =>
  alerts.map(({ info }) => (info as { reviewId: string }).reviewId);

const readState = async ({ stateFile }: FrigateSite) =>
  JSON.parse(await readFile(stateFile, "utf8")) as {
    settledUntil: number;
    settled: [string, number | null][];
  };

const gatewayAt = (url: string) => ({ gateway: { url, apiKey: { environment: "API_KEY" } } });

/** A way to the gateway that can be cut off, and the settings for it. */
async function gatewayByProxy() {
  const proxy = await TcpProxy.open(gateway.url);
  onTestFinished(() => proxy.disconnect());
  return { proxy, settings: gatewayAt(proxy.url) };
}

/** A way to the gateway's API from where its uploads cannot be reached. */
async function gatewayWithUploadsElsewhere(origin: string): Promise<string> {
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const { authorization = "" } = request.headers;
    const answer = await fetch(`${origin}${request.url}`, {
      method: "POST",
      headers: { authorization, "content-type": "application/json" },
      body,
    });
    const answered = await answer.text();
    response
      .writeHead(answer.status)
      .end(answered.replace(/"url":"http:\/\/[^/"]+/, '"url":"http://127.0.0.1:1'));
  });
  return `http://127.0.0.1:${await listenForTest(server)}`;
}

describe("nothing is lost and nothing doubled", () => {
  it("when the connector is killed in the middle, and was away", async () => {
    const first = await site.connect();
    const heard = await frigate.review();
    await site.alertsOnceThere(1);
    await first.kill();
    const missed = await frigate.review();
    await site.connect();
    await site.alertsOnceThere(2);
    const last = await frigate.review();
    expect(reviewIds(await site.alertsOnceThere(3))).toEqual([heard.id, missed.id, last.id]);
  });

  it("when it is killed while what was missed cannot be recorded", async () => {
    const { proxy, settings } = await gatewayByProxy();
    const now = Date.now() / 1000;
    const seen = await frigate.object();
    const missed = await frigate.review(
      { start_time: now - 300, end_time: now - 200 },
      { detections: [seen.id] },
    );
    // From then on, the gateway is away.
    frigate.pictures.set(seen.id, () => {
      void proxy.disconnect();
      return null;
    });
    const first = await site.start(settings, ["--since", new Date((now - 600) * 1000).toISOString()]);
    await first.said(/Recording alerts: /);
    await first.kill();
    frigate.pictures.clear();
    await proxy.reconnect();
    await site.connect(settings);
    expect(reviewIds(await site.alertsOnceThere(1))).toEqual([missed.id]);
  });

  it("when it is killed before Frigate has answered, and goes on without --since", async () => {
    const now = Date.now() / 1000;
    const missed = await frigate.review({ start_time: now - 300, end_time: now - 200 });
    const since = new Date((now - 600) * 1000).toISOString();
    const first = await site.start({ frigate: { url: "http://127.0.0.1:1" } }, ["--since", since]);
    await first.said(/Frigate: /);
    await first.kill();
    await site.connect();
    expect(reviewIds(await site.alertsOnceThere(1))).toEqual([missed.id]);
  });

  it("when a review was told as a detection before, and became an alert while nobody listened", async () => {
    const first = await site.connect();
    const early = await frigate.review({ severity: "detection" });
    const other = await frigate.review();
    await site.alertsOnceThere(1);
    await site.stop(first);
    const end = Date.now() / 1000 + 1;
    await frigate.review({ id: early.id, severity: "alert", end_time: end });
    await site.connect();
    expect(reviewIds(await site.alertsOnceThere(2))).toEqual([early.id, other.id]);
  });

  it("when the broker is away", async () => {
    const { broker } = frigate;
    await site.connect();
    await broker.stop();
    const missed = await frigate.review();
    await broker.start();
    await frigate.announce();
    await site.alertsOnceThere(1);
    await broker.isHeard();
    const heard = await frigate.review();
    expect(reviewIds(await site.alertsOnceThere(2))).toEqual([missed.id, heard.id]);
  });

  it("when Frigate is away, but for the pictures", async () => {
    await site.connect();
    const seen = await frigate.object();
    frigate.isAway = true;
    await frigate.review({}, { detections: [seen.id] });
    const [alert] = await site.alertsOnceThere(1);
    expect(alert).toMatchObject({ url: null, violatingCoordinates: [{ x: 150, y: 600 }] });
  });

  it("when the gateway is away", async () => {
    const { proxy, settings } = await gatewayByProxy();
    const connector = await site.connect(settings);
    await proxy.disconnect();
    const reviews = [await frigate.review(), await frigate.review()];
    await connector.said(/Recording alerts: /);
    await proxy.reconnect();
    expect(reviewIds(await site.alertsOnceThere(2))).toEqual(reviews.map(({ id }) => id));
  });

  it("when pictures are to be uploaded to where nothing can be reached, but for the pictures", async () => {
    const settings = gatewayAt(await gatewayWithUploadsElsewhere(gateway.url));
    const { code, output } = await site.run(["--check"], settings);
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(/pictures +FAILED: the gateway takes pictures at http:\/\/127\.0\.0\.1:1, which/),
    ]);
    const connector = await site.connect(settings);
    for (let count = 1; count <= 2; count += 1) {
      const seen = await frigate.object();
      frigate.pictures.set(seen.id, await pictureAs("jpeg"));
      await frigate.review({}, { detections: [seen.id] });
      await connector.said(/uploaded to http:\/\/127\.0\.0\.1:1: .*; alerts go without pictures/);
      const alerts = await site.alertsOnceThere(count);
      expect(alerts.map((alert) => alert.url)).toEqual(listOf(count, () => null));
    }
  });

  it("when Frigate's clock was ahead, and is put right", async () => {
    frigate.clockAheadMs = 3_600_000;
    const first = await site.connect();
    await site.stop(first);
    frigate.clockAheadMs = 0;
    const start = Date.now() / 1000 - 30;
    const missed = await frigate.review({ start_time: start, end_time: start + 10 });
    await site.connect();
    expect(reviewIds(await site.alertsOnceThere(1))).toEqual([missed.id]);
    await eventually(
      async () => (await readState(site)).settledUntil,
      (settledUntil) => settledUntil < Date.now(),
    );
  });
});

it("an alert that makes the gateway fail by itself is given up in the end, and costs no other", async () => {
  const { prisma } = gateway;
  await prisma.$executeRawUnsafe(
    "CREATE FUNCTION refuse_alert() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$",
  );
  onTestFinished(async () => void (await prisma.$executeRawUnsafe("DROP FUNCTION refuse_alert CASCADE")));
  await prisma.$executeRawUnsafe(`
    CREATE TRIGGER "refused" BEFORE INSERT ON "Alert" FOR EACH ROW
    WHEN (NEW."info"->>'reviewId' = 'refused') EXECUTE FUNCTION refuse_alert()`);
  const connector = await site.connect();
  await frigate.review({ id: "refused" });
  const other = await frigate.review();
  await connector.said(/A review cannot be recorded/);
  expect(reviewIds(await site.alertsOnceThere(1))).toEqual([other.id]);
});

describe("what was missed", () => {
  it("is found in any number, also by a connector that is killed meanwhile", async () => {
    const count = 1000;
    const start = Date.now() / 1000 - 7 * 86_400;
    // Most of it within two minutes, as on a busy evening, and one that lasts for days.
    for (let index = 0; index < count; index += 1) {
      const start_time = start + (index < 700 ? index * 0.15 : index * 300);
      const end_time = index === 3 ? null : start_time + 20;
      await frigate.review({ id: `review-${String(index).padStart(5, "0")}`, start_time, end_time });
    }
    const first = await site.start({}, ["--since", new Date(start * 1000 - 1000).toISOString()]);
    await site.alertsOnceThere(count / 4);
    await first.kill();
    const second = await site.start();
    await site.alertsOnceThere(count);
    // All is settled, and the state is small again.
    await eventually(
      () => readState(site),
      ({ settledUntil }) => settledUntil > Date.now() - 120_000,
    );
    await site.stop(second);
    expect((await readState(site)).settled.map(([id]) => id)).toEqual(["review-00003"]);
    expect(reviewIds(await site.alerts())).toEqual([...frigate.reviews.keys()]);
  });

  it("has the same ids in a second run from nothing, which records nothing twice", async () => {
    const since = new Date().toISOString();
    const first = await site.connect();
    const object = await frigate.object();
    frigate.pictures.set(object.id, await pictureAs("jpeg", 640, 360));
    await frigate.review({}, { detections: [object.id] });
    await frigate.review();
    const alerts = await site.alertsOnceThere(2);
    await site.stop(first);
    await rm(site.stateFile);
    const second = await site.connect({}, ["--since", since]);
    await frigate.review();
    await site.alertsOnceThere(3);
    // The picture is another upload, so that the gateway knows the alert with other content.
    await eventually(
      async () => (await readState(site)).settled,
      ({ length }) => length === 3,
    );
    expect((await site.alerts()).slice(0, 2)).toEqual(alerts);
    expect((await site.stop(second)).output).not.toMatch(/"level":"(?:warn|error)"/);
  });

  it("is not what happened before the first run", async () => {
    const at = Date.now() / 1000;
    await frigate.review({ start_time: at - 600, end_time: at - 500 });
    const goesOn = await frigate.review({ start_time: at - 300 });
    await site.connect();
    expect(reviewIds(await site.alertsOnceThere(1))).toEqual([goesOn.id]);
  });
});
