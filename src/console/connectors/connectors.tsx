import "./connectors.css";
import { useState } from "react";
import { ConnectorsDocument, type ConnectorsQuery } from "../../generated/console.js";
import { useAdding } from "../administration/adding.js";
import { Query } from "../data/query-result.js";
import { useStepOfTime } from "../language/now.js";
import { Notice } from "../shell/notice.js";
import { useMay } from "../viewer/viewer.js";
import { ConfigurationForm, configurationDraft } from "./configuration-form.js";
import { ConnectorRow } from "./connector-row.js";
import { useTexts } from "./texts.js";
import { type WrittenConfiguration, WrittenFile } from "./written-file.js";

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
