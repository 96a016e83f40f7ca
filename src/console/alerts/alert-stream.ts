import type { AnyVariables, Client, CombinedError, DocumentInput } from "urql";
import {
  type AlertFilter,
  type AlertItemFragment,
  type AlertMarksFragment,
  AlertsChangedDocument,
  AlertsPageDocument,
  AlertsRaisedDocument,
  AlertsTotalDocument,
} from "../../generated/console.js";
import { isPassing } from "../data/failure.js";
import { tryAgainLater } from "../data/recovery.js";
import { serverTime } from "../data/server-time.js";
import { matches } from "./alert-filter.js";

const pageSize = 100;
/** How many alerts are kept around what is shown, before others are forgotten. */
const mostKept = 3_000;
/** With more new alerts than this, the list is read again instead. */
const mostWaiting = 500;
/** How long an alert counts as just raised, in milliseconds. */
const freshness = 1_500;

type Unsubscribe = () => void;

/**
 * The alerts that match a filter, newest first, of which only those around what is shown are there; the places of the others are known, so
 * that the reader may go anywhere. It follows what is raised, marked and deleted. What is raised while the reader would lose their
 * place waits until {@link release}.
 */
export class AlertStream {
  readonly #client: Client;
  #filter: AlertFilter;
  readonly #listeners = new Set<() => void>();
  readonly #alerts = new Map<string, AlertItemFragment>();
  readonly #cursors = new Map<string, string>();
  readonly #raisedAt = new Map<string, number>();
  #ids: (string | undefined)[] = [];
  #waiting: AlertItemFragment[] = [];
  #subscriptions: Unsubscribe[] = [];
  #shown: readonly [first: number, last: number] = [0, 0];
  /** Where the page that is being read begins; it moves with what is added above it. */
  #readingAt: number | undefined;
  /** Answers to what was asked before the list was read again come too late. */
  #generation = 0;

  /** Changes with everything that is shown. */
  version = 0;
  /** Whether the list has been read. */
  isReady = false;
  /** Why it could not be read; undefined if it could. */
  failure: CombinedError | undefined;
  /** Whether new alerts have to wait. */
  holdsBack = false;
  /** Which alerts are never forgotten. */
  retains: (id: string) => boolean = () => false;

  constructor(client: Client, filter: AlertFilter) {
    this.#client = client;
    this.#filter = filter;
  }

  readonly subscribe = (listener: () => void): Unsubscribe => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Reads the list and follows it until what it returns is called. */
  start(): Unsubscribe {
    const { cameraIds, facilityIds, types, severities } = this.#filter;
    const variables = {
      ...(cameraIds?.length === 1 && { cameraId: cameraIds[0] }),
      ...(facilityIds?.length === 1 && { facilityId: facilityIds[0] }),
      ...(types && { types }),
      ...(severities && { severities }),
    };
    this.#subscriptions = [
      this.#client.subscription(AlertsRaisedDocument, variables).subscribe(({ data }) => data && this.#raise(data.alertRaised)).unsubscribe,
      this.#client.subscription(AlertsChangedDocument, {}).subscribe(({ data }) => {
        if (!data) return;
        const { alertId, alert, kind } = data.alertChanged;
        if (kind === "DELETED") this.#remove(alertId);
        else if (alert) this.change([alert]);
      }).unsubscribe,
    ];
    void this.reload();
    return () => {
      for (const unsubscribe of this.#subscriptions) unsubscribe();
      this.#generation += 1;
    };
  }

  /** How many alerts there are. */
  get total(): number {
    return this.#ids.length;
  }

  /** How many new alerts wait to be shown. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** The alert in a place; undefined until it has been read. */
  at(index: number): AlertItemFragment | undefined {
    const id = this.#ids[index];
    return id === undefined ? undefined : this.#alerts.get(id);
  }

  /** An alert that has been read. */
  get(id: string): AlertItemFragment | undefined {
    return this.#alerts.get(id);
  }

  /** The place of an alert; -1 if it is not known. */
  indexOf(id: string): number {
    return this.#ids.indexOf(id);
  }

  /** Whether an alert was raised just now. */
  isFresh(id: string): boolean {
    return performance.now() - (this.#raisedAt.get(id) ?? Number.NEGATIVE_INFINITY) < freshness;
  }

  /** Reads the list again, as what happened while there was no connection is not known. */
  async reload(): Promise<void> {
    this.#generation += 1;
    const generation = this.#generation;
    this.failure = undefined;
    this.#readingAt = undefined;
    const offset = Math.max(0, this.#shown[0]);
    const [total, page] = await Promise.all([
      this.#read(AlertsTotalDocument, { filter: this.#filter }),
      this.#read(AlertsPageDocument, { filter: this.#filter, first: pageSize, after: null, offset: offset === 0 ? null : offset }),
    ]);
    if (generation !== this.#generation) return;
    this.#fail(total.error ?? page.error);
    if (total.data && page.data) {
      this.#waiting = [];
      this.#ids = Array.from({ length: total.data.alerts.totalCount });
      this.#put(offset, page.data.alerts.edges);
      this.isReady = true;
    }
    this.#notify();
    void this.#fill();
  }

  /** Takes the filter as it is by now: what has left a period that ends now goes from the end of the list, or the list is read again. */
  async moveOn(filter: AlertFilter): Promise<void> {
    this.#filter = filter;
    if (!this.isReady) return;
    const generation = this.#generation;
    const present = this.total + this.waiting;
    const { data } = await this.#read(AlertsTotalDocument, { filter });
    // What was raised or deleted in the meantime may be counted or not.
    if (!data || generation !== this.#generation || this.total + this.waiting !== present) return;
    const left = present - data.alerts.totalCount;
    if (left === 0) return;
    if (left < 0 || left > this.total || !filter.start) return this.reload();
    this.#ids.length -= left;
    this.#notify();
  }

  /** Says which places are shown, both inclusive, so that their alerts are read. */
  show(first: number, last: number): void {
    this.#shown = [first, last];
    void this.#fill();
  }

  /** Reads the alerts around one that was opened by its address, so that its neighbours are known. */
  async locate(alert: AlertItemFragment): Promise<void> {
    if (!this.#alerts.has(alert.id)) this.#alerts.set(alert.id, alert);
    if (!this.isReady || this.indexOf(alert.id) >= 0 || !matches(alert, this.#filter, serverTime())) return;
    const generation = this.#generation;
    const { data } = await this.#read(AlertsTotalDocument, { filter: { ...this.#filter, start: alert.createdAt } });
    if (!data || generation !== this.#generation) return;
    const offset = Math.max(0, data.alerts.totalCount - pageSize / 2);
    const page = await this.#read(AlertsPageDocument, { filter: this.#filter, first: pageSize, after: null, offset });
    if (!page.data || generation !== this.#generation) return;
    this.#put(offset, page.data.alerts.edges);
    this.#notify();
  }

  /** Replaces marks of alerts. */
  change(changed: readonly AlertMarksFragment[]): void {
    for (const marks of changed) {
      const alert = this.#alerts.get(marks.id);
      if (alert) this.#alerts.set(marks.id, { ...alert, ...marks });
      this.#waiting = this.#waiting.map((each) => (each.id === marks.id ? { ...each, ...marks } : each));
    }
    this.#notify();
  }

  /** Shows the new alerts that wait. */
  release(): void {
    if (this.#waiting.length === 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    if (waiting.length > mostWaiting) {
      void this.reload();
      return;
    }
    for (const alert of waiting) this.#insert(alert);
    this.#notify();
  }

  #raise(alert: AlertItemFragment): void {
    if (
      !this.isReady ||
      !matches(alert, this.#filter, serverTime()) ||
      this.#waiting.some(({ id }) => id === alert.id) ||
      this.indexOf(alert.id) >= 0
    )
      return;
    if (this.holdsBack) this.#waiting.push(alert);
    else this.#insert(alert);
    this.#notify();
  }

  /** Puts an alert where it belongs, as detectors may report late; among alerts that have not been read it is read with them. */
  #insert(alert: AlertItemFragment): void {
    if (this.indexOf(alert.id) >= 0) return;
    const time = Date.parse(alert.createdAt);
    const isBefore = (id: string | undefined) => {
      const other = id === undefined ? undefined : this.#alerts.get(id);
      return other === undefined || Date.parse(other.createdAt) < time || (other.createdAt === alert.createdAt && other.id < alert.id);
    };
    const found = this.#ids.findIndex(isBefore);
    const index = found < 0 ? this.#ids.length : found;
    const isAmongRead = found < 0 || this.#ids[found] !== undefined;
    this.#ids.splice(index, 0, isAmongRead ? alert.id : undefined);
    if (isAmongRead) {
      this.#alerts.set(alert.id, alert);
      this.#raisedAt.set(alert.id, performance.now());
    }
    if (this.#readingAt !== undefined && index <= this.#readingAt) this.#readingAt += 1;
  }

  #remove(id: string): void {
    this.#waiting = this.#waiting.filter((alert) => alert.id !== id);
    const index = this.indexOf(id);
    if (index >= 0) {
      this.#ids.splice(index, 1);
      if (this.#readingAt !== undefined && index < this.#readingAt) this.#readingAt -= 1;
    }
    this.#alerts.delete(id);
    this.#notify();
  }

  /** Reads what is shown and not there, page by page, one after the other: what was passed in the meantime is left out. */
  async #fill(): Promise<void> {
    if (!this.isReady || this.failure || this.#readingAt !== undefined) return;
    for (let start = this.#firstMissing(); start !== undefined; start = this.#firstMissing()) if (!(await this.#readPage(start))) return;
  }

  /** Reads the page that begins in a place, and says whether it is there now. */
  async #readPage(start: number): Promise<boolean> {
    const generation = this.#generation;
    const previous = this.#ids[start - 1];
    const after = previous === undefined ? undefined : this.#cursors.get(previous);
    this.#readingAt = start;
    const { data, error } = await this.#read(AlertsPageDocument, {
      filter: this.#filter,
      first: pageSize,
      after: after ?? null,
      offset: after === undefined ? start : null,
    });
    if (generation !== this.#generation) return false;
    const at = this.#readingAt;
    this.#readingAt = undefined;
    this.#fail(error);
    if (data) {
      const { edges } = data.alerts;
      this.#put(at, edges);
      // Alerts have been deleted since they were counted.
      if (edges.length < pageSize) this.#ids.length = at + edges.length;
      this.#forget();
    }
    this.#notify();
    return data !== undefined;
  }

  /** Says why the list could not be read; for a reason that may pass it is read again later. */
  #fail(error: CombinedError | undefined): void {
    this.failure = error;
    if (error && isPassing(error)) this.#subscriptions.push(tryAgainLater(() => void this.reload()));
  }

  #firstMissing(): number | undefined {
    const [first, last] = this.#shown;
    for (let index = Math.max(0, first); index <= Math.min(last, this.#ids.length - 1); index += 1) if (this.#ids[index] === undefined) return index;
    return undefined;
  }

  #put(at: number, edges: readonly { cursor: string; node: AlertItemFragment }[]): void {
    for (const [index, { cursor, node }] of edges.entries()) {
      // An alert has one place: what was read by its number may overlap what is there.
      const present = this.#alerts.has(node.id) ? this.indexOf(node.id) : -1;
      if (present >= 0 && present !== at + index) this.#ids[present] = undefined;
      this.#ids[at + index] = node.id;
      this.#alerts.set(node.id, node);
      this.#cursors.set(node.id, cursor);
    }
  }

  /** Forgets what is far from what is shown, so that reading on and on takes no more memory. */
  #forget(): void {
    if (this.#alerts.size <= mostKept) return;
    const [first, last] = this.#shown;
    for (const [index, id] of this.#ids.entries()) {
      if (id === undefined || (index >= first - mostKept / 4 && index <= last + mostKept / 4) || this.retains(id)) continue;
      this.#ids[index] = undefined;
      this.#alerts.delete(id);
      this.#cursors.delete(id);
      this.#raisedAt.delete(id);
    }
  }

  #read<Data, Variables extends AnyVariables>(document: DocumentInput<Data, Variables>, variables: Variables) {
    return this.#client.query(document, variables, { requestPolicy: "network-only" }).toPromise();
  }

  #notify(): void {
    this.version += 1;
    for (const listener of this.#listeners) listener();
  }
}
