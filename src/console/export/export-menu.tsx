import "../shell/menu.css";
import "./export-menu.css";
import { useId, useRef, useState } from "react";
import { type CombinedError, useClient, useQuery } from "urql";
import { type AlertExportFormat, type AlertFilter, ExportedAlertsDocument, ExportPermissionsDocument } from "../../generated/console.js";
import { failureKindOf } from "../data/failure.js";
import { useLanguage } from "../language/language.js";
import { DownloadIcon } from "../shell/icons.js";

const formats: readonly AlertExportFormat[] = ["XLSX", "CSV", "NDJSON"];

/** Downloads the alerts of a filter as a file. It is offered to those who may read alerts somewhere among them. */
export function ExportMenu({ filter }: { filter: AlertFilter }) {
  const { messages } = useLanguage();
  const client = useClient();
  const [{ data }] = useQuery({ query: ExportPermissionsDocument });
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<CombinedError>();
  const id = useId();
  const menu = useRef<HTMLDivElement>(null);
  const asked = data?.facilities.filter((facility) => filter.facilityIds?.includes(facility.id) ?? true) ?? [];
  if (!asked.some(({ viewerPermissions }) => viewerPermissions.includes("alerts:read"))) return null;

  const download = async (format: AlertExportFormat) => {
    menu.current?.hidePopover();
    setBusy(true);
    setError(undefined);
    const result = await client.query(ExportedAlertsDocument, { filter, format }, { requestPolicy: "network-only" }).toPromise();
    setBusy(false);
    setError(result.error);
    // The answer is a file, so that the page stays.
    if (result.data) location.assign(result.data.exportAlerts.url);
  };
  return (
    <div className="export">
      <button type="button" popoverTarget={id} aria-busy={isBusy}>
        <DownloadIcon />
        {messages.exporting.label}
      </button>
      <div ref={menu} id={id} popover="auto" className="menu export-menu">
        {formats.map((format) => (
          <button key={format} type="button" onClick={() => void download(format)}>
            {messages.exporting.formats[format]}
          </button>
        ))}
      </div>
      {error && (
        <span className="problem" role="alert">
          {messages.failures[failureKindOf(error)].title}
        </span>
      )}
    </div>
  );
}
