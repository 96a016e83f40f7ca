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
} from "../../../generated/console.js";
import { isPassing } from "../../data/failure.js";
import { tryAgainLater } from "../../data/recovery.js";
import { serverTime } from "../../data/server-time.js";
import { Listeners } from "../../listeners.js";
import { matches } from "../filter/alert-matching.js";
import { LoadedAlerts } from "./loaded-alerts.js";

const pageSize = 100;
/** The maximum number of waiting alerts. Beyond it, the stream reads the list again. */
const mostWaiting = 500;
/** The time for which an alert counts as just raised, in milliseconds. */
const freshness = 1_500;
/** The pause before counting alerts again, in milliseconds: many alerts often change at once. */
const recountPause = 2_000;
/** The number of reads in a row beyond those needed: more mean that answers contradict each other. */
const spareReads = 5;

type Unsubscribe = () => void;
type AlertEdges = AlertsPageQuery["alerts"]["edges"];

/**
 * The alerts that match a filter, newest first. Holds only those around the shown ones, but knows the positions of all.
 * Follows alerts as they are raised, marked and deleted. New alerts that would make the reader lose their position wait
 * until {@link release}.
 */
export class AlertStream {
  readonly #client: Client;
  #filter: AlertFilter;
  readonly #listeners = new Listeners();
  readonly #list = new LoadedAlerts((id) => this.retains(id));
  #waiting = new Map<string, AlertItemFragment>();
  /** The number of waiting alerts that are not kept. */
  #waitingBeyond = 0;
  #subscriptions: Unsubscribe[] = [];
  #shown: readonly [first: number, last: number] = [0, 0];
  #reading = 0;
  #postponed: (() => void)[] = [];
  #isFilling = false;
  /** Whether alerts may have been added or removed in a gap, so that the positions below it are uncertain. */
  #isUncertain = false;
  #recounting: ReturnType<typeof setTimeout> | undefined;
  /** Increases each time the list is read again. Answers for an earlier generation come too late. */
  #generation = 0;

  /** Increases with each visible change. */
  version = 0;
  isReady = false;
  /** The reason why reading the list failed; undefined if it succeeded. */
  failure: CombinedError | undefined;
  /** Whether new alerts have to wait. */
  holdsBack = false;
  /** Alerts for which this returns true are never forgotten. */
  retains: (id: string) => boolean = () => false;

  constructor(client: Client, filter: AlertFilter) {
    this.#client = client;
    this.#filter = filter;
  }

  readonly subscribe = this.#listeners.add;

  /** Reads the list, and follows it until the returned function is called. */
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

  get total(): number {
    return this.#list.total;
  }

  /** How many alerts match, without those that keep their positions although they no longer do; undefined until known. */
  get matching(): number | undefined {
    return this.isReady ? this.total - this.#marked : undefined;
  }

  get waiting(): number {
    return this.#waiting.size + this.#waitingBeyond;
  }

  /** The alert at a position; undefined until it has been read. */
  at(index: number): AlertItemFragment | undefined {
    return this.#list.at(index);
  }

  /** The alerts that have been read from one position to another, both inclusive. */
  between(first: number, last: number): Iterable<AlertItemFragment> {
    return this.#list.between(first, last);
  }

  /** An alert that has been read. */
  get(id: string): AlertItemFragment | undefined {
    return this.#list.get(id);
  }

  /** The position of an alert; -1 if unknown. */
  indexOf(id: string): number {
    return this.#list.positionOf(id);
  }

  isFresh(id: string): boolean {
    return performance.now() - (this.#list.insertedAt(id) ?? Number.NEGATIVE_INFINITY) < freshness;
  }

  /** Reads the list again, because events during a disconnection are lost. */
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

  /** Applies the filter as of now: drops alerts that left the period from the end of the list, or reads it again. */
  async moveOn(filter: AlertFilter): Promise<void> {
    this.#filter = filter;
    if (!this.isReady) return;
    const surplus = await this.#surplus();
    if (!surplus) return;
    if (surplus < 0 || surplus > this.total || !filter.start) return this.reload();
    this.#list.endAt(this.total - surplus);
    this.#notify();
  }

  /** Starts another list, of which one page has been read. */
  #begin(totalCount: number, offset: number, edges: AlertEdges) {
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

  /** Sets the shown positions, both inclusive, and reads their alerts. */
  show(first: number, last: number): void {
    this.#shown = [first, last];
    void this.#fill();
  }

  /** Reads the alerts around an alert that was opened by its address, to find its neighbours. */
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
      if (!page.data || !isCurrent()) return;
      this.#list.put(offset, page.data.alerts.edges);
      const position = this.indexOf(alert.id);
      // Reads that end before the view shows this position must not forget it.
      if (position >= 0) this.#shown = [position, position];
    });
  }

  /** Replaces the marks of alerts. */
  change(changed: readonly AlertMarksFragment[]): void {
    const replace = () => {
      for (const marks of changed) {
        const waiting = this.#waiting.get(marks.id);
        if (waiting) this.#waiting.set(marks.id, { ...waiting, ...marks });
        // An alert that has not been read may have entered or left the filter.
        else if (!this.#list.change(marks) && this.#selectsMarks) this.#recountLater();
      }
    };
    replace();
    // A running read may return the old marks.
    if (this.#reading > 0) this.#postponed.push(replace);
    this.#notify();
  }

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
        // Pages were read as if all waiting alerts came first.
        if (this.indexOf(alert.id) !== 0) this.#doubt();
      }
    });
  }

  /** Changes the list after the running reads, whose answers have positions in the list as it was when they began. */
  #alter(change: () => void) {
    if (this.#reading > 0) this.#postponed.push(change);
    else {
      change();
      this.#notify();
    }
  }

  /** Runs a read. `isCurrent` tells it whether the list is still the one for which it began. */
  async #whileReading(read: (isCurrent: () => boolean) => Promise<void>) {
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
      // The answers may or may not include these changes.
      this.#doubt();
    }
    this.#notify();
  }

  #raise(alert: AlertItemFragment) {
    if (!this.isReady || this.#waiting.has(alert.id)) return;
    if (!this.holdsBack) this.#insert(alert);
    else if (this.#waiting.size === mostWaiting) this.#waitingBeyond += 1;
    else if (this.indexOf(alert.id) < 0) this.#waiting.set(alert.id, alert);
  }

  /**
   * Inserts an alert where its time belongs, as detectors may report late. If its neighbours have not been read, it is
   * read with them later.
   */
  #insert(alert: AlertItemFragment) {
    // An alert that was read before its event may or may not be counted already.
    if (this.indexOf(alert.id) >= 0 || !this.#list.insert(alert)) this.#doubt();
    this.#list.forgetAround(...this.#shown);
  }

  #remove(id: string) {
    if (!this.#waiting.delete(id) && !this.#list.remove(id)) this.#recountLater();
  }

  /**
   * Counts the alerts again later, and reads the positions below a gap again: an alert in the gap may have been counted
   * when they were read.
   */
  #doubt() {
    this.#isUncertain = true;
    this.#recountLater();
  }

  /** Counts the alerts again later, after a change to an alert whose position in the list is unknown. */
  #recountLater() {
    this.#recounting ??= setTimeout(() => {
      this.#recounting = undefined;
      void this.#recount();
    }, recountPause);
  }

  async #recount() {
    if (!this.isReady || this.failure) return;
    const surplus = await this.#surplus();
    if (surplus === undefined || (surplus === 0 && !this.#isUncertain)) return;
    if (this.#shown[1] >= this.#list.connected && this.#list.connected < this.total) return this.reload();
    this.#isUncertain = false;
    this.#list.recount(this.total - surplus);
    this.#notify();
    void this.#fill();
  }

  /** The number of alerts in the list and waiting, minus that in the database; undefined if it cannot be determined. */
  async #surplus() {
    let surplus: number | undefined;
    await this.#whileReading(async (isCurrent) => {
      const { data } = await this.#read(AlertsTotalDocument, { filter: this.#filter });
      // Alerts that were raised or deleted meanwhile may or may not be counted.
      if (!data || !isCurrent() || this.#postponed.length > 0) return;
      surplus = this.total + this.waiting - this.#marked - data.alerts.totalCount;
    });
    return surplus;
  }

  get #filterOfMarks() {
    const { acknowledged, bookmark, falsePositive, open, hasClip } = this.#filter;
    return { acknowledged, bookmark, falsePositive, open, hasClip };
  }

  get #selectsMarks() {
    return Object.values(this.#filterOfMarks).some((wanted) => wanted != null);
  }

  /** The number of marked alerts that no longer match but keep their positions, so that marks can be undone there. */
  get #marked() {
    if (!this.#selectsMarks) return 0;
    return this.#list.count((alert) => !matches(alert, this.#filterOfMarks, serverTime()));
  }

  /** Reads the missing alerts of the shown positions, page by page. Skips positions that the reader has passed. */
  async #fill() {
    if (!this.isReady || this.failure || this.#isFilling) return;
    this.#isFilling = true;
    let [shown, reads] = [this.#shown, 0];
    const generation = this.#generation;
    for (
      let position = this.#list.firstMissing(...shown);
      position !== undefined;
      position = this.#list.firstMissing(...this.#shown)
    ) {
      if (shown.join() !== this.#shown.join()) [shown, reads] = [this.#shown, 0];
      reads += 1;
      // If answers contradict each other, alerts disappear again and again.
      if (reads > (shown[1] - shown[0]) / pageSize + spareReads) this.#contradict();
      else await this.#readPage(position);
      if (generation !== this.#generation) return;
      if (this.failure) break;
    }
    this.#isFilling = false;
  }

  /** Reads a page with the alert at a position, starting from nearby alerts or the end of the list if close. */
  async #readPage(position: number) {
    const { start, end } = this.#list.gapAround(position);
    if (position - start < pageSize) return this.#readDown(start, end);
    const before = end === this.total ? null : this.#list.cursorAt(end);
    if (end - position > pageSize || before === undefined) return this.#readDown(position, end);
    // Some waiting alerts may turn out to be counted among these.
    const below = this.total - end;
    await this.#readEdges({ last: pageSize, before }, (edges) => {
      this.#list.put(this.total - below - edges.length, edges);
      return edges.length === pageSize;
    });
  }

  /** Reads the page that begins at a position. No alert is there up to `end`. */
  async #readDown(start: number, end: number) {
    const anchor = this.#list.anchorAbove(start);
    // The next alert must be the one that is there already: alerts that were read by offset may be elsewhere.
    const first = end === this.total ? pageSize : Math.min(pageSize, end - start + 1);
    // New alerts do not change the distance to another alert.
    const from = anchor
      ? { after: anchor.cursor, offset: anchor.distance || null }
      : { offset: start === 0 ? null : start + this.waiting };
    await this.#readEdges({ first, ...from }, (edges) => {
      this.#list.put(start, edges);
      const isEndKnown = edges.length > 0 || start === 0 || this.at(start - 1) !== undefined;
      // The list is shorter than it was counted.
      if (edges.length < first && isEndKnown) this.#list.endAt(start + edges.length);
      return isEndKnown;
    });
  }

  /** Reads alerts, and passes them to `put`. Reads the list again if that reports a contradiction with the list. */
  async #readEdges(page: Omit<AlertsPageQueryVariables, "filter">, put: (edges: AlertEdges) => boolean) {
    let isRight = true;
    await this.#whileReading(async (isCurrent) => {
      const { data, error } = await this.#read(AlertsPageDocument, { filter: this.#filter, ...page });
      if (!isCurrent()) return;
      this.#fail(error);
      if (!data) return;
      // An alert that is shown together with its neighbours need not wait.
      for (const { node } of data.alerts.edges) if (this.#waiting.delete(node.id)) this.#insert(node);
      isRight = put(data.alerts.edges);
      this.#list.forgetAround(...this.#shown);
    });
    if (!isRight) await this.reload();
  }

  /** Records why reading the list failed, and reads it again later if the cause may pass. */
  #fail(error: CombinedError | undefined) {
    this.failure = error;
    if (error && isPassing(error)) this.#subscriptions.push(tryAgainLater(() => void this.reload()));
  }

  #contradict() {
    this.#fail(new CombinedError({ graphQLErrors: ["The list of alerts contradicts their number."] }));
    this.#notify();
  }

  #read<Data, Variables extends AnyVariables>(
    document: DocumentInput<Data, Variables>,
    variables: Variables,
  ) {
    return this.#client.query(document, variables, { requestPolicy: "network-only" }).toPromise();
  }

  #notify() {
    this.version += 1;
    this.#listeners.notify();
  }
}
