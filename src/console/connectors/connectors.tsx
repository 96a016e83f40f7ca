import "./connectors.css";
import { useState } from "react";
import {
  ConnectorsDocument,
  type ConnectorsQuery,
  type ReportedConnectorFragment,
} from "../../generated/console.js";
import { isolated } from "../../platform/text/text-direction.js";
import { useAdding } from "../administration/adding.js";
import { Query } from "../data/query.js";
import { Moment, StoredText, useNow, useStepOfTime } from "../language/language.js";
import { Link, type QueryChanges } from "../navigation/location.js";
import { CopyableText } from "../shell/copyable-text.js";
import { Dialog } from "../shell/dialog.js";
import { Notice } from "../shell/notice/notice.js";
import { useMay } from "../viewer/viewer.js";
import { ConfigurationForm, configurationDraft } from "./configuration-form.js";
import { commands, type WrittenConfiguration } from "./connector-configuration.js";
import { useTexts } from "./texts.js";

const minute = 60_000;

/** The programs that bring in what other products see, and a form for their configuration. */
export function Connectors() {
  // Connectors report each minute.
  return (
    <Query query={ConnectorsDocument} readAt={useStepOfTime(minute)}>
      {({ workspace, facilities }) => (
        <ConnectorList connectors={workspace.connectors ?? []} facilities={facilities} />
      )}
    </Query>
  );
}

interface ConnectorListProps {
  connectors: NonNullable<ConnectorsQuery["workspace"]["connectors"]>;
  facilities: ConnectorsQuery["facilities"];
}

function ConnectorList({ connectors, facilities }: ConnectorListProps) {
  const texts = useTexts();
  const [isWriting, setWriting] = useAdding("connector", configurationDraft, useMay("api-keys:write"));
  const [written, setWritten] = useState<WrittenConfiguration>();
  const add = (
    <button type="button" className="primary" onClick={() => setWriting(true)}>
      {texts.add}
    </button>
  );
  return (
    <>
      {connectors.length === 0 ? (
        <Notice title={texts.empty} actions={add}>
          {texts.emptyText}
        </Notice>
      ) : (
        <>
          <div className="setting-toolbar">{add}</div>
          <ul className="setting-rows">
            {connectors.map((connector) => (
              <ConnectorRow key={connector.id} connector={connector} />
            ))}
          </ul>
        </>
      )}
      {isWriting && (
        <ConfigurationForm
          facilities={facilities}
          onClose={() => setWriting(false)}
          onWritten={(configuration) => setWritten(configuration)}
        />
      )}
      {written && <WrittenFile {...written} onClose={() => setWritten(undefined)} />}
    </>
  );
}

/** A connector that was silent for longer is away, in milliseconds. It reports each minute. */
const awayAfter = 3 * 60_000;

/** As many names that cannot be mapped are shown without asking. */
const mostShown = 5;

function ConnectorRow({ connector }: { connector: ReportedConnectorFragment }) {
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
          <Moment instant={lastReportedAt} form="relative" />
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
                <Moment instant={source.lastSeenAt} form="relative" />
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

/** What to do with the file of a configuration. */
function WrittenFile({ kind, file, onClose }: WrittenConfiguration & { onClose: () => void }) {
  const { form } = useTexts();
  const command = `${commands[kind]} ${file}`;
  return (
    <Dialog title={form.written} onClose={onClose}>
      <div className="edit-form">
        <p>{form.next}</p>
        <CopyableText label={form.check} text={`${command} --check`} />
        <CopyableText label={form.start} text={command} />
      </div>
    </Dialog>
  );
}
