import { type AnyVariables, type Client, CombinedError, type DocumentInput } from "urql";
import {
  type AlertFilter,
  type AlertItemFragment,
  type AlertMarksFragment,
  AlertsChangedDocument,
  AlertsPageDocument,
  type AlertsPageQuery,
  type AlertsPageQueryVariables,
  AlertsRaisedDocument,
  AlertsTotalDocument,
} from "../../generated/console.js";
import { isPassing } from "../data/failure.js";
import { tryAgainLater } from "../data/recovery.js";
import { serverTime } from "../data/server-time.js";
import { matches } from "./alert-filter.js";
import { LoadedAlerts } from "./loaded-alerts.js";

const pageSize = 100;
/** With more new alerts than this, the list is read again instead. */
const mostWaiting = 500;
/** How long an alert counts as just raised, in milliseconds. */
const freshness = 1_500;
/**
 * How long to wait before the alerts are counted again, in milliseconds: often many are
 * changed at once.
 */
const recountPause = 2_000;
/**
 * How many reads may follow each other, besides those that what is shown takes, before
 * the answers count as contradictory.
 */
const spareReads = 5;

type Unsubscribe = () => void;
type AlertEdges = AlertsPageQuery["alerts"]["edges"];

/**
 * The alerts that match a filter, newest first, of which only those around what is shown
 * are there; the places of the others are known, so that the reader may go anywhere. It
 * follows what is raised, marked and deleted. What is raised while the reader would lose
 * their place waits until {@link release}.
 */
export class AlertStream {
  readonly #client: Client;
  #filter: AlertFilter;
  readonly #listeners = new Set<() => void>();
  readonly #list = new LoadedAlerts((id) => this.retains(id));
  #waiting = new Map<string, AlertItemFragment>();
  /** How many more wait than are kept. */
  #waitingBeyond = 0;
  #subscriptions: Unsubscribe[] = [];
  #shown: readonly [first: number, last: number] = [0, 0];
  /** How many reads are under way. */
  #reading = 0;
  #postponed: (() => void)[] = [];
  #isFilling = false;
  /** Whether alerts below a gap may not be where they are. */
  #isUncertain = false;
  #recounting: ReturnType<typeof setTimeout> | undefined;
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
      this.#client.subscription(AlertsRaisedDocument, variables).subscribe(({ data }) => {
        if (data && matches(data.alertRaised, this.#filter, serverTime()))
          this.#alter(() => this.#raise(data.alertRaised));
      }).unsubscribe,
      this.#client.subscription(AlertsChangedDocument, {}).subscribe(({ data }) => {
        if (!data) return;
        const { alertId, alert, kind } = data.alertChanged;
        if (kind === "DELETED") this.#alter(() => this.#remove(alertId));
        else if (alert) this.change([alert]);
      }).unsubscribe,
    ];
    void this.reload();
    return () => {
      for (const unsubscribe of this.#subscriptions) unsubscribe();
      clearTimeout(this.#recounting);
      this.#postponed = [];
      this.#generation += 1;
    };
  }

  /** How many alerts there are. */
  get total(): number {
    return this.#list.total;
  }

  /** How many new alerts wait to be shown. */
  get waiting(): number {
    return this.#waiting.size + this.#waitingBeyond;
  }

  /** The alert in a place; undefined until it has been read. */
  at(index: number): AlertItemFragment | undefined {
    return this.#list.at(index);
  }

  /** The alerts that have been read from one place to another, both inclusive. */
  between(first: number, last: number): Iterable<AlertItemFragment> {
    return this.#list.between(first, last);
  }

  /** An alert that has been read. */
  get(id: string): AlertItemFragment | undefined {
    return this.#list.get(id);
  }

  /** The place of an alert; -1 if it is not known. */
  indexOf(id: string): number {
    return this.#list.placeOf(id);
  }

  /** Whether an alert was raised just now. */
  isFresh(id: string): boolean {
    return performance.now() - (this.#list.insertedAt(id) ?? Number.NEGATIVE_INFINITY) < freshness;
  }

  /**
   * Reads the list again, as what happened while there was no connection is not known.
   */
  async reload(): Promise<void> {
    this.#generation += 1;
    this.#isFilling = true;
    this.failure = undefined;
    const offset = Math.max(0, this.#shown[0]);
    await this.#whileReading(async (isCurrent) => {
      const [total, page] = await Promise.all([
        this.#read(AlertsTotalDocument, { filter: this.#filter }),
        this.#read(AlertsPageDocument, { filter: this.#filter, first: pageSize, offset: offset || null }),
      ]);
      if (!isCurrent()) return;
      this.#generation += 1;
      this.#isFilling = false;
      this.#fail(total.error ?? page.error);
      if (total.data && page.data) this.#begin(total.data.alerts.totalCount, offset, page.data.alerts.edges);
    });
    void this.#fill();
  }

  /**
   * Takes the filter as it is by now: what has left a period that ends now goes from the
   * end of the list, or the list is read again.
   */
  async moveOn(filter: AlertFilter): Promise<void> {
    this.#filter = filter;
    if (!this.isReady) return;
    const surplus = await this.#surplus();
    if (!surplus) return;
    if (surplus < 0 || surplus > this.total || !filter.start) return this.reload();
    this.#list.endAt(this.total - surplus);
    this.#notify();
  }

  /** Takes another list of which one page has been read. */
  #begin(totalCount: number, offset: number, edges: AlertEdges): void {
    this.#waiting.clear();
    this.#waitingBeyond = 0;
    this.#isUncertain = false;
    this.#list.reset(totalCount);
    this.#list.put(offset, edges);
    if (edges.length < pageSize && (edges.length > 0 || offset === 0))
      this.#list.endAt(offset + edges.length);
    else if (edges.length === 0 && offset < totalCount) this.#contradict();
    this.isReady = true;
  }

  /** Says which places are shown, both inclusive, so that their alerts are read. */
  show(first: number, last: number): void {
    this.#shown = [first, last];
    void this.#fill();
  }

  /**
   * Reads the alerts around one that was opened by its address, so that its neighbours
   * are known.
   */
  async locate(alert: AlertItemFragment): Promise<void> {
    this.#list.add(alert);
    if (!this.isReady || this.indexOf(alert.id) >= 0 || !matches(alert, this.#filter, serverTime())) return;
    await this.#whileReading(async (isCurrent) => {
      const { data } = await this.#read(AlertsTotalDocument, {
        filter: { ...this.#filter, start: alert.createdAt },
      });
      if (!data || !isCurrent()) return;
      const offset = Math.max(0, data.alerts.totalCount - pageSize / 2);
      const page = await this.#read(AlertsPageDocument, { filter: this.#filter, first: pageSize, offset });
      if (page.data && isCurrent()) this.#list.put(offset, page.data.alerts.edges);
    });
  }

  /** Replaces marks of alerts. */
  change(changed: readonly AlertMarksFragment[]): void {
    const replace = () => {
      for (const marks of changed) {
        const waiting = this.#waiting.get(marks.id);
        if (waiting) this.#waiting.set(marks.id, { ...waiting, ...marks });
        // Another one may have entered the filter or left it.
        else if (!this.#list.change(marks) && this.#selectsMarks) this.#recountLater();
      }
    };
    replace();
    // What is being read may be as it was before.
    if (this.#reading > 0) this.#postponed.push(replace);
    this.#notify();
  }

  /** Shows the new alerts that wait. */
  release(): void {
    if (this.waiting === 0) return;
    if (this.#waitingBeyond > 0) {
      void this.reload();
      return;
    }
    const waiting = this.#waiting;
    this.#waiting = new Map();
    this.#alter(() => {
      for (const alert of waiting.values()) {
        this.#insert(alert);
        // Pages have been read as if all that waits came first.
        if (this.indexOf(alert.id) !== 0) this.#doubt();
      }
    });
  }

  /**
   * Changes the list after what is being read, of which the answer has its place in the
   * list as it was when it was asked for.
   */
  #alter(change: () => void): void {
    if (this.#reading > 0) this.#postponed.push(change);
    else {
      change();
      this.#notify();
    }
  }

  /**
   * Reads something and says whether the list is still the one for which it was asked.
   */
  async #whileReading(read: (isCurrent: () => boolean) => Promise<void>): Promise<void> {
    const generation = this.#generation;
    this.#reading += 1;
    try {
      await read(() => generation === this.#generation);
    } finally {
      this.#reading -= 1;
    }
    if (this.#reading === 0 && this.#postponed.length > 0) {
      const postponed = this.#postponed;
      this.#postponed = [];
      for (const change of postponed) change();
      // The answers may know of these changes or not.
      this.#doubt();
    }
    this.#notify();
  }

  #raise(alert: AlertItemFragment): void {
    if (!this.isReady || this.#waiting.has(alert.id)) return;
    if (!this.holdsBack) this.#insert(alert);
    else if (this.#waiting.size === mostWaiting) this.#waitingBeyond += 1;
    else if (this.indexOf(alert.id) < 0) this.#waiting.set(alert.id, alert);
  }

  /**
   * Puts an alert where it belongs, as detectors may report late; among alerts that have
   * not been read it is read with them.
   */
  #insert(alert: AlertItemFragment): void {
    // What has been read before it was told of may have been counted before or not.
    if (this.indexOf(alert.id) >= 0 || !this.#list.insert(alert)) this.#doubt();
    this.#list.forgetAround(...this.#shown);
  }

  #remove(id: string): void {
    if (!this.#waiting.delete(id) && !this.#list.remove(id)) this.#recountLater();
  }

  /**
   * Has the alerts counted, and what is below a gap read again, as an alert in it may
   * have been there already when that was read.
   */
  #doubt(): void {
    this.#isUncertain = true;
    this.#recountLater();
  }

  /**
   * Has the alerts counted, as something has happened to one of which it is not known
   * whether or where it is in the list.
   */
  #recountLater(): void {
    this.#recounting ??= setTimeout(() => {
      this.#recounting = undefined;
      void this.#recount();
    }, recountPause);
  }

  async #recount(): Promise<void> {
    if (!this.isReady || this.failure) return;
    const surplus = await this.#surplus();
    if (surplus === undefined || (surplus === 0 && !this.#isUncertain)) return;
    if (this.#shown[1] >= this.#list.connected && this.#list.connected < this.total) return this.reload();
    this.#isUncertain = false;
    this.#list.recount(this.total - surplus);
    this.#notify();
    void this.#fill();
  }

  /**
   * How many alerts more than there are the list and those that wait have; undefined if
   * that cannot be told.
   */
  async #surplus(): Promise<number | undefined> {
    let surplus: number | undefined;
    await this.#whileReading(async (isCurrent) => {
      const { data } = await this.#read(AlertsTotalDocument, { filter: this.#filter });
      // What was raised or deleted in the meantime may be counted or not.
      if (!data || !isCurrent() || this.#postponed.length > 0) return;
      surplus = this.total + this.waiting - this.#marked - data.alerts.totalCount;
    });
    return surplus;
  }

  get #selectsMarks(): boolean {
    const { acknowledged, bookmark, falsePositive } = this.#filter;
    return acknowledged != null || bookmark != null || falsePositive != null;
  }

  /**
   * How many alerts are still in their places although marks took them out of the filter,
   * so that the reader can go on from them and undo that.
   */
  get #marked(): number {
    if (!this.#selectsMarks) return 0;
    const { acknowledged, bookmark, falsePositive } = this.#filter;
    const marks = { acknowledged, bookmark, falsePositive } as AlertFilter;
    return this.#list.count((alert) => !matches(alert, marks, serverTime()));
  }

  /**
   * Reads what is shown and not there, page by page, one after the other: what was passed
   * in the meantime is left out.
   */
  async #fill(): Promise<void> {
    if (!this.isReady || this.failure || this.#isFilling) return;
    this.#isFilling = true;
    let [shown, reads] = [this.#shown, 0];
    const generation = this.#generation;
    for (
      let place = this.#list.firstMissing(...shown);
      place !== undefined;
      place = this.#list.firstMissing(...this.#shown)
    ) {
      if (shown.join() !== this.#shown.join()) [shown, reads] = [this.#shown, 0];
      reads += 1;
      // Answers that contradict each other make what was there go again and again.
      if (reads > (shown[1] - shown[0]) / pageSize + spareReads) this.#contradict();
      else await this.#readPage(place);
      if (generation !== this.#generation) return;
      if (this.failure) break;
    }
    this.#isFilling = false;
  }

  /**
   * Reads a page with the alert in a place: from where it is near on, if it is near to
   * what is there or to the end of the list.
   */
  async #readPage(place: number): Promise<void> {
    const { start, end } = this.#list.gapAround(place);
    if (place - start < pageSize) return this.#readDown(start, end);
    const before = end === this.total ? null : this.#list.cursorAt(end);
    if (end - place > pageSize || before === undefined) return this.#readDown(place, end);
    // Of those that wait some may come to be counted among these.
    const below = this.total - end;
    await this.#readEdges({ last: pageSize, before }, (edges) => {
      this.#list.put(this.total - below - edges.length, edges);
      return edges.length === pageSize;
    });
  }

  /** Reads the page that begins in a place, which has nothing up to `end`. */
  async #readDown(start: number, end: number): Promise<void> {
    const anchor = this.#list.anchorAbove(start);
    // The alert that follows must be the one that is there already: what was read by its
    // number may be elsewhere.
    const first = end === this.total ? pageSize : Math.min(pageSize, end - start + 1);
    // What is raised does not change how far it is from another alert.
    const from = anchor
      ? { after: anchor.cursor, offset: anchor.distance || null }
      : { offset: start === 0 ? null : start + this.waiting };
    await this.#readEdges({ first, ...from }, (edges) => {
      this.#list.put(start, edges);
      const isEndKnown = edges.length > 0 || start === 0 || this.at(start - 1) !== undefined;
      // There are fewer than were counted.
      if (edges.length < first && isEndKnown) this.#list.endAt(start + edges.length);
      return isEndKnown;
    });
  }

  /**
   * Reads alerts and has them put in the list; if that says that they contradict it, the
   * list is read again.
   */
  async #readEdges(
    page: Omit<AlertsPageQueryVariables, "filter">,
    put: (edges: AlertEdges) => boolean,
  ): Promise<void> {
    let isRight = true;
    await this.#whileReading(async (isCurrent) => {
      const { data, error } = await this.#read(AlertsPageDocument, { filter: this.#filter, ...page });
      if (!isCurrent()) return;
      this.#fail(error);
      if (!data) return;
      // What is shown with those around it need not wait.
      for (const { node } of data.alerts.edges) if (this.#waiting.delete(node.id)) this.#insert(node);
      isRight = put(data.alerts.edges);
      this.#list.forgetAround(...this.#shown);
    });
    if (!isRight) await this.reload();
  }

  /**
   * Says why the list could not be read; for a reason that may pass it is read again
   * later.
   */
  #fail(error: CombinedError | undefined): void {
    this.failure = error;
    if (error && isPassing(error)) this.#subscriptions.push(tryAgainLater(() => void this.reload()));
  }

  /** Stops reading after answers of which not all can be right. */
  #contradict(): void {
    this.#fail(new CombinedError({ graphQLErrors: ["The list of alerts contradicts their number."] }));
    this.#notify();
  }

  #read<Data, Variables extends AnyVariables>(
    document: DocumentInput<Data, Variables>,
    variables: Variables,
  ) {
    return this.#client.query(document, variables, { requestPolicy: "network-only" }).toPromise();
  }

  #notify(): void {
    this.version += 1;
    for (const listener of this.#listeners) listener();
  }
}
