// Runs once: no database can influence what is tested here.
// Takes long: it starts and kills processes.

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import path from "node:path";
import { text } from "node:stream/consumers";
import { eventually } from "../support/eventually.js";
import { type Gateway, gatewayForTest, sharedGateway } from "../support/harness.js";
import { listOf } from "../support/list-of.js";
import { listenForTest } from "../support/listening.js";
import { TcpProxy } from "../support/tcp-proxy.js";
import { eventuallyCounts, MqttSite, samplesOf } from "./mqtt-site.js";

let gateway: Gateway;
/** A site whose frames raise an alert each. */
let site: MqttSite;
/** A way to the gateway that can be cut off, and the settings for it. */
let proxy: TcpProxy;
let settings: ReturnType<typeof gatewayAt>;
beforeEach(async () => {
  gateway = await sharedGateway();
  site = await MqttSite.forTest(gateway);
  await site.detector.newRule();
  proxy = await TcpProxy.open(gateway.url);
  onTestFinished(() => proxy.disconnect());
  settings = gatewayAt(proxy.url);
});

/** With these settings, unsent frames are kept. */
const gatewayAt = (url: string) => ({
  gateway: { url, apiKey: { environment: "GATEWAY_API_KEY" } },
  stateFile: path.join(site.directory, "state.json"),
});

/** A way to the gateway that loses the first answer to an operation. */
async function wayThatLoses(operation: string, closes = true) {
  let isLost = false;
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const answer = await (
      await fetch(`${gateway.url}/graphql`, { method: "POST", headers: request.headers as HeadersInit, body })
    ).text();
    if (isLost || !body.includes(operation)) return response.end(answer);
    isLost = true;
    if (closes) response.destroy();
  });
  return gatewayAt(`http://127.0.0.1:${await listenForTest(server)}`);
}

/** Publishes frames, one for each second. */
async function publish(from: number, to: number): Promise<void> {
  for (let second = from; second < to; second += 1)
    await site.broker.publish("frames/yard", site.detector.frame(second));
}

/** The seconds of the frames that raised alerts. */
const raised = (alerts: { createdAt: Date }[]) =>
  alerts.map(({ createdAt }) => (createdAt.getTime() - site.detector.start) / 1000);

const seconds = (count: number) => listOf(count, (second) => second);

it("the broker may go and come back", async () => {
  const connector = await site.connect();
  await publish(0, 1);
  await site.alerts(1);
  await site.broker.stop();
  await connector.said(/There is no connection to the broker/);
  expect((await samplesOf(connector)).get("connector_broker_connected")).toBe(0);
  await site.broker.start();
  await connector.said(/Connected to the broker[\s\S]*Connected to the broker/);
  await publish(1, 2);
  expect(await site.alerts(2)).toHaveLength(2);
  // One line for the outage, however often it was tried.
  expect(connector.output.match(/There is no connection/g)).toHaveLength(1);
});

it("frames that come while the gateway is away are sent when it is back, each once and in order", async () => {
  const connector = await site.connect(settings);
  await publish(0, 1);
  await eventuallyCounts(connector, 'connector_frames_total{outcome="processed"}', 1);
  await proxy.disconnect();
  await publish(1, 20);
  await connector.said(/Detections: The gateway cannot be reached: .*; trying again/);
  await publish(20, 30);
  await eventually(
    () => samplesOf(connector),
    (samples) => (samples.get("connector_buffered_frames") ?? 0) >= 10,
  );
  await proxy.reconnect();
  await connector.said(/Detections: works again/);
  expect(raised(await site.alerts(30))).toEqual(seconds(30));
});

it("an answer that was lost is asked for again, and raises nothing twice", async () => {
  const connector = await site.connect(await wayThatLoses("ConnectorDetections"));
  await publish(0, 1);
  await eventuallyCounts(connector, 'connector_frames_total{outcome="late"}', 1);
  await publish(1, 2);
  await eventuallyCounts(connector, 'connector_frames_total{outcome="processed"}', 1);
  expect(raised(await site.detector.alerts())).toEqual(seconds(2));
});

it("the gateway may be away when the connector starts, and when it stops", async () => {
  await proxy.disconnect();
  const first = await site.connect(settings);
  await publish(0, 3);
  await eventuallyCounts(first, "connector_buffered_frames", 3);
  expect(await first.kill("SIGTERM")).toMatchObject({ code: 0 });
  await eventuallyCounts(await site.connect(settings), "connector_buffered_frames", 3);
  await proxy.reconnect();
  expect(raised(await site.alerts(3))).toEqual(seconds(3));
});

it("frames that could not be sent before Ctrl-C, which comes from the terminal and from npm, are sent after the next start", async () => {
  const first = await site.connect(settings);
  await publish(0, 1);
  await eventuallyCounts(first, 'connector_frames_total{outcome="processed"}', 1);
  await proxy.disconnect();
  await publish(1, 3);
  await first.said(/Detections: The gateway cannot be reached/);
  // Behind those of the request that is repeated.
  await publish(3, 5);
  await eventuallyCounts(first, "connector_buffered_frames", 2);
  first.signal("SIGINT");
  await first.said(/SIGINT: stopping/);
  first.signal("SIGINT");
  expect(await first.ended).toMatchObject({ code: 0, errors: "" });
  expect(existsSync(`${settings.stateFile}.new`)).toBe(false);
  await proxy.reconnect();
  const second = await site.connect(settings);
  expect(raised(await site.alerts(5))).toEqual(seconds(5));
  await second.kill("SIGTERM");
  expect(JSON.parse(await readFile(settings.stateFile, "utf8"))).toEqual({ connector: "test", frames: [] });
});

it("frames that arrived before a stop are sent, even if the list of cameras had not", async () => {
  const connector = await site.connect(await wayThatLoses("ConnectorCameras", false));
  await publish(0, 5);
  await eventuallyCounts(connector, 'connector_messages_total{source="frames/+"}', 5);
  await connector.kill("SIGTERM");
  expect(raised(await site.detector.alerts())).toEqual(seconds(5));
});

it("over its limit, the buffer drops the oldest frames, which are counted", async () => {
  const connector = await site.connect({ ...settings, buffer: { frames: 10 } });
  await publish(0, 1);
  await eventuallyCounts(connector, 'connector_frames_total{outcome="processed"}', 1);
  await proxy.disconnect();
  // The first is taken to be sent, and stays in its place.
  await publish(1, 2);
  await connector.said(/Detections: The gateway cannot be reached/);
  await publish(2, 30);
  await eventuallyCounts(connector, 'connector_frames_total{outcome="overflow"}', 18);
  await connector.said(/The buffer is full: the oldest frames are dropped/);
  await proxy.reconnect();
  expect(raised(await site.alerts(12))).toEqual([0, 1, ...seconds(30).slice(20)]);
  await connector.said(/"dropped":18,.*All frames have been sent that were not dropped/);
});

it("the gateway's limit of frames is waited for", async () => {
  const limited = await gatewayForTest({
    environment: { RATE_LIMIT: "on", RATE_LIMIT_DETECTIONS: "1000" },
  });
  site = await MqttSite.forTest(limited);
  const connector = await site.connect();
  const frames = listOf(1010, (second) => site.detector.frame(second, []));
  await Promise.all(frames.map((frame) => site.broker.publish("frames/yard", frame)));
  await connector.said(/Detections: .*; trying again/);
  const counts = await samplesOf(connector);
  const call = 'connector_gateway_calls_total{operation="ConnectorDetections",outcome="RATE_LIMITED"}';
  expect([counts.get(call), counts.get('connector_frames_total{outcome="refused"}')]).toEqual([1, undefined]);
});
