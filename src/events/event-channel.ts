import { z } from "zod";
import type { Prisma } from "../generated/prisma/client.js";
import { uuid } from "../platform/scalars.js";
import type { GatewayEvent } from "../platform/topics.js";

/** How events travel from the instance that caused them to all instances, itself among them. */
export interface EventChannel {
  readonly transport: "in process" | "postgresql" | "redis";
  /** Whether events arrive at the moment, and those that are sent here reach the others. */
  readonly isConnected: boolean;
  /** Has events sent with the commit of a transaction, where that is how they travel. */
  enclose(transaction: Prisma.TransactionClient, events: readonly GatewayEvent[]): Promise<void>;
  /** Sends events of a committed transaction, where they were not sent with it. */
  publish(events: readonly GatewayEvent[]): Promise<void>;
  /** Tells the other instances what was counted here, where nobody counts for all of them. */
  tellCounts?(counts: RequestCounts): Promise<void>;
  close(): Promise<void>;
}

/** Who is told what a channel brings. */
export interface ChannelListener {
  received(event: GatewayEvent): void;
  /** Another instance counted requests. */
  counted(counts: RequestCounts): void;
  /** The channel was interrupted, and works again: what was sent in between is lost. */
  resumed(): void;
}

/** How many requests were counted under each key of a rate limit. */
export type RequestCounts = Record<string, number>;

const message = z.object({
  topic: z.enum(["alertRaised", "cameraStatusChanged", "facilityHeartbeat", "accessChanged"]),
  workspaceId: uuid,
  facilityId: uuid.optional(),
  cameraId: uuid.optional(),
  ids: z.array(uuid),
});

/** The event in a message; nothing when it is none: others may use the channel, and other versions of ours. */
export function readEvent(text: string): GatewayEvent | undefined {
  try {
    return message.parse(JSON.parse(text)) as GatewayEvent;
  } catch {
    return undefined;
  }
}

const countsMessage = z.object({ instance: uuid, counts: z.record(z.string(), z.int().positive()) });

/** The counts in a message, and whose they are; nothing when it holds none. */
export function readCounts(text: string): { instance: string; counts: RequestCounts } | undefined {
  try {
    return countsMessage.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
