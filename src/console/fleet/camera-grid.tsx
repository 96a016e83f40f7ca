import { useEffect, useMemo, useRef, useState } from "react";
import {
  type CameraFilter,
  type CameraState,
  FleetCamerasDocument,
  type StateCountFragment,
} from "../../generated/console.js";
import { QueryResult } from "../data/query-result.js";
import { useRepeatedQuery } from "../data/repeated-query.js";
import { useLanguage } from "../language/language.js";
import { changeQuery } from "../navigation/location.js";
import { CameraIcon } from "../shell/icons.js";
import { Notice } from "../shell/notice.js";
import { useMay } from "../viewer/viewer.js";
import { countIn, toneOf } from "./camera-states.js";
import { CameraTile } from "./camera-tile.js";
import { type FleetFilter, placeFilterOf, shownStates } from "./fleet-filter.js";
import { useTexts } from "./texts.js";

const pageSize = 60;

interface CameraGridProps {
  filter: FleetFilter;
  /** The numbers of cameras by state. */
  counts: readonly StateCountFragment[];
  /** Changes whenever the cameras are to be read again. */
  revision: number;
}

/**
 * The cameras that match a filter, state by state, worst first. They are loaded page by
 * page as the reader scrolls.
 */
export function CameraGrid({ filter, counts, revision }: CameraGridProps) {
  const texts = useTexts();
  const place = placeFilterOf(filter);
  const key = JSON.stringify(place);
  const shown = shownStates(filter);
  const total = countIn(shown, counts);
  return (
    <>
      <p className="visually-hidden" role="status">
        {texts.found(total)}
      </p>
      {total === 0 ? (
        <NoMatch filter={filter} />
      ) : (
        <StateSections key={key} place={place} states={shown} counts={counts} revision={revision} />
      )}
    </>
  );
}

interface StateSectionsProps {
  place: CameraFilter;
  states: readonly CameraState[];
  counts: readonly StateCountFragment[];
  revision: number;
}

/**
 * A section for each state in which there are cameras, up to the first incomplete one.
 */
function StateSections({ place, states, counts, revision }: StateSectionsProps) {
  const [complete, setComplete] = useState<ReadonlySet<CameraState>>(new Set());
  const sections: { state: CameraState; count: number }[] = [];
  for (const state of states) {
    const count = countIn([state], counts);
    if (count === 0) continue;
    sections.push({ state, count });
    if (count > pageSize && !complete.has(state)) break;
  }
  return sections.map(({ state, count }) => (
    <StateSection
      key={state}
      place={place}
      state={state}
      count={count}
      revision={revision}
      onComplete={() => setComplete((present) => new Set([...present, state]))}
    />
  ));
}

interface StateSectionProps {
  place: CameraFilter;
  state: CameraState;
  count: number;
  revision: number;
  /** Called when the last of the cameras are shown. */
  onComplete: () => void;
}

function StateSection({ place, state, count, revision, onComplete }: StateSectionProps) {
  const { messages, formats } = useLanguage();
  const [cursors, setCursors] = useState<(string | null)[]>([null]);
  const filter = useMemo(() => ({ ...place, states: [state] }), [place, state]);
  const title = messages.fleet.states[state];
  return (
    <section className="camera-pages" aria-label={title}>
      <h3 className="state-title" data-tone={toneOf(state)}>
        {title} <span className="hint">{formats.number(count)}</span>
      </h3>
      {cursors.map((after, index) => (
        <CameraPage
          key={after}
          filter={filter}
          after={after}
          isLast={index === cursors.length - 1}
          revision={revision}
          onMore={(cursor) =>
            setCursors((present) => (present.includes(cursor) ? present : [...present, cursor]))
          }
          onComplete={onComplete}
        />
      ))}
    </section>
  );
}

interface CameraPageProps {
  filter: CameraFilter;
  after: string | null;
  isLast: boolean;
  revision: number;
  onMore: (cursor: string) => void;
  onComplete: () => void;
}

function CameraPage({ filter, after, isLast, revision, onMore, onComplete }: CameraPageProps) {
  const variables = useMemo(() => ({ filter, first: pageSize, after }), [filter, after]);
  const [result, readAgain] = useRepeatedQuery({ query: FleetCamerasDocument, variables }, revision);
  const isComplete = isLast && result.data?.searchCameras.pageInfo.hasNextPage === false;
  const latest = useRef(onComplete);
  latest.current = onComplete;
  useEffect(() => {
    if (isComplete) latest.current();
  }, [isComplete]);
  return (
    <QueryResult result={result} onRetry={readAgain} placeholder={<TilePlaceholders />}>
      {({ searchCameras: { nodes, pageInfo } }) => (
        <>
          <ul className="camera-grid">
            {nodes.map((camera) => (
              <li key={camera.id}>
                <CameraTile camera={camera} />
              </li>
            ))}
          </ul>
          {isLast && pageInfo.hasNextPage && pageInfo.endCursor && (
            <MoreButton onMore={() => onMore(pageInfo.endCursor as string)} />
          )}
        </>
      )}
    </QueryResult>
  );
}

/** Loads the next page when the button comes into sight or is pressed. */
function MoreButton({ onMore }: { onMore: () => void }) {
  const { messages } = useLanguage();
  const button = useRef<HTMLButtonElement>(null);
  const latest = useRef(onMore);
  latest.current = onMore;
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && latest.current(),
      {
        rootMargin: "600px",
      },
    );
    if (button.current) observer.observe(button.current);
    return () => observer.disconnect();
  }, []);
  return (
    <button ref={button} type="button" className="more" onClick={onMore}>
      {messages.common.showMore}
    </button>
  );
}

function NoMatch({ filter }: { filter: FleetFilter }) {
  const { messages } = useLanguage();
  const texts = useTexts();
  const mayAdd = useMay("cameras:write");
  const isFiltered = filter.text !== "" || filter.states.length > 0 || filter.facilityIds.length > 0;
  const clear = (
    <button
      type="button"
      onClick={() =>
        changeQuery({ text: undefined, operational: undefined, state: undefined, facility: undefined })
      }
    >
      {texts.clearFilters}
    </button>
  );
  return (
    <Notice
      icon={<CameraIcon />}
      title={isFiltered ? messages.fleet.noMatch : messages.fleet.noCameras}
      actions={isFiltered && clear}
    >
      {isFiltered ? texts.noMatchText : mayAdd ? messages.fleet.noCamerasText : messages.fleet.noCamerasYet}
    </Notice>
  );
}

/** The outlines of coming cameras. */
export function TilePlaceholders() {
  return (
    <div className="camera-grid" aria-busy="true">
      {[1, 2, 3, 4, 5, 6, 7, 8].map((each) => (
        <div key={each} className="camera-tile placeholder" />
      ))}
    </div>
  );
}
