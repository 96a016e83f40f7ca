import type { EventEmitter } from "node:events";
import { z } from "zod";
import type { Prisma } from "../../generated/prisma/client.js";
import { isUuid } from "../../platform/ids/uuid.js";
import { satisfies } from "../../platform/input/rule-check.js";
import { uuid } from "../../platform/input/scalars.js";
import { alertChanges, type GatewayEvent, topics } from "./gateway-event.js";

/** Transports events from the emitting instance to all instances, including itself. */
export interface EventChannel {
  readonly transport: "in process" | "postgresql" | "redis";
  /** Whether this instance currently receives events of others, and others receive its events. */
  readonly isConnected: boolean;
  /** The statement by which the database sends events on commit; absent if the database is not the transport. */
  publication?(events: readonly GatewayEvent[]): Prisma.Sql;
  /** Sends the events of a committed transaction, unless the commit has already sent them. */
  publish(events: readonly GatewayEvent[]): Promise<void>;
  /** Sends the request counts of this instance to the others; absent if there is a shared counter. */
  broadcastCounts?(counts: RequestCounts): Promise<void>;
  close(): Promise<void>;
}

/** Emits the messages of a channel. `resumed`: the channel works again after an interruption that lost events. */
export type ChannelEmitter = EventEmitter<{ event: [GatewayEvent]; counts: [RequestCounts]; resumed: [] }>;

/** The number of requests by rate limit key. */
export type RequestCounts = Record<string, number>;

/** An ID in the gateway's own notation. */
const id = z.string().refine(isUuid);

const message = z
  .object({
    topic: z.enum(topics),
    workspaceId: id,
    facilityId: id.optional(),
    cameraId: id.optional(),
    ids: z.array(id),
    places: z.array(z.object({ facilityId: id, cameraId: id })).optional(),
    change: z.enum(alertChanges).optional(),
    traceparent: z.string().max(64).optional(),
  })
  .refine(({ ids, places }) => !places || places.length === ids.length);

/** Parses an event. Undefined for any other text, because other applications and versions may use the channel. */
export function readEvent(text: string): GatewayEvent | undefined {
  try {
    const event: unknown = JSON.parse(text);
    return satisfies(message, event) ? (event as GatewayEvent) : undefined;
  } catch {
    return undefined;
  }
}

const countsMessage = z.object({ instance: uuid, counts: z.record(z.string(), z.int().positive()) });

/** Parses request counts and the id of their instance. Returns undefined for any other text. */
export function readCounts(text: string): { instance: string; counts: RequestCounts } | undefined {
  try {
    return countsMessage.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
