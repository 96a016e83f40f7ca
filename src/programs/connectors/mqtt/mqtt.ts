import { z } from "zod";
import { connectToBroker } from "../connector/broker-connection.js";
import type { Connector, ConnectorProgram } from "../connector/connector.js";
import { StateFile } from "../connector/state-file.js";
import { type CameraFrame, DetectionMessages } from "./detection-messages.js";
import { DetectionSender } from "./detection-sender.js";
import { FrameBuffer } from "./frame-buffer.js";
import { type MqttConfiguration, mqttConfiguration } from "./mqtt-configuration.js";
import { MqttMetrics } from "./mqtt-metrics.js";

/** How long what is left may take when the connector stops. */
const lastSendMs = 5000;

/** The frames that were not sent before the last stop. */
const unsentFrames = z.object({
  frames: z.array(
    z.object({ camera: z.string(), text: z.string(), values: z.number(), objects: z.number() }),
  ),
});

/** `connect:mqtt`: has the gateway evaluate what detectors publish over MQTT. */
export const mqttConnector: ConnectorProgram<MqttConfiguration> = {
  kind: "MQTT",
  command: "connect:mqtt",
  configuration: mqttConfiguration,
  permissions: ["alerts:write"],
  topicsOf: ({ sources }) => [...new Set(sources.map(({ topic }) => topic))],
  start: (connector) => (connector.isDryRun ? showFrames(connector) : sendFrames(connector)),
};

async function sendFrames(connector: Connector<MqttConfiguration>): Promise<void> {
  const { configuration, cameras, metrics, log, disposers, signal } = connector;
  const counts = new MqttMetrics(metrics.registry, mqttConnector.topicsOf(configuration));
  let dropped = 0;
  const buffer = new FrameBuffer(configuration.buffer, (count) => {
    if (dropped === 0) log.warn("The buffer is full: the oldest frames are dropped");
    dropped += count;
    counts.frames("overflow", count);
  });
  counts.watch(buffer);
  await keepUnsent(connector, buffer);
  const sender = new DetectionSender(connector, buffer, counts, () => {
    if (dropped > 0) log.warn({ dropped }, "All frames have been sent that were not dropped");
    dropped = 0;
  });
  const sending = sender.run(signal);
  connector.inBackground(() => sending);
  disposers.defer(async () => {
    await sending.catch(() => {});
    await sender.sendRest(AbortSignal.timeout(lastSendMs));
  });
  receive(connector, counts, ({ camera, frame }) => {
    // Until the list is there, any camera may be known.
    if (cameras.areLoaded && !cameras.find(camera)) counts.frames("unknownCamera", 1);
    else
      buffer.push({
        camera,
        text: JSON.stringify(frame),
        values: valuesIn(frame),
        objects: frame.objects.length,
      });
  });
}

/** Prints what would be sent, instead of sending it. */
async function showFrames(connector: Connector<MqttConfiguration>): Promise<void> {
  const { configuration, cameras, metrics, signal } = connector;
  await cameras.load(signal);
  const counts = new MqttMetrics(metrics.registry, mqttConnector.topicsOf(configuration));
  receive(connector, counts, ({ camera, frame }) => {
    const cameraId = cameras.find(camera)?.id ?? null;
    process.stdout.write(`${JSON.stringify({ camera, cameraId, ...frame })}\n`);
  });
}

/** Hands on the frames of what the broker delivers. */
function receive(
  connector: Connector<MqttConfiguration>,
  counts: MqttMetrics,
  onFrame: (frame: CameraFrame) => void,
): void {
  const { configuration, log } = connector;
  const messages = new DetectionMessages(configuration.sources, counts, log);
  connectToBroker(connector, mqttConnector.topicsOf(configuration), {
    onMessage: (message) => {
      const found = messages.read(message);
      if (found) onFrame(found);
    },
  });
}

/** Sends the frames that an earlier run left in a file, if any, and leaves this run's. Some may be sent again. */
async function keepUnsent(
  { configuration, disposers, log }: Connector<MqttConfiguration>,
  buffer: FrameBuffer,
): Promise<void> {
  const { name, stateFile } = configuration;
  const state =
    stateFile === undefined ? undefined : new StateFile<z.output<typeof unsentFrames>>(stateFile, name, log);
  const left = await state?.read(unsentFrames);
  for (const frame of left?.frames ?? []) buffer.push(frame);
  disposers.defer(async () => {
    const frames = buffer.takeAll();
    if (!state && frames.length > 0)
      log.warn({ frames: frames.length }, "Frames are lost that were not sent");
    state?.save({ frames });
    await state?.close();
  });
}

/** Approximates what the gateway counts. */
const valuesIn = ({ objects }: CameraFrame["frame"]): number =>
  objects.reduce((sum, { attributes }) => sum + 12 + Object.keys(attributes ?? {}).length, 8);
