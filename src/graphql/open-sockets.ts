import { CloseCode } from "graphql-ws";
import { Counter, Gauge, type Registry } from "prom-client";
import { type GatewayServices, RequestContext } from "../access/request-context.js";
import { ServiceError } from "../platform/errors.js";
import { type StepOutcome, Worker } from "../platform/worker.js";
import { goingAway, type OpenSocket, type SocketSession } from "./open-socket.js";
import type { Subscriptions } from "./subscriptions.js";

/** Milliseconds between two looks at which credentials have expired. */
const expiryInterval = 1_000;

/** What {@link OpenSockets} need of the gateway. */
export interface SocketSources {
  services: GatewayServices;
  subscriptions: Subscriptions;
  registry: Registry;
}

/** How many sockets a caller may have here, and every how many milliseconds each is asked whether it is still there. */
export interface SocketLimits {
  mostPerCaller: number;
  pingInterval: number;
}

/** All open sockets: who may have how many, and when each has to end. */
export class OpenSockets {
  readonly #sockets = new Set<OpenSocket>();
  readonly #ofCaller = new Map<string, number>();
  readonly #waitingOfAddress = new Map<string, number>();
  readonly #sources: SocketSources;
  readonly #mostPerCaller: number;
  readonly #timers: NodeJS.Timeout[];
  readonly #closed: Counter<"code">;
  readonly #stopListening: () => void;
  #accessChanges = 0;
  /** Looks again at the callers of suspect sockets. */
  readonly worker: Worker;

  constructor(sources: SocketSources, { mostPerCaller, pingInterval }: SocketLimits) {
    const { services, registry } = sources;
    this.#sources = sources;
    this.#mostPerCaller = mostPerCaller;
    this.worker = new Worker("looking again at who has sockets open", () => this.#checkSuspects(), services.log);
    this.#stopListening = services.events.listen({ topic: "accessChanged" }, ({ ids }) => this.#suspect((session) => ids.includes(session.callerId)));
    // What was announced in between may have been the end of somebody's access.
    services.events.onResumed(() => this.#suspect(() => true));
    this.#timers = [setInterval(() => this.endExpired(), expiryInterval), setInterval(() => this.#ping(), pingInterval)];
    for (const timer of this.#timers) timer.unref();
    const sockets = this.#sockets;
    const registers = [registry];
    new Gauge({
      name: "gateway_sockets_open",
      help: "WebSockets that are open",
      registers,
      collect() {
        this.set(sockets.size);
      },
    });
    this.#closed = new Counter({ name: "gateway_sockets_closed_total", help: "WebSockets that were closed", labelNames: ["code"], registers });
  }

  /** How many sockets of an address have not said yet whose they are. */
  waitingFrom(address: string): number {
    return this.#waitingOfAddress.get(address) ?? 0;
  }

  add(open: OpenSocket): void {
    this.#sockets.add(open);
    count(this.#waitingOfAddress, open.address, 1);
    open.socket.on("pong", () => {
      open.isAlive = true;
    });
    open.socket.once("close", (code) => this.#remove(open, code));
  }

  /**
   * Does what finds out what a caller may do, and has it looked at again where access changed meanwhile: who is not yet
   * known to be there is not told.
   */
  async observed<Result>(open: OpenSocket, work: () => Promise<Result>): Promise<Result> {
    const before = this.#accessChanges;
    const result = await work();
    if (before !== this.#accessChanges && open.session) {
      open.isSuspect = true;
      this.worker.wake();
    }
    return result;
  }

  /** Notes whose socket it is; RATE_LIMITED when the caller has too many. */
  identify(open: OpenSocket, session: SocketSession): void {
    if ((this.#ofCaller.get(session.callerId) ?? 0) >= this.#mostPerCaller) {
      throw new ServiceError("RATE_LIMITED", `At most ${this.#mostPerCaller} sockets of one caller may be open`);
    }
    count(this.#ofCaller, session.callerId, 1);
    count(this.#waitingOfAddress, open.address, -1);
    open.session = session;
  }

  /** Ends all sockets, and waits until they are closed. */
  async close(): Promise<void> {
    this.#stopListening();
    for (const timer of this.#timers) clearInterval(timer);
    const closed = [...this.#sockets].map(({ socket }) => new Promise((resolve) => socket.once("close", resolve)));
    for (const open of this.#sockets) open.close(goingAway, "The gateway is shutting down");
    await Promise.all(closed);
    await this.worker.close();
  }

  #remove(open: OpenSocket, code: number): void {
    this.#sockets.delete(open);
    this.#closed.inc({ code });
    const { session, address, id } = open;
    this.#sources.services.log.info({ socketId: id, address, callerId: session?.callerId, code }, "a socket was closed");
    if (session) count(this.#ofCaller, session.callerId, -1);
    else count(this.#waitingOfAddress, address, -1);
    if (session || open.isCounted) return;
    // Whoever never said who they are is a stranger; that the address is over its limit is for the next one to hear.
    this.#sources.services.rateLimits.countAddress(address).catch((error) => {
      if (!(error instanceof ServiceError)) this.#sources.services.log.warn({ err: error }, "a stranger could not be counted");
    });
  }

  #suspect(isMeant: (session: SocketSession) => boolean): void {
    this.#accessChanges += 1;
    for (const open of this.#sockets) if (open.session && isMeant(open.session)) open.isSuspect = true;
    this.worker.wake();
  }

  /** Looks again at one caller, and ends what is not theirs any more. */
  async #checkSuspects(): Promise<StepOutcome> {
    const first = [...this.#sockets].find(({ isSuspect, isOpen }) => isSuspect && isOpen);
    if (!first?.session) return "nothing";
    const { claim, origin, credentials } = first.session;
    const same = [...this.#sockets].filter(({ session }) => session?.credentials === credentials);
    // Before it is read: what changes meanwhile has to be read again.
    for (const open of same) open.isSuspect = false;
    try {
      const context = new RequestContext(this.#sources.services, origin);
      await context.recall(claim);
      await this.#sources.subscriptions.check(context, credentials);
    } catch (error) {
      if (error instanceof ServiceError && error.code === "UNAUTHENTICATED") {
        for (const open of same) open.endAccess();
      } else {
        for (const open of same) open.isSuspect = true;
        throw error;
      }
    }
    return "more";
  }

  /** Closes the sockets whose credentials are not good any more. */
  endExpired(): void {
    const moment = this.#sources.services.now().getTime();
    for (const open of this.#sockets) {
      if (open.session && open.session.expiresAt <= moment) open.close(CloseCode.Forbidden, "The credentials have expired");
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

function count(counts: Map<string, number>, key: string, change: number): void {
  const sum = (counts.get(key) ?? 0) + change;
  if (sum === 0) counts.delete(key);
  else counts.set(key, sum);
}
