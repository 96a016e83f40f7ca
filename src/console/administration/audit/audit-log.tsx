import { useState } from "react";
import { useClient } from "urql";
import { type AuditedChangeFragment, AuditLogDocument } from "../../../generated/console.js";
import { withoutDirectionControls } from "../../../platform/text-direction.js";
import { NextPage, Query } from "../../data/query.js";
import { Problem } from "../../form/problem.js";
import { StoredText, useLanguage } from "../../language/language.js";
import { Moment } from "../../language/moment.js";
import { readersTimeZone } from "../../language/time-zones.js";
import { changeQuery, Link, useAddress } from "../../navigation/location.js";
import { Notice } from "../../shell/notice.js";
import { csvOf, saveFile } from "../csv.js";
import { SettingChoice } from "../notifications/setting-choice.js";
import { useTexts as usePeopleTexts } from "../people/texts.js";
import { type AuditNames, useAuditNames } from "./audit-names.js";
import { useDifferences, wordsOr } from "./differences.js";
import { useTexts } from "./texts.js";

/** The number of entries on a page, and in a read for an export. */
const pageSize = 50;
const exportPageSize = 1000;

/** The bounds of the period in the address: whole days on the reader's clock. */
interface Period {
  start?: string;
  end?: string;
}

/** Which changes are listed: those of a period, and perhaps of one object, or by somebody. */
interface Selection extends Period {
  targetId?: string;
  actorId?: string;
}

function periodOf(from: string | null, to: string | null): Period {
  const startOf = (day: string, daysLater: number) => {
    const start = new Date(`${day}T00:00`);
    start.setDate(start.getDate() + daysLater);
    return Number.isNaN(start.getTime()) ? undefined : start.toISOString();
  };
  const [start, end] = [from ? startOf(from, 0) : undefined, to ? startOf(to, 1) : undefined];
  return { ...(start && { start }), ...(end && { end }) };
}

/** Who changed what and when, with the differences. */
export function AuditLog() {
  const { messages } = useLanguage();
  const auditLog = useTexts();
  const address = useAddress();
  const [from, to] = [address.get("from"), address.get("to")];
  const [target, actor] = [address.get("target"), address.get("actor")];
  const selection = {
    ...periodOf(from, to),
    ...(target && { targetId: target }),
    ...(actor && { actorId: actor }),
  };
  const names = useAuditNames();
  return (
    <>
      <div className="setting-toolbar">
        <label className="setting-choice">
          {auditLog.from}
          <input
            type="date"
            value={from ?? ""}
            onChange={({ currentTarget }) => changeQuery({ from: currentTarget.value })}
          />
        </label>
        <label className="setting-choice">
          {auditLog.to}
          <input
            type="date"
            value={to ?? ""}
            onChange={({ currentTarget }) => changeQuery({ to: currentTarget.value })}
          />
        </label>
        <SettingChoice
          label={auditLog.who}
          value={actor ?? undefined}
          options={[...names.actors]}
          onChange={(chosen) => changeQuery({ actor: chosen })}
        />
        {target && (
          <button
            type="button"
            className="chip"
            aria-label={`${messages.common.clear}: ${auditLog.ofOneObject}`}
            onClick={() => changeQuery({ target: undefined })}
          >
            {auditLog.ofOneObject} <span aria-hidden="true">×</span>
          </button>
        )}
        <ExportButton selection={selection} names={names} />
      </div>
      <div>
        <EntryPage key={JSON.stringify(selection)} selection={selection} after={undefined} names={names} />
      </div>
    </>
  );
}

interface EntryPageProps {
  selection: Selection;
  after: string | undefined;
  names: AuditNames;
}

/** A page of entries, with the next one below on request. */
function EntryPage({ selection, after, names }: EntryPageProps) {
  const { nameOf, nameOfObject } = names;
  const auditLog = useTexts();
  const differencesOf = useDifferences(names);
  return (
    <Query
      query={AuditLogDocument}
      variables={{ ...selection, ...(after !== undefined && { after }), first: pageSize }}
    >
      {({ auditLog: { nodes, pageInfo } }) => (
        <>
          {nodes.length === 0 &&
            after === undefined &&
            (Object.keys(selection).length > 0 ? (
              <Notice title={auditLog.noMatch} />
            ) : (
              <Notice title={auditLog.empty}>{auditLog.emptyText}</Notice>
            ))}
          <ul className="setting-rows">
            {nodes.map((entry) => (
              <EntryRow
                key={entry.id}
                entry={entry}
                differences={differencesOf(entry)}
                actor={nameOf(entry)}
                object={nameOfObject(entry)}
              />
            ))}
          </ul>
          {pageInfo.hasNextPage && (
            <NextPage>
              <EntryPage selection={selection} after={pageInfo.endCursor ?? undefined} names={names} />
            </NextPage>
          )}
        </>
      )}
    </Query>
  );
}

interface EntryRowProps {
  entry: AuditedChangeFragment;
  differences: readonly string[];
  actor: string;
  /** The name of what was changed, or of its facility; undefined if it is not known. */
  object: string | undefined;
}

function EntryRow({ entry, differences, actor, object }: EntryRowProps) {
  const auditLog = useTexts();
  const people = usePeopleTexts();
  return (
    <li>
      <div>
        <h3>
          <StoredText>{actor}</StoredText> {wordsOr(entry.action, auditLog.actions)}
        </h3>
        <p className="hint">
          {object !== undefined && (
            <>
              <StoredText>{object}</StoredText> ·{" "}
            </>
          )}
          <Moment instant={entry.createdAt} timeZone={readersTimeZone} />
          {entry.via && ` · ${auditLog.via[entry.via]}`}
          {entry.client && !isBrowser(entry.client) && (
            <>
              {" · "}
              <StoredText>{entry.client}</StoredText>
            </>
          )}
          {entry.targetId && (
            <>
              {" · "}
              {entry.targetType === "Camera" && (
                <>
                  <Link to={{ camera: entry.targetId }}>{auditLog.camera}</Link> ·{" "}
                </>
              )}
              <Link to={{ view: "settings", part: "audit", target: entry.targetId }}>{people.history}</Link>
            </>
          )}
        </p>
        <ul className="differences">
          {differences.map((difference) => (
            <li key={difference}>
              <StoredText>{difference}</StoredText>
            </li>
          ))}
        </ul>
      </div>
    </li>
  );
}

/** All browsers call themselves so, and say nothing that helps readers. */
const isBrowser = (client: string) => client.startsWith("Mozilla/");

/** Saves all entries of the period as a CSV file. */
function ExportButton({ selection, names }: { selection: Selection; names: AuditNames }) {
  const auditLog = useTexts();
  const differencesOf = useDifferences(names);
  const client = useClient();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<Parameters<typeof Problem>[0]["error"]>();
  const save = async () => {
    setBusy(true);
    setError(undefined);
    const rows: string[][] = [auditLog.columns];
    let after: string | undefined;
    do {
      const result = await client
        .query(
          AuditLogDocument,
          { ...selection, ...(after !== undefined && { after }), first: exportPageSize },
          { requestPolicy: "network-only" },
        )
        .toPromise();
      if (!result.data) {
        setBusy(false);
        setError(result.error);
        return;
      }
      const { nodes, pageInfo } = result.data.auditLog;
      rows.push(
        ...nodes.map((entry) => [
          entry.createdAt,
          withoutDirectionControls(names.nameOf(entry)),
          entry.action,
          entry.targetType,
          entry.targetId ?? "",
          entry.via ?? "",
          withoutDirectionControls(entry.client ?? ""),
          differencesOf(entry).join("\n"),
        ]),
      );
      after = pageInfo.hasNextPage ? (pageInfo.endCursor ?? undefined) : undefined;
    } while (after !== undefined);
    saveFile("audit-log.csv", "text/csv", csvOf(rows));
    setBusy(false);
  };
  return (
    <>
      <button type="button" aria-busy={isBusy} onClick={() => isBusy || void save()}>
        {auditLog.export}
      </button>
      {error && <Problem error={error} />}
    </>
  );
}
