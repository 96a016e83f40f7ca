import { setTimeout as sleep } from "node:timers/promises";
import type { LimitFunction } from "p-limit";
import type { Delivery, StreamRequest } from "../../../generated/prisma/client.js";
import { defined } from "../../../platform/defined.js";
import { type Backoff, retryDelay } from "../../../platform/network/retry-delay.js";
import type { Logger } from "../../../platform/telemetry/log.js";
import type { OutgoingMessage, Tracing } from "../../../platform/telemetry/tracing.js";
import { later } from "../../../platform/time.js";
import { isPictureAwaited } from "../../alert/recording/awaited-pictures.js";
import { failed, type Sender, type SendOutcome } from "../channels/channel.js";
import type { DeliveryContent } from "./delivery-content.js";
import type { DeliveryMetrics } from "./delivery-metrics.js";
import { countAttempt, recordOutcome } from "./delivery-outcome.js";
import {
  type ClaimedQueue,
  nextDeliveries,
  parkExpired,
  pauseTarget,
  releaseQueues,
  resumeTarget,
} from "./delivery-queue.js";
import { feedServerChannel } from "./delivery-state.js";
import type { DispatcherOptions } from "./dispatcher-options.js";
import { countMessage, uncountMessage } from "./message-count.js";
import { contentOf } from "./read-contents.js";

const backoff: Backoff = { firstMs: 5_000, maxMs: 3_600_000, jitter: { from: 1, to: 1.1 } };
const maxRefusals = 3;
/** The delay of each message while the gateway serves requests. */
const giveWayMs = 5;
/** When to look again whether the picture of an alert has been taken. */
const pictureLookMs = 500;
/** The number of deliveries per queue and read. */
const deliveriesPerRead = 50;
/** The time after which a run starts no messages, in milliseconds. Claims last longer, by the time for one message. */
export const maxRunMs = 15_000;

interface RunControl {
  isClosing: () => boolean;
  signal: AbortSignal;
  /** Reports whether the host was silent or in trouble. */
  onResult: (isFailure: boolean) => void;
}

export class DeliveryRun {
  readonly workspaceId: string;
  readonly host: string;
  readonly #queues: readonly ClaimedQueue[];
  readonly #options: DispatcherOptions;
  /** Undefined for the feed server: the metrics are those of notifications. */
  readonly #metrics: DeliveryMetrics | undefined;
  readonly #statement: LimitFunction;
  /** The number of consecutive failures, by target. */
  readonly #failures = new Map<string, number>();
  /** The targets that failed, to leave alone for now. */
  readonly #failedTargets = new Set<string>();
  /** The queues whose next message must wait. */
  readonly #restingQueues = new Set<ClaimedQueue>();
  #sent: Delivery[] = [];
  #recording: Promise<void> | undefined;
  #recordingError: unknown;

  /** `statement` limits the number of concurrent statements. */
  constructor(queues: readonly ClaimedQueue[], options: DispatcherOptions, statement: LimitFunction) {
    const [first] = queues;
    if (!first) throw new Error("There is no queue to send from");
    this.workspaceId = first.workspaceId;
    this.host = first.host;
    this.#queues = queues;
    this.#options = options;
    this.#metrics = first.channel === feedServerChannel ? undefined : options.metrics;
    this.#statement = statement;
    for (const { targetId, failures } of queues) this.#failures.set(targetId, failures);
  }

  /**
   * Sends from each queue in its order, while its target accepts messages and the claims last. Returns when
   * all results are recorded. If one cannot be recorded, the claims go on: otherwise the message would be
   * sent again and again.
   */
  async send(control: RunControl): Promise<void> {
    const endsAt = performance.now() + maxRunMs;
    const isOver = () => control.isClosing() || performance.now() > endsAt;
    await this.#sendAll(control, isOver);
    const free = this.#queues.filter((queue) => !this.#restingQueues.has(queue));
    await this.#statement(() => releaseQueues(this.#options.prisma, free));
  }

  async #sendAll(control: RunControl, isOver: () => boolean): Promise<void> {
    let queues = [...this.#queues];
    while (queues.length > 0 && !isOver()) {
      const next = await this.#statement(() =>
        nextDeliveries(this.#options.prisma, queues, this.#limitOf(queues)),
      );
      const wanted = await this.#wanted([...next.values()].flat());
      const unfinished: ClaimedQueue[] = [];
      for (const queue of queues) {
        const deliveries = next.get(queue.id) ?? [];
        const contents = deliveries.flatMap(({ id }) => wanted.get(id) ?? []);
        await this.#sendFrom(queue, contents, control, isOver);
        const mayHaveMore =
          deliveries.length === this.#limitOf(queues) &&
          !this.#failedTargets.has(queue.targetId) &&
          !this.#restingQueues.has(queue);
        if (mayHaveMore) unfinished.push(queue);
      }
      await this.#recorded();
      queues = unfinished;
    }
  }

  #limitOf([queue]: readonly ClaimedQueue[]): number {
    return Math.max(deliveriesPerRead, (queue && this.#options.senders[queue.channel]?.maxPerMessage) ?? 0);
  }

  async #sendFrom(
    queue: ClaimedQueue,
    contents: readonly DeliveryContent[],
    control: RunControl,
    isOver: () => boolean,
  ): Promise<void> {
    const sender = this.#options.senders[queue.channel];
    if (!sender) {
      await this.#park(queue, contents, "The channel is not set up any more");
      return;
    }
    const perMessage = queue.kind === "TEST" ? 1 : sender.maxPerMessage;
    for (
      let start = 0;
      start < contents.length && !this.#failedTargets.has(queue.targetId) && !isOver();
      start += perMessage
    ) {
      const message = contents.slice(start, start + perMessage);
      if (sender.showsPictures && message.some((content) => isIncomplete(content, this.#options.now())))
        return this.#rest(queue, pictureLookMs);
      const isSent = await this.#sendMessage(queue, sender, message, control);
      if (isSent && sender.pauseMs > 0) return this.#rest(queue, sender.pauseMs);
    }
  }

  /** Lets the next message of a queue wait. */
  async #rest(queue: ClaimedQueue, milliseconds: number): Promise<void> {
    this.#restingQueues.add(queue);
    const availableAt = new Date(this.#options.now().getTime() + milliseconds);
    await this.#statement(() => releaseQueues(this.#options.prisma, [queue], availableAt));
  }

  /** The content of deliveries, by their ids. Deletes deliveries that nobody wants any more. */
  async #wanted(deliveries: readonly Delivery[]): Promise<Map<string, DeliveryContent>> {
    const { prisma, now, heartbeatTimeout } = this.#options;
    if (deliveries.length === 0) return new Map();
    const contents = await this.#statement(() =>
      contentOf(prisma, this.workspaceId, deliveries, { now: now(), heartbeatTimeout }),
    );
    const unwanted = deliveries.filter((_, index) => contents[index] === undefined);
    if (unwanted.length > 0) await this.#statement(() => recordOutcome(this.#options, unwanted, "unwanted"));
    return new Map(contents.flatMap((content) => (content ? [[content.delivery.id, content] as const] : [])));
  }

  /** Returns whether the message was sent. */
  async #sendMessage(
    queue: ClaimedQueue,
    sender: Sender,
    contents: readonly DeliveryContent[],
    { signal, onResult }: RunControl,
  ): Promise<boolean> {
    const { prisma, tracing, now, log, maxMessagesPerDay } = this.#options;
    const content = defined(contents[0]);
    const { delivery } = content;
    const request = streamRequestOf(content);
    const { channel, workspaceId } = queue;
    // Wait once, not until all requests are done: there may always be some.
    if (this.#options.isBusy()) await sleep(giveWayMs);
    const countedAt = now();
    // Many alerts must not keep people from signing in. Links have limits of their own.
    const isCounted = sender.isCounted && delivery.kind !== "SIGN_IN_LINK";
    if (
      isCounted &&
      !(await this.#statement(() => countMessage(prisma, workspaceId, countedAt, maxMessagesPerDay)))
    ) {
      await this.#park(
        queue,
        contents,
        `The workspace has sent its ${maxMessagesPerDay} messages of the day`,
      );
      return false;
    }
    if (request && !(await this.#statement(() => countAttempt(prisma, delivery)))) return false;
    const message = tracing && startMessage(tracing, channel, contents);
    const outcome = await sender
      .send(contents, signal, message?.headers ?? {})
      .catch((error): SendOutcome => {
        log.error({ err: error, deliveryId: delivery.id }, "a message could not be made");
        return failed("always", "The message could not be made");
      });
    message?.end(outcome.kind === "failed" ? (signal.aborted ? "aborted" : "not_accepted") : undefined);
    onResult(outcome.kind === "failed" && outcome.retry === "always");
    if (outcome.kind === "sent") {
      this.#metrics?.recordSent(channel, contents, now());
      await this.#recordSent(queue, contents);
      return true;
    }
    if (isCounted) await this.#statement(() => uncountMessage(prisma, workspaceId, countedAt));
    // The gateway cut the attempt off by closing, so nothing is known about the target.
    if (signal.aborted) return false;
    this.#metrics?.recordFailure(channel);
    logFailure(log, delivery, request, outcome.reason);
    await this.#recordFailure(queue, contents, outcome);
    return false;
  }

  async #recordSent(queue: ClaimedQueue, contents: readonly DeliveryContent[]): Promise<void> {
    await this.#resumeTarget(queue);
    this.#sent.push(...contents.map(({ delivery }) => delivery));
    // Records in the background while the next message is sent, together with all messages sent in the meantime.
    this.#recording ??= this.#record()
      .catch((error) => {
        this.#recordingError = error;
      })
      .finally(() => {
        this.#recording = undefined;
      });
  }

  async #record(): Promise<void> {
    const { now } = this.#options;
    while (this.#sent.length > 0) {
      const sent = this.#sent.splice(0);
      const outcome = { state: "SENT", queueId: null, sentAt: now(), lastError: null } as const;
      await this.#statement(() =>
        recordOutcome(this.#options, sent, { ...outcome, attempts: { increment: 1 } }),
      );
    }
  }

  /** Waits until all sent messages are recorded. */
  async #recorded(): Promise<void> {
    while (this.#recording) await this.#recording;
    if (this.#recordingError) throw this.#recordingError;
  }

  async #recordFailure(
    queue: ClaimedQueue,
    contents: readonly DeliveryContent[],
    outcome: Extract<SendOutcome, { kind: "failed" }>,
  ): Promise<void> {
    const { prisma, now } = this.#options;
    const { reason, retry } = outcome;
    const isRefused = retry !== "always";
    const isLast = ({ delivery }: DeliveryContent) =>
      retry === "never" || (isRefused && delivery.refusals + 1 >= maxRefusals);
    const [parked, kept] = [contents.filter(isLast), contents.filter((content) => !isLast(content))];
    if (parked.length > 0) await this.#park(queue, parked, reason, 1);
    const failures = (this.#failures.get(queue.targetId) ?? 0) + 1;
    const retryAt = this.#retryAt(queue, failures, outcome.retryAfterMs);
    if (kept.length > 0) {
      const deliveries = kept.map(({ delivery }) => delivery);
      const refusals = { increment: Number(isRefused) };
      const data = { lastError: reason, attempts: { increment: 1 }, refusals };
      await this.#statement(() => recordOutcome(this.#options, deliveries, data, retryAt));
    }
    // The deliveries after these may proceed, because the target answers.
    if (parked.length > 0) return this.#resumeTarget(queue);
    this.#failedTargets.add(queue.targetId);
    // All expired notifications of the target are parked together: one attempt an hour would never get through them.
    if (this.#metrics) {
      const expired = await this.#statement(() => parkExpired(prisma, queue, now(), reason));
      if (expired > 0) this.#metrics.recordParked(queue.channel, expired);
    }
    this.#failures.set(queue.targetId, failures);
    await this.#statement(() => pauseTarget(prisma, queue, failures, retryAt));
  }

  #retryAt({ channel }: ClaimedQueue, failures: number, retryAfterMs = 0): Date {
    const { senders, now } = this.#options;
    const delayMs = retryDelay(failures, senders[channel]?.backoff ?? backoff);
    return later(now(), Math.max(delayMs, retryAfterMs));
  }

  async #park(
    { channel }: ClaimedQueue,
    contents: readonly DeliveryContent[],
    reason: string,
    attempts = 0,
  ): Promise<void> {
    const deliveries = contents.map(({ delivery }) => delivery);
    const outcome = { state: "PARKED", queueId: null, lastError: reason } as const;
    await this.#statement(() =>
      recordOutcome(this.#options, deliveries, { ...outcome, attempts: { increment: attempts } }),
    );
    this.#metrics?.recordParked(channel, contents.length);
  }

  async #resumeTarget(queue: ClaimedQueue): Promise<void> {
    if (!this.#failures.get(queue.targetId)) return;
    this.#failures.set(queue.targetId, 0);
    await this.#statement(() => resumeTarget(this.#options.prisma, queue));
  }
}

/** Whether a message about an alert waits for its picture. */
const isIncomplete = (content: DeliveryContent, now: Date): boolean =>
  content.kind === "notification" && content.alert !== null && isPictureAwaited(content.alert, now);

const streamRequestOf = (content: DeliveryContent): StreamRequest | null =>
  content.kind === "streamRequest" ? content.streamRequest : null;

function logFailure(
  log: Logger,
  { id, channel }: Delivery,
  request: StreamRequest | null,
  reason: string,
): void {
  if (request)
    log.warn(
      { streamRequestId: request.id, attempt: request.deliveryCount + 1, reason },
      "the feed server did not accept a stream request",
    );
  else log.warn({ deliveryId: id, channel, reason }, "a notification was not accepted");
}

function startMessage(
  tracing: Tracing,
  channel: string,
  contents: readonly DeliveryContent[],
): OutgoingMessage {
  if (channel === feedServerChannel)
    return tracing.startMessage("POST feed server", { "http.request.method": "POST" });
  const attributes = { "gateway.delivery.channel": channel, "gateway.delivery.count": contents.length };
  return tracing.startMessage(
    `deliver ${channel}`,
    attributes,
    contents.flatMap(({ delivery }) => delivery.alertId ?? []),
  );
}
