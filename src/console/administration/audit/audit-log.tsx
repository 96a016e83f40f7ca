import "../administration.css";
import type { TypedDocumentNode } from "@graphql-typed-document-node/core";
import { useState } from "react";
import { useClient } from "urql";
import { restorableForMs } from "../../../features/camera/restoring.js";
import {
  type ActorKind,
  type AuditedChangeFragment,
  AuditLogDocument,
  RestoreAlertRuleDocument,
  RestoreCameraDocument,
  type RestoreCameraMutationVariables,
} from "../../../generated/console.js";
import { defined } from "../../../platform/defined.js";
import { isUuid } from "../../../platform/ids/uuid.js";
import { isRecord } from "../../../platform/record.js";
import { withoutDirectionControls } from "../../../platform/text/text-direction.js";
import { NextPage, Query } from "../../data/query.js";
import { serverTime } from "../../data/server-time.js";
import { ActionButton } from "../../form/edit-form.js";
import { Moment, StoredText, useLanguage } from "../../language/language.js";
import { changeQuery, Link, useAddress } from "../../navigation/location.js";
import { useRuleSentence } from "../../rules/use-rule-sentence.js";
import { Notice } from "../../shell/notice/notice.js";
import { AddressSearch } from "../../shell/search-field.js";
import { csvOf, saveFile } from "../csv.js";
import { SettingChoice } from "../notifications/setting-choice.js";
import { useTexts as useSettingTexts } from "../texts.js";
import { type AuditNames, useAuditNames } from "./audit-names.js";
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
  actorKinds?: ActorKind[];
  targetTypes?: string[];
  actions?: string[];
  text?: string;
}

/** The actors that are chosen together: people apart from machines. */
const kinds: Record<string, ActorKind[]> = { people: ["USER"], machines: ["API_KEY", "FEED_SERVER"] };

function periodOf(from: string | null, to: string | null): Period {
  const startOf = (day: string, daysLater: number) => {
    const start = new Date(`${day}T00:00`);
    start.setDate(start.getDate() + daysLater);
    return Number.isNaN(start.getTime()) ? undefined : start.toISOString();
  };
  const [start, end] = [from ? startOf(from, 0) : undefined, to ? startOf(to, 1) : undefined];
  return { ...(start && { start }), ...(end && { end }) };
}

export function AuditLog() {
  const { messages } = useLanguage();
  const auditLog = useTexts();
  const address = useAddress();
  const [target, actor] = [address.get("target"), address.get("actor")];
  const [type, kind, action, text] = ["type", "kind", "action", "text"].map((name) => address.get(name));
  const actorKinds = kinds[kind ?? ""];
  const selection = {
    ...periodOf(address.get("from"), address.get("to")),
    ...(target && { targetId: target }),
    ...(actor && { actorId: actor }),
    ...(actorKinds && { actorKinds }),
    ...(type && { targetTypes: [type] }),
    ...(action && { actions: [action] }),
    ...(text && { text }),
  };
  const names = useAuditNames();
  return (
    <>
      <div className="setting-toolbar">
        {(["from", "to"] as const).map((bound) => (
          <label key={bound} className="setting-choice">
            {auditLog[bound]}
            <input
              type="date"
              value={address.get(bound) ?? ""}
              onChange={({ currentTarget }) => changeQuery({ [bound]: currentTarget.value })}
            />
          </label>
        ))}
        <SettingChoice name="actor" label={auditLog.who} options={[...names.actors]} />
        <SettingChoice name="kind" label={auditLog.by} options={Object.entries(auditLog.kinds)} />
        <SettingChoice name="type" label={auditLog.what} options={Object.entries(auditLog.types)} />
        <SettingChoice name="action" label={auditLog.action} options={Object.entries(auditLog.actions)} />
        <AddressSearch label={auditLog.search} />
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
                names={names}
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

/** Who deleted a camera, with a button to restore it as long as that is possible; nothing if it is not known. */
export function CameraDeletion({ id }: { id: string }) {
  const names = useAuditNames();
  return (
    <Query query={AuditLogDocument} variables={{ targetId: id, actions: ["deleteCamera"], first: 1 }}>
      {({ auditLog: { nodes } }) => (
        <ul className="setting-rows">
          {nodes.map((entry) => (
            <EntryRow
              key={entry.id}
              entry={entry}
              differences={[]}
              actor={names.nameOf(entry)}
              object={names.nameOfObject(entry)}
              names={names}
            />
          ))}
        </ul>
      )}
    </Query>
  );
}

interface EntryRowProps extends RestoreProps {
  differences: readonly string[];
  actor: string;
  /** The name of what was changed, and of its camera and facility; empty if none is known. */
  object: string;
}

function EntryRow({ entry, differences, actor, object, names }: EntryRowProps) {
  const auditLog = useTexts();
  const { people } = useSettingTexts();
  return (
    <li>
      <div>
        <h3>
          <StoredText>{actor}</StoredText> {wordsOr(entry.action, auditLog.actions)}
        </h3>
        <p className="hint">
          {object !== "" && (
            <>
              <StoredText>{object}</StoredText> ·{" "}
            </>
          )}
          <Moment instant={entry.createdAt} />
          {entry.via && ` · ${isByConsole(entry) ? auditLog.inConsole : auditLog.via[entry.via]}`}
          {entry.client && !isBrowser(entry.client) && (
            <>
              {" · "}
              <StoredText>{entry.client}</StoredText>
            </>
          )}
          {entry.targetId && (
            <>
              {" · "}
              {entry.targetType === "Camera" && entry.action !== "deleteCamera" && (
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
      <Restore entry={entry} names={names} />
    </li>
  );
}

/** How what was deleted is restored, by the action that deleted it. */
const restoring: Record<string, { mutation: RestoreDocument; permission: string }> = {
  deleteCamera: { mutation: RestoreCameraDocument, permission: "cameras:write" },
  deleteAlertRule: { mutation: RestoreAlertRuleDocument, permission: "alert-rules:write" },
};

type RestoreDocument = TypedDocumentNode<unknown, RestoreCameraMutationVariables>;

interface RestoreProps {
  entry: AuditedChangeFragment;
  names: Pick<AuditNames, "mayAt" | "wasRestored">;
}

/** Restores what an entry says was deleted, as long as that is possible. */
function Restore({ entry, names: { mayAt, wasRestored } }: RestoreProps) {
  const { action, createdAt, facilityId, targetId: id } = entry;
  const auditLog = useTexts();
  const [isRestored, setRestored] = useState(false);
  const client = useClient();
  const found = restoring[action];
  if (!found || id === null || !mayAt(facilityId, found.permission)) return null;
  if (Date.parse(createdAt) < serverTime() - restorableForMs) return null;
  const note = action === "deleteCamera" && <span className="hint">{auditLog.withoutAlerts}</span>;
  if (isRestored || wasRestored(entry))
    return (
      <p role="status">
        {auditLog.restored} {note}
      </p>
    );
  const restore = async () => {
    const outcome = await client.mutation(found.mutation, { id });
    setRestored(!outcome.error);
    return outcome;
  };
  return (
    <div className="setting-actions">
      {note}
      <ActionButton run={restore}>{auditLog.restore}</ActionButton>
    </div>
  );
}

/** All browsers call themselves so, and say nothing that helps readers. */
const isBrowser = (client: string) => client.startsWith("Mozilla/");

/** Whether a change was made in the console, which is a browser that uses the GraphQL API. */
const isByConsole = ({ via, client }: Pick<AuditedChangeFragment, "via" | "client">) =>
  via === "GRAPHQL" && client !== null && isBrowser(client);

function ExportButton({ selection, names }: { selection: Selection; names: AuditNames }) {
  const auditLog = useTexts();
  const differencesOf = useDifferences(names);
  const client = useClient();
  const save = async () => {
    const rows: string[][] = [auditLog.columns];
    let after: string | undefined;
    do {
      const { data, error } = await client.query(
        AuditLogDocument,
        { ...selection, ...(after !== undefined && { after }), first: exportPageSize },
        { requestPolicy: "network-only" },
      );
      if (!data) return { error };
      const { nodes, pageInfo } = data.auditLog;
      rows.push(
        ...nodes.map((entry) => [
          entry.createdAt,
          withoutDirectionControls(names.nameOf(entry)),
          entry.action,
          entry.targetType,
          entry.targetId ?? "",
          withoutDirectionControls(names.nameOfObject(entry)),
          entry.via ?? "",
          withoutDirectionControls(entry.client ?? ""),
          differencesOf(entry).join("\n"),
        ]),
      );
      after = pageInfo.hasNextPage ? (pageInfo.endCursor ?? undefined) : undefined;
    } while (after !== undefined);
    saveFile("audit-log.csv", "text/csv", csvOf(rows));
    return undefined;
  };
  return <ActionButton run={save}>{auditLog.export}</ActionButton>;
}

type Entry = Pick<AuditedChangeFragment, "changes" | "facilityId" | "targetType">;

/** The text of a catalogue for a name of the API, or the name in words. */
const wordsOr = (name: string, texts: Record<string, string>) =>
  Object.hasOwn(texts, name)
    ? defined(texts[name])
    : name.replace(/[a-z](?=[A-Z])/g, "$& ").replace(/ [A-Z](?=[a-z])/g, (letter) => letter.toLowerCase());

/** Whether a text is a time as the API writes it. */
const isInstant = (text: string) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text);

/** A value without the corners of areas and without ids. */
const withoutPoints = (value: unknown) =>
  JSON.stringify(value, (name, each) => (name === "points" || name === "id" ? undefined : each)) ?? "";

/** Says the changed fields of an entry in words. Of a secret, only the fact that it changed is known. */
function useDifferences({ nameOfId, zoneOf }: AuditNames): (entry: Entry) => string[] {
  const auditLog = useTexts();
  const { permissions } = useSettingTexts();
  const { formats, words } = useLanguage();
  const sentenceOf = useRuleSentence();

  const fieldInWords = (name: string) =>
    wordsOr(name, auditLog.fields).replace(/^./, (letter) => letter.toUpperCase());
  const codeWords = new Map<string, (code: string) => string>([
    ["severity", (code) => words.severity(code)],
    ["severities", (code) => words.severity(code)],
    ["statusDetail", (code) => words.statusDetail(code)],
    ["types", (code) => words.alertType(code)],
  ]);
  const textInWords = (field: string, text: string, { targetType, facilityId }: Entry) => {
    if (/^timeRange(?:Start|End)$/.test(field)) return formats.timeOfDay(text, zoneOf(facilityId));
    const ofCode = codeWords.get(field === "name" && targetType === "AlertRule" ? "types" : field);
    if (ofCode) return ofCode(text);
    if (isInstant(text)) return formats.moment(text);
    if (isUuid(text)) return nameOfId(text) ?? "";
    return Object.hasOwn(permissions, text) ? defined(permissions[text]) : text;
  };
  const listInWords = (field: string, list: readonly unknown[], entry: Entry): string => {
    const parts = list.flatMap((each) => inWords(field, each, entry) || []);
    return parts.join(list.some(isRecord) ? "; " : ", ");
  };
  const objectInWords = (field: string, object: Record<string, unknown>, entry: Entry): string => {
    const { width, height, lat, lng } = object;
    if (field === "group") return sentenceOf(object);
    if (typeof width === "number" && typeof height === "number")
      return `${formats.number(width)} × ${formats.number(height)}`;
    if (typeof lat === "number" && typeof lng === "number") return `${lat}, ${lng}`;
    const parts = Object.entries(object).flatMap(([name, each]) => {
      const text = inWords(name, each, entry);
      return text === "" ? [] : `${fieldInWords(name)}: ${text}`;
    });
    return parts.join(", ");
  };
  const numberInWords = (field: string, number: number) =>
    /^(?:dayRange|daysOfWeek)$/.test(field) ? formats.dayOfWeek(number, "short") : formats.number(number);

  /** A value of a field in words; empty if there is none. */
  const inWords = (field: string, value: unknown, entry: Entry): string => {
    if (typeof value === "boolean") return value ? auditLog.yes : auditLog.no;
    if (typeof value === "number") return numberInWords(field, value);
    if (typeof value === "string") return textInWords(field, value, entry);
    if (Array.isArray(value)) return listInWords(field, value, entry);
    return isRecord(value) ? objectInWords(field, value, entry) : "";
  };
  const difference = (field: string, { from, to }: { from?: unknown; to?: unknown }, entry: Entry) => {
    const [before, after] = [inWords(field, from, entry), inWords(field, to, entry)];
    if ((before === "" && after === "") || field === "pretty") return [];
    const name = fieldInWords(field);
    if (before === "") return `${name}: ${after}`;
    if (before !== after) return auditLog.changed(name, before, after || auditLog.nothing);
    if (from === to) return auditLog.maskedChanged(name);
    return withoutPoints(from) === withoutPoints(to) ? auditLog.redrawn : auditLog.otherwiseChanged(name);
  };
  return (entry) =>
    Object.entries(entry.changes ?? {}).flatMap(([field, change]) => difference(field, change ?? {}, entry));
}
