import type { EventEmitter } from "node:events";
import { z } from "zod";
import type { Prisma } from "../generated/prisma/client.js";
import { satisfies } from "../platform/rule-check.js";
import { uuid } from "../platform/scalars.js";
import { alertChanges, type GatewayEvent, topics } from "./gateway-event.js";

/**
 * Transports events from the instance that emits them to all instances, including itself.
 */
export interface EventChannel {
  readonly transport: "in process" | "postgresql" | "redis";
  /**
   * Whether events of other instances are currently received, and this instance's events
   * are delivered.
   */
  readonly isConnected: boolean;
  /**
   * The statement that has events sent when its transaction commits; absent if the
   * transport is not the database.
   */
  publication?(events: readonly GatewayEvent[]): Prisma.Sql;
  /** Sends the events of a committed transaction, unless they were sent by its commit. */
  publish(events: readonly GatewayEvent[]): Promise<void>;
  /**
   * Sends this instance's request counts to the others; absent if there is a shared
   * counter.
   */
  broadcastCounts?(counts: RequestCounts): Promise<void>;
  close(): Promise<void>;
}

/**
 * Emits what a channel receives: events, the request counts of other instances, and that
 * the channel works again after an interruption, in which events were lost.
 */
export type ChannelEmitter = EventEmitter<{ event: [GatewayEvent]; counts: [RequestCounts]; resumed: [] }>;

/** The number of requests by rate limit key. */
export type RequestCounts = Record<string, number>;

/** An ID as the gateway writes it. */
const id = z.string().regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);

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

/**
 * Parses an event; undefined for anything else, since other applications and other
 * versions may use the channel.
 */
export function readEvent(text: string): GatewayEvent | undefined {
  try {
    const event: unknown = JSON.parse(text);
    return satisfies(message, event) ? (event as GatewayEvent) : undefined;
  } catch {
    return undefined;
  }
}

const countsMessage = z.object({ instance: uuid, counts: z.record(z.string(), z.int().positive()) });

/** Parses request counts and the instance they are from; undefined for anything else. */
export function readCounts(text: string): { instance: string; counts: RequestCounts } | undefined {
  try {
    return countsMessage.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
