import type { ReportedConnectorFragment } from "../../generated/console.js";
import { isolated } from "../../platform/text-direction.js";
import { Moment } from "../language/moment.js";
import { useNow } from "../language/now.js";
import { StoredText } from "../language/stored-text.js";
import { readersTimeZone } from "../language/time-zones.js";
import { Link } from "../navigation/link.js";
import type { QueryChanges } from "../navigation/location.js";
import { useTexts } from "./texts.js";

/** A connector that was silent for longer is away, in milliseconds. It reports each minute. */
const awayAfter = 3 * 60_000;

/** As many names that cannot be mapped are shown without asking. */
const mostShown = 5;

/** A connector: whether it runs, its version, its key, and what it cannot map. */
export function ConnectorRow({ connector }: { connector: ReportedConnectorFragment }) {
  const texts = useTexts();
  const now = useNow();
  const { name, kind, version, lastReportedAt, apiKey, unmapped } = connector;
  const isAway = now.getTime() - new Date(lastReportedAt).getTime() > awayAfter;
  return (
    <li>
      <div>
        <h3>
          <StoredText>{name}</StoredText>{" "}
          <span className="connector-state" data-away={isAway}>
            {isAway ? texts.away : texts.running}
          </span>
        </h3>
        <p className="hint">
          {texts.kinds[kind]} · {texts.version(isolated(version))} · {texts.lastHeard}{" "}
          <Moment instant={lastReportedAt} timeZone={readersTimeZone} relative />
        </p>
        <p className="hint">
          {texts.key}: <KeyLink apiKey={apiKey} now={now} />
        </p>
        {unmapped.length > 0 && <UnmappedSources connector={connector} />}
      </div>
    </li>
  );
}

type Key = ReportedConnectorFragment["apiKey"];

function KeyLink({ apiKey: { name, revokedAt, expiresAt }, now }: { apiKey: Key; now: Date }) {
  const texts = useTexts();
  const hasExpired = expiresAt !== null && new Date(expiresAt) <= now;
  const ended = revokedAt ? texts.revoked : hasExpired ? texts.expired : undefined;
  return (
    <>
      <Link to={{ view: "settings", part: "keys", ...(ended && { ended: "true" }) }}>
        <StoredText>{name}</StoredText>
      </Link>
      {ended && ` (${ended})`}
    </>
  );
}

type Source = ReportedConnectorFragment["unmapped"][number];

/** Where a source is made known to the gateway. */
function remedyFor({ kind, cameraId }: Source, { facilityIds }: Key): QueryChanges {
  if (kind === "ZONE") return { view: "rules", ...(cameraId && { camera: cameraId }) };
  const [facility, ...others] = facilityIds ?? [];
  // Only a key for one facility tells to which one the camera belongs.
  return { view: "settings", ...(facility && others.length === 0 && { facility, add: "camera" }) };
}

/** The names that a connector cannot map, each with what helps. */
function UnmappedSources({ connector: { unmapped, apiKey } }: { connector: ReportedConnectorFragment }) {
  const texts = useTexts();
  const kinds = (["CAMERA", "ZONE"] as const).filter((kind) =>
    unmapped.some((source) => source.kind === kind),
  );
  return (
    <details className="unmapped-sources" open={unmapped.length <= mostShown}>
      <summary>{texts.unmapped(unmapped.length)}</summary>
      <ul>
        {unmapped.map((source, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a connector may name a source twice.
          <li key={index}>
            <span>
              {texts.sources[source.kind]} <StoredText>{source.name}</StoredText>{" "}
              <span className="hint">
                {texts.times(source.count)}, {texts.lastSeen}{" "}
                <Moment instant={source.lastSeenAt} timeZone={readersTimeZone} relative />
              </span>
            </span>
            <Link
              to={remedyFor(source, apiKey)}
              aria-label={texts.remedyFor(texts.remedies[source.kind], isolated(source.name))}
            >
              {texts.remedies[source.kind]}
            </Link>
          </li>
        ))}
      </ul>
      {kinds.map((kind) => (
        <p key={kind} className="hint">
          {texts.hints[kind]}
        </p>
      ))}
    </details>
  );
}
