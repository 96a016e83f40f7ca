import { useState } from "react";
import { CameraTimelineDocument, type TimelineRequestFragment } from "../../generated/console.js";
import { isolated } from "../../platform/text/text-direction.js";
import { Query } from "../data/query.js";
import type { Tone } from "../fleet/camera-states.js";
import { Panel } from "../insight/panel.js";
import { Moment, StoredText, useLanguage, useNow } from "../language/language.js";
import { useTexts } from "./texts.js";
import { type TimelineEntry, timelineOf, waitingOf } from "./timeline.js";

const firstEntries = 8;
/** The most entries of each kind, as the API lists no more at once. */
const mostEntries = 1000;

interface CameraTimelineProps {
  id: string;
  timeZone: string;
  /** Changes whenever the timeline is to be read again. */
  revision: number;
}

export function CameraTimeline({ id, timeZone, revision }: CameraTimelineProps) {
  const { timeline } = useTexts();
  const [first, setFirst] = useState(firstEntries);
  return (
    <Panel id="camera-timeline" title={timeline.title}>
      <Query query={CameraTimelineDocument} variables={{ id, first }} readAt={revision}>
        {({ camera }) => {
          if (!camera) return null;
          const { entries, isComplete } = timelineOf(camera);
          return (
            <>
              <ol className="timeline">
                {entries.map((entry) => (
                  <li key={entry.key} data-tone={toneOfEntry(entry)}>
                    <Entry entry={entry} />
                    <p className="hint">
                      <Moment instant={entry.at} timeZone={timeZone} form="relative" />
                    </p>
                  </li>
                ))}
              </ol>
              {!isComplete && first < mostEntries && (
                <button type="button" onClick={() => setFirst(Math.min(mostEntries, first * 4))}>
                  {timeline.more}
                </button>
              )}
            </>
          );
        }}
      </Query>
    </Panel>
  );
}

/** What a feed server has reported about a request, maybe both: a success does not clear an earlier error. */
function outcomeOf({ errorMessage, metadata, thumbnailUrl }: TimelineRequestFragment) {
  if (errorMessage === null) return "opened";
  return metadata === null && thumbnailUrl === null ? "failed" : "both";
}

const tonesOfOutcomes = { opened: "good", failed: "bad", both: "doubtful" } as const;

function toneOfEntry(entry: TimelineEntry): Tone | undefined {
  if (entry.kind === "status") return entry.change.statusDetail === "OPERATIONAL" ? "good" : "bad";
  if (entry.kind === "report") return tonesOfOutcomes[outcomeOf(entry.request)];
  return undefined;
}

function Entry({ entry }: { entry: TimelineEntry }) {
  const { words } = useLanguage();
  const { timeline } = useTexts();
  switch (entry.kind) {
    case "added":
      return <p>{timeline.added}</p>;
    case "status":
      return (
        <p>
          {timeline.reported(isolated(words.statusDetail(entry.change.statusDetail)))}{" "}
          <span className="hint">{timeline.sources[entry.change.source] ?? entry.change.source}</span>
        </p>
      );
    case "request":
      return <RequestEntry request={entry.request} />;
    case "report":
      return <ReportEntry request={entry.request} />;
  }
}

function RequestEntry({ request }: { request: TimelineRequestFragment }) {
  const { timeline } = useTexts();
  const waiting = waitingOf(request, useNow());
  return (
    <>
      <p>{timeline.requested}</p>
      {waiting && (
        <p className="hint">
          {request.deliveryError ? timeline.refused(isolated(request.deliveryError)) : timeline[waiting]}
        </p>
      )}
    </>
  );
}

function ReportEntry({ request }: { request: TimelineRequestFragment }) {
  const { timeline, feedErrors } = useTexts();
  const { errorOperation, errorCode, errorMessage } = request;
  const inWords = errorCode === null ? undefined : feedErrors[errorCode];
  return (
    <>
      <p>{timeline[outcomeOf(request)]}</p>
      {errorMessage !== null && (
        <p className="hint">
          {inWords ?? <StoredText>{[errorOperation, errorMessage].filter(Boolean).join(": ")}</StoredText>}
        </p>
      )}
    </>
  );
}
