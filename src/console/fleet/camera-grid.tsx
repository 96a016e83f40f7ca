import { useEffect, useEffectEvent, useState } from "react";
import {
  type CameraFilter,
  type CameraState,
  type FleetCameraFragment,
  FleetCamerasDocument,
  type StateCountFragment,
} from "../../generated/console.js";
import { isolated } from "../../platform/text/text-direction.js";
import { useTexts as useCameraTexts } from "../camera/texts.js";
import { NextPage, Query } from "../data/query.js";
import { Moment, StoredText, useLanguage, useMessages } from "../language/language.js";
import { changeQuery, Link } from "../navigation/location.js";
import { Notice } from "../shell/notice/notice.js";
import { CameraIcon } from "../shell/view-icons.js";
import { SnoozedUntil } from "../snooze/snooze.js";
import { useMay } from "../viewer/viewer.js";
import { CameraPicture } from "./camera-picture.js";
import { StateAge, StateName } from "./camera-state.js";
import { countIn, toneOf } from "./camera-states.js";
import { type FleetFilter, shownStates, statelessFilterOf } from "./fleet-filter.js";
import { useTexts } from "./texts.js";

const pageSize = 60;
/** More cameras in states that need attention are folded: the working ones are not pushed far down. */
const mostUnfolded = 12;

interface CameraGridProps {
  filter: FleetFilter;
  counts: readonly StateCountFragment[];
  /** Changes whenever the cameras are to be read again. */
  revision: number;
}

/** The cameras that match a filter, state by state, worst first, loaded page by page as the reader scrolls. */
export function CameraGrid({ filter, counts, revision }: CameraGridProps) {
  const { fleet } = useMessages();
  const stateless = statelessFilterOf(filter);
  const key = JSON.stringify(stateless);
  const shown = shownStates(filter);
  const total = countIn(shown, counts);
  return (
    <>
      <p className="visually-hidden" role="status">
        {fleet.cameraCount(total)}
      </p>
      {total === 0 ? (
        <NoMatch filter={filter} />
      ) : (
        <StateSections key={key} filter={stateless} states={shown} counts={counts} revision={revision} />
      )}
    </>
  );
}

interface StateSectionsProps {
  filter: CameraFilter;
  states: readonly CameraState[];
  counts: readonly StateCountFragment[];
  revision: number;
}

/** A section for each state in which there are cameras, up to the first incomplete one. */
function StateSections({ filter, states, counts, revision }: StateSectionsProps) {
  const [complete, setComplete] = useState<ReadonlySet<CameraState>>(new Set());
  const hasWorking = states.includes("WORKING") && countIn(["WORKING"], counts) > 0;
  let unfolded = 0;
  const sections: Pick<StateSectionProps, "state" | "count" | "isFolded">[] = [];
  for (const state of states) {
    const count = countIn([state], counts);
    if (count === 0) continue;
    const isFolded = hasWorking && state !== "WORKING" && unfolded + count > mostUnfolded;
    sections.push({ state, count, isFolded });
    if (isFolded) continue;
    unfolded += count;
    if (count > pageSize && !complete.has(state)) break;
  }
  return sections.map((section) => (
    <StateSection
      key={section.state}
      {...section}
      filter={filter}
      revision={revision}
      onComplete={() => setComplete((present) => new Set([...present, section.state]))}
    />
  ));
}

interface StateSectionProps {
  filter: CameraFilter;
  state: CameraState;
  count: number;
  /** Whether the reader has to ask for the cameras. */
  isFolded: boolean;
  revision: number;
  /** Called when the last of the cameras are shown. */
  onComplete: () => void;
}

function StateSection({ filter, state, count, isFolded, ...pages }: StateSectionProps) {
  const { messages, formats } = useLanguage();
  const title = messages.fleet.states[state];
  const [isOpen, setOpen] = useState(!isFolded);
  return (
    <section className="camera-pages" aria-label={title}>
      <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <h3 className="state-title" data-tone={toneOf(state)}>
            {title} <span className="hint">{formats.number(count)}</span>
          </h3>
        </summary>
        {isOpen && <CameraPage filter={{ ...filter, states: [state] }} after={null} {...pages} />}
      </details>
    </section>
  );
}

interface CameraPageProps extends Pick<StateSectionProps, "revision" | "onComplete"> {
  filter: CameraFilter;
  after: string | null;
}

function CameraPage({ after, ...pages }: CameraPageProps) {
  const { filter, revision, onComplete } = pages;
  return (
    <Query
      query={FleetCamerasDocument}
      variables={{ filter, first: pageSize, after }}
      readAt={revision}
      placeholder={<TilePlaceholders />}
    >
      {({ searchCameras: { nodes, pageInfo } }) => (
        <>
          <ul className="camera-grid">
            {nodes.map((camera) => (
              <li key={camera.id}>
                <CameraTile camera={camera} />
              </li>
            ))}
          </ul>
          {pageInfo.hasNextPage ? (
            <NextPage isAutomatic>
              <CameraPage after={pageInfo.endCursor} {...pages} />
            </NextPage>
          ) : (
            <Complete onComplete={onComplete} />
          )}
        </>
      )}
    </Query>
  );
}

/** Tells once that it is shown. */
function Complete({ onComplete }: { onComplete: () => void }) {
  const tell = useEffectEvent(onComplete);
  useEffect(() => tell(), []);
  return null;
}

function NoMatch({ filter }: { filter: FleetFilter }) {
  const { messages } = useLanguage();
  const texts = useTexts();
  const cameraTexts = useCameraTexts();
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
      title={isFiltered ? messages.fleet.noMatch : cameraTexts.noCameras}
      actions={isFiltered && clear}
    >
      {isFiltered ? texts.noMatchText : mayAdd ? cameraTexts.noCamerasText : cameraTexts.noCamerasYet}
    </Notice>
  );
}

export function TilePlaceholders() {
  return (
    <div className="camera-grid" aria-busy="true">
      {[1, 2, 3, 4, 5, 6, 7, 8].map((each) => (
        <div key={each} className="camera-tile placeholder" />
      ))}
    </div>
  );
}

/** A camera: its picture, its state, and its newest alert. Links to its page. */
function CameraTile({ camera }: { camera: FleetCameraFragment }) {
  const { words } = useLanguage();
  const texts = useTexts();
  const { id, name, state, facility, alerts, thumbnailUrl, imageLink } = camera;
  const [newest] = alerts.nodes;
  const isWorking = state === "WORKING";
  return (
    <article className="camera-tile" aria-label={isolated(name)}>
      <div className="camera-picture" data-live={isWorking}>
        <CameraPicture name={name} links={[thumbnailUrl, imageLink]} />
        <span className="camera-state" data-tone={toneOf(state)}>
          <StateName camera={camera} />
        </span>
        {!isWorking && (
          <span className="picture-age">
            <StateAge camera={camera} />
          </span>
        )}
      </div>
      <div className="camera-text">
        <h4>
          <Link className="camera-link" to={{ camera: id }}>
            <StoredText>{name}</StoredText>
          </Link>
        </h4>
        <p className="hint">
          <StoredText>{facility.name}</StoredText>
        </p>
        <SnoozedUntil of={camera} timeZone={facility.timeZoneId} />
        <SnoozedUntil of={facility} whose="facility" timeZone={facility.timeZoneId} />
        {newest ? (
          <Link className="newest-alert" to={{ alert: newest.id }}>
            <span className="visually-hidden">{texts.newestAlert}: </span>
            <span className="severity" data-severity={newest.severity}>
              <span className="visually-hidden">
                <StoredText>{newest.severity && words.severity(newest.severity)}</StoredText>
              </span>
            </span>
            <span className="newest-type">
              <StoredText>{words.alertType(newest.name)}</StoredText>
            </span>
            <span className="hint">
              <Moment instant={newest.createdAt} timeZone={facility.timeZoneId} form="relative" />
            </span>
          </Link>
        ) : (
          <p className="newest-alert hint">{texts.noAlerts}</p>
        )}
      </div>
    </article>
  );
}
