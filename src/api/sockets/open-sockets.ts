import { Counter, type Registry } from "prom-client";
import type { StepOutcome, Worker } from "../../engine/leases/worker.js";
import type { WorkerGroup } from "../../engine/leases/worker-group.js";
import type { GatewayServices } from "../../engine/operation/gateway-services.js";
import { RequestContext } from "../../engine/operation/request-context.js";
import { defined } from "../../platform/defined.js";
import { ServiceError } from "../../platform/errors/errors.js";
import { networkOf } from "../../platform/network/ip-address.js";
import { addGauge } from "../../platform/telemetry/gauge.js";
import { countRefusal } from "../../platform/telemetry/refusals.js";
import { goingAway, type OpenSocket, type SocketClient } from "./open-socket.js";
import type { Subscriptions } from "./subscriptions.js";

/** Seconds after which a socket may have been closed. */
const retryAfter = 5;

/** How often sockets are checked for expired credentials. */
const expiryCheckIntervalMs = 1_000;

interface OpenSocketsDependencies {
  services: GatewayServices;
  subscriptions: Subscriptions;
  registry: Registry;
  workers: WorkerGroup;
}

/** Limits of the sockets of one gateway instance. */
interface SocketLimits {
  maxPerCaller: number;
  /** The maximum number of open sockets of all callers of a workspace together. */
  maxPerWorkspace: number;
  /** Milliseconds between two pings. A socket that has not answered a ping by the next one is terminated. */
  pingInterval: number;
}

/** All open sockets. Limits their number, and closes sockets whose access has ended. */
export class OpenSockets {
  readonly #sockets = new Set<OpenSocket>();
  readonly #countByCaller = new Map<string, number>();
  readonly #countByWorkspace = new Map<string, number>();
  readonly #pendingByAddress = new Map<string, number>();
  readonly #dependencies: OpenSocketsDependencies;
  readonly #limits: Omit<SocketLimits, "pingInterval">;
  readonly #timers: NodeJS.Timeout[];
  readonly #closed: Counter<"code">;
  readonly #stopListening: () => void;
  #accessChanges = 0;
  /** Checks the callers of suspect sockets again. */
  readonly #worker: Worker;

  constructor(dependencies: OpenSocketsDependencies, { pingInterval, ...limits }: SocketLimits) {
    const { services, registry, workers } = dependencies;
    this.#dependencies = dependencies;
    this.#limits = limits;
    this.#worker = workers.add("checking the access of open sockets", () => this.#checkSuspects());
    this.#stopListening = services.events.listen({ topic: "accessChanged" }, ({ ids }) =>
      this.#suspect(({ session }) => ids.includes(session.caller.id)),
    );
    // A lost event may have reported the end of a caller's access.
    services.events.onResumed(() => this.#suspect(() => true));
    this.#timers = [
      setInterval(() => this.closeExpired(), expiryCheckIntervalMs),
      setInterval(() => this.#ping(), pingInterval),
    ];
    for (const timer of this.#timers) timer.unref();
    const registers = [registry];
    addGauge(registry, "gateway_sockets_open", "WebSockets that are open", () => this.#sockets.size);
    this.#closed = new Counter({
      name: "gateway_sockets_closed_total",
      help: "WebSockets that were closed",
      labelNames: ["code"],
      registers,
    });
  }

  /** The number of sockets of an address that are not authenticated yet. */
  pendingFrom(address: string): number {
    return this.#pendingByAddress.get(networkOf(address)) ?? 0;
  }

  add(open: OpenSocket): void {
    this.#sockets.add(open);
    count(this.#pendingByAddress, networkOf(open.address), 1);
    open.socket.on("pong", () => {
      open.isAlive = true;
    });
    open.socket.once("close", (code) => this.#remove(open, code));
  }

  /**
   * Runs work that reads a caller's access, and has the access checked again if it changed meanwhile. An event that
   * arrives before the socket has a client does not mark the socket as suspect.
   */
  async observeAccessChanges<Result>(open: OpenSocket, work: () => Promise<Result>): Promise<Result> {
    const before = this.#accessChanges;
    const result = await work();
    if (before !== this.#accessChanges && open.client) {
      open.needsAccessCheck = true;
      this.#worker.wake();
    }
    return result;
  }

  /** Sets the client of a socket. RATE_LIMITED if the caller or the workspace has too many sockets open. */
  setClient(open: OpenSocket, client: SocketClient): void {
    const { id, workspaceId } = client.session.caller;
    const { maxPerCaller, maxPerWorkspace } = this.#limits;
    if ((this.#countByCaller.get(id) ?? 0) >= maxPerCaller) {
      countRefusal("sockets", "caller");
      throw new ServiceError("RATE_LIMITED", `At most ${maxPerCaller} sockets of one caller may be open`, {
        retryAfter,
      });
    }
    if ((this.#countByWorkspace.get(workspaceId) ?? 0) >= maxPerWorkspace) {
      countRefusal("sockets", "workspace");
      throw new ServiceError(
        "RATE_LIMITED",
        `At most ${maxPerWorkspace} sockets of one workspace may be open`,
        { retryAfter },
      );
    }
    count(this.#countByCaller, id, 1);
    count(this.#countByWorkspace, workspaceId, 1);
    count(this.#pendingByAddress, networkOf(open.address), -1);
    open.client = client;
    if (Number.isFinite(client.session.endsAt)) this.#worker.wake();
  }

  /** Closes all sockets, and resolves when they are closed. */
  async close(): Promise<void> {
    this.#stopListening();
    for (const timer of this.#timers) clearInterval(timer);
    const closed = [...this.#sockets].map(
      ({ socket }) => new Promise((resolve) => socket.once("close", resolve)),
    );
    for (const open of this.#sockets) open.close(goingAway, "The gateway is shutting down");
    await Promise.all(closed);
    await this.#worker.close();
  }

  #remove(open: OpenSocket, code: number): void {
    this.#sockets.delete(open);
    this.#closed.inc({ code });
    const { client, address, id, logEntry } = open;
    const { log, rateLimits } = this.#dependencies.services;
    const caller = client?.session.caller;
    const level = logEntry.errorCodes.size > 0 ? "warn" : "info";
    // Without the number of statements: each event runs once for all sockets of a caller.
    const fields = {
      ...logEntry.fields(),
      statements: undefined,
      code,
      milliseconds: Math.round(performance.now() - open.openedAt),
    };
    log[level]({ socketId: id, ...fields }, "a socket was closed");
    if (caller) {
      count(this.#countByCaller, caller.id, -1);
      count(this.#countByWorkspace, caller.workspaceId, -1);
    } else count(this.#pendingByAddress, networkOf(address), -1);
    if (open.isInitialized) return;
    // A socket without connection_init was anonymous. If its address is over the limit now, the next request of the
    // address is refused.
    rateLimits.countAddress(address).catch((error) => {
      if (!(error instanceof ServiceError))
        log.warn({ err: error }, "an anonymous socket could not be counted against its address");
    });
  }

  #suspect(isAffected: (client: SocketClient) => boolean): void {
    this.#accessChanges += 1;
    for (const open of this.#sockets)
      if (open.client && isAffected(open.client)) open.needsAccessCheck = true;
    this.#worker.wake();
  }

  /** The client whose access may have changed, or else the one whose access ends first, and when to check it. */
  #nextSuspect(): { client: SocketClient | undefined; dueInMs: number } {
    let first: OpenSocket | undefined;
    for (const socket of this.#sockets) {
      if (!socket.isOpen) continue;
      if (socket.needsAccessCheck) return { client: socket.client, dueInMs: 0 };
      if (endOf(socket) < endOf(first)) first = socket;
    }
    return { client: first?.client, dueInMs: endOf(first) - performance.now() };
  }

  /** Checks one caller again, and ends the sockets or subscriptions that the caller may no longer have. */
  async #checkSuspects(): Promise<StepOutcome> {
    const { client, dueInMs } = this.#nextSuspect();
    if (!client || dueInMs > 0) return { dueInMs };
    const { session, origin, credentialsKey } = client;
    const same = [...this.#sockets].filter(({ client }) => client?.credentialsKey === credentialsKey);
    // Reset before reading access: a change in between then makes the sockets suspect again.
    for (const open of same) open.needsAccessCheck = false;
    try {
      const { services, subscriptions } = this.#dependencies;
      const current = await services.authenticator.revalidate(session);
      // The credentials may now expire at another time.
      for (const { client } of same) defined(client).session = current;
      const context = new RequestContext({ services, origin }, current);
      await subscriptions.check(context, credentialsKey);
    } catch (error) {
      if (error instanceof ServiceError && error.code === "UNAUTHENTICATED") {
        for (const open of same) open.endAccess(error.reason);
      } else {
        for (const open of same) open.needsAccessCheck = true;
        throw error;
      }
    }
    return "more";
  }

  closeExpired(): void {
    const now = this.#dependencies.services.now().getTime();
    for (const open of this.#sockets) {
      if (open.client && open.client.session.expiresAt <= now) open.endAccess("EXPIRED");
    }
  }

  #ping(): void {
    for (const open of this.#sockets) {
      if (!open.isAlive) open.socket.terminate();
      open.isAlive = false;
      if (open.isOpen) open.socket.ping();
    }
  }
}

const endOf = (open: OpenSocket | undefined) => open?.client?.session.endsAt ?? Number.POSITIVE_INFINITY;

function count(counts: Map<string, number>, key: string, change: number): void {
  const sum = (counts.get(key) ?? 0) + change;
  if (sum === 0) counts.delete(key);
  else counts.set(key, sum);
}
