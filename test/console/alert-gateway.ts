import { type AnyVariables, Client, type Exchange, makeResult, type Operation } from "urql";
import { makeSubject, pipe, subscribe } from "wonka";
import type {
  AlertFilter,
  AlertItemFragment,
  AlertsPageQueryVariables,
} from "../../src/generated/console.js";
import { listOf } from "../support/list-of.js";
import { type AlertList, cursorOf } from "./alert-lists.js";

/**
 * The gateway as the client's transport sees it. Answers on command, and sends events.
 */
export class AlertGateway {
  readonly requests: { operation: Operation; work: () => void; respond: (() => void) | undefined }[] = [];
  reads = 0;
  /** Replaces the answer to a page. */
  pageOf: (list: AlertList, variables: AlertsPageQueryVariables) => AlertItemFragment[] = page;
  countOf: (list: AlertList, filter: AlertFilter) => number = (list) => list.length;
  /** The ids of all sent alerts. */
  readonly sent = new Set<string>();
  /** Called before each answer with the number of alerts. */
  onCounted = () => {};
  readonly #results = makeSubject<ReturnType<typeof makeResult>>();
  readonly #subscriptions = new Map<string, Operation>();
  readonly client: Client;

  constructor(readonly list: AlertList) {
    const exchange: Exchange = () => (operations) => {
      pipe(
        operations,
        subscribe((operation) => this.#receive(operation)),
      );
      return this.#results.source;
    };
    this.client = new Client({
      url: "http://gateway.invalid/graphql",
      exchanges: [exchange],
      preferGetMethod: false,
    });
  }

  #receive(operation: Operation): void {
    const name = (operation.query.definitions[0] as { name?: { value: string } }).name?.value as string;
    if (operation.kind === "subscription") this.#subscriptions.set(name, operation);
    if (operation.kind !== "query") return;
    this.reads += 1;
    const request = { operation, work: () => {}, respond: undefined as (() => void) | undefined };
    request.work = () => {
      const variables = operation.variables as AlertsPageQueryVariables;
      const data =
        name === "AlertsTotal"
          ? { alerts: { totalCount: this.countOf(this.list, variables.filter) } }
          : {
              alerts: {
                edges: this.pageOf(this.list, variables).map((node) => ({ cursor: this.#send(node), node })),
              },
            };
      request.work = () => {};
      request.respond = () => {
        if (name === "AlertsTotal") this.onCounted();
        this.#results.next(makeResult(operation, { data }));
      };
    };
    this.requests.push(request);
  }

  #tell(name: string, data: object): void {
    const operation = this.#subscriptions.get(name) as Operation<unknown, AnyVariables>;
    this.#results.next(makeResult(operation, { data }));
  }

  #send(alert: AlertItemFragment): string {
    this.sent.add(alert.id);
    return cursorOf(alert);
  }

  raised(alert: AlertItemFragment): void {
    this.sent.add(alert.id);
    this.#tell("AlertsRaised", { alertRaised: alert });
  }

  changed(alertId: string, kind: "DELETED" | "MARKED", alert: object | null = null): void {
    this.#tell("AlertsChanged", { alertChanged: { alertId, kind, alert } });
  }

  /** Computes the answers to all open requests, as of now. */
  workAll(): void {
    for (const request of this.requests) request.work();
  }

  /** Answers the request that has waited longest, or another one. */
  async answer(index = 0): Promise<void> {
    const [request] = this.requests.splice(index, 1);
    request?.work();
    request?.respond?.();
    await settled();
  }

  /** Answers all requests until no more arrive, including those after a pause. */
  async answerAll(): Promise<void> {
    let answers = 0;
    do {
      while (this.requests.length > 0) {
        answers += 1;
        if (answers > 300) throw new Error("There is no end of what is read");
        await this.answer();
      }
      vi.runOnlyPendingTimers();
      await settled();
    } while (this.requests.length > 0);
  }
}

/** Runs everything that does not wait for the gateway. */
export const settled = () => new Promise((resolve) => setImmediate(resolve));

/** The alerts of a page, as the gateway reads it. */
export function page(
  list: AlertList,
  { first, last, after, before, offset }: AlertsPageQueryVariables,
): AlertItemFragment[] {
  const start = (after ? list.upTo(after) : 0) + (offset ?? 0);
  const end = before ? list.upTo(before) - 1 : list.length;
  const size = first ?? last ?? 20;
  const from = last ? Math.max(start, end - size) : start;
  return listOf(Math.max(0, Math.min(size, end - from)), (index) => list.at(from + index));
}
