import "./alerts-view.css";
import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { useClient } from "urql";
import { AlertDetailsDocument, type AlertFilterChoicesQuery } from "../../generated/console.js";
import { isOffline, useConnection, useReconnections } from "../data/connection.js";
import { failedChange } from "../data/failure.js";
import { FailureNotice } from "../data/query.js";
import { serverTime } from "../data/server-time.js";
import { useShortcuts } from "../keyboard/shortcuts.js";
import { useMessages, useStepOfTime } from "../language/language.js";
import { changeQuery, useAddress } from "../navigation/location.js";
import { StreamTime } from "../period/stream-time.js";
import { isReview, ReviewEnd, reviewParameters, useReview } from "../review/review.js";
import { AlertIcon } from "../shell/icons.js";
import { Notice, Outcome } from "../shell/notice/notice.js";
import { QuietPlaces } from "../snooze/quiet-places.js";
import { AcknowledgeMatching } from "./acknowledge-matching.js";
import { type AlertActions, useAlertActions } from "./alert-actions.js";
import { AlertChoices, timeZonesOf } from "./alert-choices.js";
import { AlertToolbar } from "./alert-toolbar.js";
import { AlertDetails } from "./details/alert-details.js";
import { MarkButtons, markKeys } from "./details/mark-buttons.js";
import {
  type AlertSelection,
  alertFilterOf,
  alertParametersOf,
  alertSelectionOf,
  endsBeforeStart,
  isMoving,
  marks,
  selectsAll,
} from "./filter/alert-filter.js";
import { AlertList, type AlertListHandle } from "./list/alert-list.js";
import { AlertStream } from "./list/alert-stream.js";
import { useAlertTexts } from "./texts.js";

const minute = 60_000;

/** The stream of alerts, with one alert in front of it when opened. */
export const AlertsView = () => <AlertChoices>{(choices) => <Alerts choices={choices} />}</AlertChoices>;

/**
 * Tells a listener about changes of a stream at most once in a frame: thousands of alerts may be marked at
 * once, and drawing the view for each would take far longer.
 */
function subscribeByFrame(stream: AlertStream, listener: () => void) {
  let frame: number | undefined;
  const unsubscribe = stream.subscribe(() => {
    frame ??= requestAnimationFrame(() => {
      frame = undefined;
      listener();
    });
  });
  return () => {
    unsubscribe();
    if (frame !== undefined) cancelAnimationFrame(frame);
  };
}

/** The stream of alerts that match a selection. Each selection gets its own stream. */
function useAlertStream(selection: AlertSelection) {
  const client = useClient();
  const key = JSON.stringify(alertParametersOf(selection));
  const filterNow = () => alertFilterOf(selection, new Date(serverTime()));
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the selection.
  const stream = useMemo(() => new AlertStream(client, filterNow()), [client, key]);
  useEffect(() => stream.start(), [stream]);
  const present = useStepOfTime(minute);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each minute, a period that ends now may select other alerts.
  useEffect(() => {
    if (isMoving(selection)) void stream.moveOn(filterNow());
  }, [stream, present]);
  const subscribe = useCallback((listener: () => void) => subscribeByFrame(stream, listener), [stream]);
  useSyncExternalStore(subscribe, () => stream.version);
  const reconnections = useReconnections();
  useEffect(() => {
    if (reconnections > 0 && stream.isReady) void stream.reload();
  }, [stream, reconnections]);
  return stream;
}

function Alerts({ choices }: { choices: AlertFilterChoicesQuery }) {
  const messages = useMessages();
  const alertTexts = useAlertTexts();
  const address = useAddress();
  const selection = alertSelectionOf(address);
  const stream = useAlertStream(selection);
  const openId = address.get("alert");
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const list = useRef<AlertListHandle>(null);
  const client = useClient();
  const paintedTiles = useRef(new Set<string>());
  const onTilePainted = useCallback((id: string) => paintedTiles.current.add(id), []);
  const paintedDetails = useRef<string>(undefined);
  const onDetailsPainted = useCallback((id: string) => {
    paintedDetails.current = id;
  }, []);
  const actions = useAlertActions({
    stream,
    isPainted: (id) => (openId === null ? paintedTiles.current.has(id) : paintedDetails.current === id),
    onCommented: () => {
      const id = address.get("alert");
      if (id) void client.query(AlertDetailsDocument, { id }, { requestPolicy: "network-only" }).toPromise();
    },
  });
  useEffect(() => setSelected((present) => (stream && present.size > 0 ? new Set() : present)), [stream]);
  stream.retains = (id) => selected.has(id) || id === openId;
  const writable = new Set(
    choices.facilities
      .filter(({ viewerPermissions }) => viewerPermissions.includes("alerts:write"))
      .map(({ id }) => id),
  );
  const mayMark = (id: string) => writable.has(stream.get(id)?.facilityId ?? "");
  const select = useSelecting({ stream, mayMark, selected, setSelected });
  /** The alerts that a key acts on: the open one, the selected ones, or the focused one. */
  const targets = () => {
    const chosen = openId ?? (selected.size === 0 ? list.current?.focusedId() : undefined);
    return chosen === undefined ? [...selected] : [chosen].filter(mayMark);
  };
  const isReviewing = isReview(address);
  const { settled } = actions;
  const review = useReview({ stream, isOn: isReviewing, openId, settled, step: () => step(1) });
  /** Acknowledges, and goes on to the next alert; leaves the key alone where none is meant. */
  const acknowledgeAndGoOn = (isHeld: boolean) => {
    const ids = targets();
    if (isHeld) return true;
    if (ids.length === 0 && openId === null) return false;
    const isAllowed = ids.length === 0 || actions.acknowledge(ids);
    if (isAllowed && (openId !== null || selected.size === 0)) void review.goOn();
    return true;
  };
  /** Toggles a mark; a false positive needs no other look, so that a review goes on. */
  const toggle: AlertActions["toggle"] = (ids, mark) => {
    const goesOn =
      isReviewing &&
      mark === "falsePositive" &&
      actions.mayAct(ids) &&
      !stream.get(openId ?? "")?.falsePositive;
    const toggled = actions.toggle(ids, mark);
    if (goesOn) void review.goOn();
    return toggled;
  };
  const step = (by: number) => {
    if (!openId) return list.current?.move(by);
    const index = stream.indexOf(openId);
    const neighbour = index < 0 ? undefined : stream.at(index + by);
    if (neighbour) changeQuery({ alert: neighbour.id }, { replace: true });
  };
  const { keys } = alertTexts;
  const close = () => {
    changeQuery({ alert: undefined, review: undefined, view: "alerts" });
    if (openId) list.current?.focus(openId);
  };
  useShortcuts(messages.views.alerts, [
    { keys: "j", label: keys.next, run: () => step(1) },
    { keys: "k", label: keys.previous, run: () => step(-1) },
    ...(writable.size === 0
      ? []
      : [
          ...marks.map((mark) => ({
            keys: markKeys[mark],
            label: alertTexts.marks[mark].set,
            run: (isHeld: boolean) => {
              const ids = targets();
              if (ids.length > 0 && !isHeld) void toggle(ids, mark);
            },
          })),
          { keys: "Space", label: alertTexts.review.acknowledgeAndGoOn, run: acknowledgeAndGoOn },
          { keys: "z", label: keys.undo, run: () => void actions.undo() },
        ]),
    ...(openId || isReviewing
      ? [
          { keys: "ArrowRight", label: keys.next, run: () => step(1) },
          { keys: "ArrowLeft", label: keys.previous, run: () => step(-1) },
          { keys: "Escape", label: keys.close, run: close },
        ]
      : [
          {
            keys: "x",
            label: keys.select,
            run: () => {
              const focused = list.current?.focusedId();
              if (focused) select(focused, false);
            },
          },
          {
            keys: "v",
            label: keys.layout,
            run: () => changeQuery({ layout: address.get("layout") === "list" ? undefined : "list" }),
          },
          { keys: ".", label: keys.showNew, run: () => list.current?.showNew() },
          { keys: "Escape", label: keys.clearSelection, run: () => setSelected(new Set()) },
        ]),
  ]);
  const isFiltered = !selectsAll(selection);
  const total = stream.isReady ? stream.total : undefined;
  return (
    <>
      <div className="alerts" inert={openId !== null || review.isDone}>
        <AlertToolbar
          choices={choices}
          selection={selection}
          total={stream.matching}
          layout={address.get("layout")}
        >
          {writable.size > 0 && stream.total > 0 && (
            <MatchingAlertActions selection={selection} actions={actions} />
          )}
        </AlertToolbar>
        <QuietPlaces facilityIds={selection.facilityIds} cameraIds={selection.cameraIds} />
        {stream.failure && <FailureNotice error={stream.failure} onRetry={() => void stream.reload()} />}
        {total === 0 && <NoAlerts isFiltered={isFiltered} endsBeforeStart={endsBeforeStart(selection)} />}
        {(stream.isReady || !stream.failure) && (
          <StreamTime
            selection={selection}
            total={total}
            alertOf={(id) => stream.get(id)}
            timeZones={timeZonesOf(choices, selection)}
          >
            <AlertList
              ref={list}
              stream={stream}
              layout={address.get("layout") === "list" ? "list" : "grid"}
              isCovered={openId !== null}
              selected={selected}
              mayMark={mayMark}
              onSelect={select}
              onPainted={onTilePainted}
            />
          </StreamTime>
        )}
        {selected.size > 0 && openId === null && (
          <SelectionBar count={selected.size} onClear={() => setSelected(new Set())}>
            <MarkButtons
              alerts={[...selected].flatMap((id) => stream.get(id) ?? [])}
              onToggle={(mark) => void actions.toggle([...selected], mark)}
            />
          </SelectionBar>
        )}
      </div>
      {openId !== null && (
        <AlertDetails
          key="details"
          id={openId}
          stream={stream}
          isListReady={stream.isReady}
          index={stream.indexOf(openId)}
          actions={{ ...actions, toggle }}
          onPainted={onDetailsPainted}
          onStep={step}
          isReviewed={isReviewing && mayMark(openId)}
          onGoOn={() => acknowledgeAndGoOn(false)}
          onClose={close}
        />
      )}
      {review.isDone && <ReviewEnd onClose={close} />}
      <ActionOutcome actions={actions} />
    </>
  );
}

function MatchingAlertActions({ selection, actions }: { selection: AlertSelection; actions: AlertActions }) {
  const texts = useAlertTexts().review;
  if (selection.acknowledged === true) return null;
  return (
    <>
      <button
        type="button"
        className="primary"
        title={texts.startHint}
        onClick={() => changeQuery(reviewParameters(selection))}
      >
        {texts.start}
      </button>
      <AcknowledgeMatching selection={selection} actions={actions} />
    </>
  );
}

function NoAlerts({ isFiltered, endsBeforeStart }: { isFiltered: boolean; endsBeforeStart: boolean }) {
  const alertTexts = useAlertTexts();
  const clear = (
    <button type="button" onClick={() => changeQuery(alertParametersOf({}))}>
      {alertTexts.clearFilters}
    </button>
  );
  return (
    <Notice
      icon={<AlertIcon />}
      title={isFiltered ? alertTexts.noMatch : alertTexts.none}
      actions={isFiltered && clear}
    >
      {endsBeforeStart
        ? alertTexts.filters.endsBeforeStart
        : isFiltered
          ? alertTexts.noMatchText
          : alertTexts.noneText}
    </Notice>
  );
}

function SelectionBar({
  count,
  onClear,
  children,
}: {
  count: number;
  onClear: () => void;
  children: React.ReactNode;
}) {
  const messages = useMessages();
  const alertTexts = useAlertTexts();
  return (
    <section className="selection-bar floating-bar" aria-label={alertTexts.selection}>
      <span role="status">{alertTexts.selected(count)}</span>
      {children}
      <button type="button" onClick={onClear}>
        {messages.common.clear}
      </button>
    </section>
  );
}

/** How long the outcome of an action is shown, in milliseconds. Undoing stays possible for longer. */
const outcomeShown = 12_000;

function ActionOutcome({
  actions: { done, undone, failure, refusal, tryAgain, undo, dismiss },
}: {
  actions: AlertActions;
}) {
  const messages = useMessages();
  const alertTexts = useAlertTexts();
  const [hidden, setHidden] = useState<unknown>();
  useEffect(() => {
    const timer = setTimeout(() => setHidden(refusal ?? done ?? undone), outcomeShown);
    return () => clearTimeout(timer);
  }, [refusal, done, undone]);
  // What was refused offline can be done again.
  const isBack = useConnection() !== "lost" && !isOffline();
  const isOver = refusal === hidden || (refusal?.reason === "offline" && isBack);
  const isShown = done !== undefined && done !== hidden && !refusal;
  return (
    <Outcome hasFailed={failure !== undefined || refusal !== undefined}>
      {refusal && !isOver && (
        <span>{refusal.reason === "offline" ? messages.changes.offline : alertTexts.unseen}</span>
      )}
      {undone && undone !== hidden && !refusal && <span>{messages.common.undone}</span>}
      {isShown && (
        <>
          <span>{alertTexts.done[done.kind](done.count, done.value)}</span>
          <button type="button" onClick={() => void undo()}>
            {messages.common.undo} <kbd>z</kbd>
          </button>
        </>
      )}
      {failure && (
        <>
          <span>{failedChange(failure, messages)}</span>
          {tryAgain && (
            <button type="button" onClick={() => void tryAgain()}>
              {messages.common.retry}
            </button>
          )}
          <button type="button" onClick={dismiss}>
            {messages.common.close}
          </button>
        </>
      )}
    </Outcome>
  );
}

/** The maximum number of alerts that the API marks at once. */
const mostSelected = 1_000;

interface Selecting {
  stream: AlertStream;
  /** Whether the viewer may mark an alert. Others cannot be selected. */
  mayMark: (id: string) => boolean;
  selected: ReadonlySet<string>;
  setSelected: (selected: ReadonlySet<string>) => void;
}

/** Selects or deselects an alert, with `isRange` a range. A new function each time would render all tiles again. */
function useSelecting(selecting: Selecting): (id: string, isRange: boolean) => void {
  const latest = useRef(selecting);
  latest.current = selecting;
  const lastSelected = useRef<string>(undefined);
  return useCallback((id, isRange) => {
    const { stream, mayMark, selected, setSelected } = latest.current;
    const next = new Set(selected);
    const add = (each: string) => mayMark(each) && next.size < mostSelected && next.add(each);
    const from = isRange && lastSelected.current !== undefined ? stream.indexOf(lastSelected.current) : -1;
    if (from < 0) next.delete(id) || add(id);
    else {
      const to = stream.indexOf(id);
      for (const each of stream.between(Math.min(from, to), Math.max(from, to))) add(each.id);
    }
    lastSelected.current = id;
    setSelected(next);
  }, []);
}
