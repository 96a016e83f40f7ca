import type { BrokerMessage } from "../connector/broker-connection.js";
import { type StreamStatus, streamStatusOf } from "./camera-statuses.js";
import { objectOfMessage, type Review, reviewOfMessage, type TrackedObject } from "./frigate-messages.js";

/** The topics on which Frigate publishes what the connector needs. */
export const topicsBelow = (prefix: string): string[] => [
  `${prefix}/reviews`,
  `${prefix}/events`,
  `${prefix}/available`,
  `${prefix}/+/status/detect`,
];

export interface FrigateListener {
  onReview: (review: Review) => void;
  onObject: (object: TrackedObject) => void;
  onStatus: (camera: string, status: StreamStatus) => void;
  /** Whether Frigate says that it is there. */
  onAvailable: (isAvailable: boolean) => void;
  onIgnored: () => void;
}

export function messageReader(prefix: string, listener: FrigateListener): (message: BrokerMessage) => void {
  const status = /^([^/]+)\/status\/detect$/;
  const read = (topic: string, { payload, isRetained }: BrokerMessage): boolean => {
    if (topic === "available") return heard(availabilityOf(payload), listener.onAvailable);
    const camera = status.exec(topic)?.[1];
    if (camera !== undefined)
      return heard(streamStatusOf(payload), (status) => listener.onStatus(camera, status));
    // Frigate retains neither: what the broker has kept is of another time.
    if (isRetained) return false;
    if (topic === "reviews") return heard(reviewOfMessage(payload), listener.onReview);
    return topic === "events" && heard(objectOfMessage(payload), listener.onObject);
  };
  return (message) => {
    const isOurs = message.topic.startsWith(`${prefix}/`);
    if (!isOurs || !read(message.topic.slice(prefix.length + 1), message)) listener.onIgnored();
  };
}

function heard<Value>(value: Value | null, hear: (value: Value) => void): boolean {
  if (value !== null) hear(value);
  return value !== null;
}

function availabilityOf(payload: Buffer): boolean | null {
  const text = payload.toString("utf8", 0, 20).trim();
  if (text === "online") return true;
  return text === "offline" ? false : null;
}
