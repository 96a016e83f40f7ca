import { useClient, useQuery } from "urql";
import {
  type AlertExportFormat,
  type AlertFilter,
  ExportedAlertsDocument,
  ExportPermissionsDocument,
} from "../../generated/console.js";
import { failureKindOf } from "../data/failure.js";
import { useAction } from "../form/edit-form.js";
import type { ListSeparator } from "../language/formats.js";
import { useLanguage } from "../language/language.js";
import { Menu } from "../shell/menu.js";
import { DownloadIcon } from "../shell/view-icons.js";
import { useTexts } from "./texts.js";

type OfferedFile =
  | { format: Exclude<AlertExportFormat, "CSV"> }
  | { format: "CSV"; separator: ListSeparator };

/** Of the CSV files, the first opens in spreadsheet programs in the reader's language. */
const filesFor = (separator: ListSeparator): OfferedFile[] => [
  { format: "XLSX" },
  { format: "CSV", separator },
  { format: "CSV", separator: separator === "," ? ";" : "," },
  { format: "NDJSON" },
];

/**
 * Downloads the alerts of a filter as a file. Shown to viewers who may read alerts at least at one of the
 * facilities.
 */
export function ExportMenu({ filter }: { filter: AlertFilter }) {
  const { code: language, messages, formats } = useLanguage();
  const texts = useTexts();
  const client = useClient();
  const [{ data }] = useQuery({ query: ExportPermissionsDocument });
  const { isBusy, error, start } = useAction(async (file: OfferedFile) => {
    const result = await client.query(
      ExportedAlertsDocument,
      { filter, ...file, language },
      { requestPolicy: "network-only" },
    );
    // The answer is a file, so the page stays.
    if (result.data) location.assign(result.data.exportAlerts.url);
    return result;
  });
  const asked =
    data?.facilities.filter((facility) => filter.facilityIds?.includes(facility.id) ?? true) ?? [];
  if (!asked.some(({ viewerPermissions }) => viewerPermissions.includes("alerts:read"))) return null;
  return (
    <>
      <Menu
        isBusy={isBusy}
        name={texts.label}
        label={
          <>
            <DownloadIcon />
            <span className="export-label">{texts.label}</span>
          </>
        }
      >
        {filesFor(formats.listSeparator).map((file) => {
          const label = file.format === "CSV" ? texts.csv[file.separator] : texts.formats[file.format];
          return (
            <button key={label} type="button" onClick={() => start(file)}>
              {label}
            </button>
          );
        })}
      </Menu>
      {error && (
        <span className="problem" role="alert">
          {messages.failures[failureKindOf(error)].title}
        </span>
      )}
    </>
  );
}
