import { useEffect, useMemo, useRef, useState } from "react";
import { useQuery, useSubscription } from "urql";
import { FleetCamerasDocument, StatusOfCamerasDocument } from "../../generated/console.js";
import { QueryResult } from "../data/query-result.js";
import { useLanguage } from "../language/language.js";
import { changeQuery } from "../navigation/location.js";
import { CameraIcon } from "../shell/icons.js";
import { Notice } from "../shell/notice.js";
import { useMay } from "../viewer/viewer.js";
import { CameraTile } from "./camera-tile.js";
import { cameraFilterOf, type FleetFilter } from "./fleet-filter.js";

const pageSize = 60;

/** The cameras that match a filter, loaded page by page as the reader scrolls. */
export function CameraGrid({ filter }: { filter: FleetFilter }) {
  const key = JSON.stringify(cameraFilterOf(filter));
  return <CameraPages key={key} filter={filter} />;
}

function CameraPages({ filter }: { filter: FleetFilter }) {
  const [cursors, setCursors] = useState<(string | null)[]>([null]);
  return (
    <div className="camera-pages">
      {cursors.map((after, index) => (
        <CameraPage
          key={after}
          filter={filter}
          after={after}
          isLast={index === cursors.length - 1}
          onMore={(cursor) =>
            setCursors((present) => (present.includes(cursor) ? present : [...present, cursor]))
          }
        />
      ))}
    </div>
  );
}

interface CameraPageProps {
  filter: FleetFilter;
  after: string | null;
  isLast: boolean;
  onMore: (cursor: string) => void;
}

function CameraPage({ filter, after, isLast, onMore }: CameraPageProps) {
  const { messages } = useLanguage();
  const variables = useMemo(
    () => ({ filter: cameraFilterOf(filter), first: pageSize, after }),
    [filter, after],
  );
  const [result, reexecute] = useQuery({ query: FleetCamerasDocument, variables });
  const readAgain = () => reexecute({ requestPolicy: "network-only" });
  useSubscription({ query: StatusOfCamerasDocument }, (_previous, event) => {
    // The change may add the camera to this list or remove it.
    if (filter.isNotOperational) readAgain();
    return event;
  });
  return (
    <QueryResult result={result} onRetry={readAgain} placeholder={<TilePlaceholders />}>
      {({ searchCameras: { nodes, totalCount, pageInfo } }) => (
        <>
          {after === null && (
            <p className="visually-hidden" role="status">
              {messages.fleet.found(totalCount)}
            </p>
          )}
          {totalCount === 0 && <NoMatch filter={filter} />}
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
  const mayAdd = useMay("cameras:write");
  const isFiltered = filter.text !== "" || filter.isNotOperational || filter.facilityIds.length > 0;
  const clear = (
    <button
      type="button"
      onClick={() => changeQuery({ text: undefined, operational: undefined, facility: undefined })}
    >
      {messages.fleet.clearFilters}
    </button>
  );
  return (
    <Notice
      icon={<CameraIcon />}
      title={isFiltered ? messages.fleet.noMatch : messages.fleet.noCameras}
      actions={isFiltered && clear}
    >
      {isFiltered
        ? messages.fleet.noMatchText
        : mayAdd
          ? messages.fleet.noCamerasText
          : messages.fleet.noCamerasYet}
    </Notice>
  );
}

function TilePlaceholders() {
  return (
    <div className="camera-grid" aria-busy="true">
      {[1, 2, 3, 4, 5, 6, 7, 8].map((each) => (
        <div key={each} className="camera-tile placeholder" />
      ))}
    </div>
  );
}
