import type { Logger } from "../../../platform/telemetry/log.js";
import type { BrokerMessage } from "../connector/broker-connection.js";
import { axisFrame } from "./axis-scene.js";
import { cameraName } from "./camera-name.js";
import { deepstreamFrame } from "./deepstream.js";
import { gatewayFrame } from "./gateway-frame.js";
import type { Source } from "./mqtt-configuration.js";
import type { MqttMetrics } from "./mqtt-metrics.js";
import { BadMessage, type SeenFrame } from "./seen-frame.js";
import { wildcardsIn } from "./topic-filter.js";

/** Frames may contain pictures of objects, which are not read. */
const maxMessageBytes = 4 * 1024 * 1024;

const reasons: Record<BadMessage["reason"], string> = {
  notJson: "is not JSON",
  tooLarge: `has more than ${maxMessageBytes} bytes`,
  otherFormat: "is not of the source's format",
  noCamera: "does not name its camera",
  retained: "was retained by the broker, and is old",
};

export interface CameraFrame {
  camera: string;
  frame: SeenFrame["frame"];
}

/** Reads messages of detectors. Those of no use are counted, and logged once per kind. */
export class DetectionMessages {
  readonly #sources: readonly Source[];
  readonly #metrics: MqttMetrics;
  readonly #log: Logger;
  readonly #logged = new Set<string>();

  constructor(sources: readonly Source[], metrics: MqttMetrics, log: Logger) {
    this.#sources = sources;
    this.#metrics = metrics;
    this.#log = log;
  }

  /** The frame of a message; undefined if it has none. */
  read(message: BrokerMessage): CameraFrame | undefined {
    for (const source of this.#sources) {
      const wildcards = wildcardsIn(source.topic, message.topic);
      if (wildcards) return this.#readFrom(source, wildcards, message);
    }
    return undefined;
  }

  #readFrom(
    source: Source,
    wildcards: string[],
    { topic, payload, isRetained }: BrokerMessage,
  ): CameraFrame | undefined {
    this.#metrics.message(source.topic);
    try {
      // A retained message is delivered with each subscription, whenever it was published.
      if (isRetained) throw new BadMessage("retained");
      const { cameraField, frame, leftOut } = frameOf(source, parsed(payload));
      const camera = cameraName(source.camera, wildcards, cameraField);
      if (camera.trim() === "") throw new BadMessage("noCamera");
      if (leftOut > 0) this.#metrics.leftOut(leftOut);
      return { camera, frame };
    } catch (error) {
      if (!(error instanceof BadMessage)) throw error;
      this.#metrics.badMessage(source.topic, error.reason);
      const kind = `${source.topic} ${error.reason}`;
      if (!this.#logged.has(kind))
        this.#log.warn({ topic: topic.slice(0, 500) }, `A message ${reasons[error.reason]} (told once)`);
      this.#logged.add(kind);
      return undefined;
    }
  }
}

function frameOf({ format, frame, labels }: Source, message: unknown): SeenFrame {
  if (format === "AXIS_SCENE") return axisFrame(message, frame, labels);
  return format === "DEEPSTREAM" ? deepstreamFrame(message, frame, labels) : gatewayFrame(message, labels);
}

function parsed(payload: Buffer): unknown {
  if (payload.length > maxMessageBytes) throw new BadMessage("tooLarge");
  try {
    return JSON.parse(payload.toString());
  } catch {
    throw new BadMessage("notJson");
  }
}
