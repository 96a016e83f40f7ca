import { useEffect, useMemo, useRef, useState } from "react";
import { type CombinedError, useClient } from "urql";
import {
  AddCameraDocument,
  ChangeCameraDocument,
  type ContactInput,
  PresentCamerasDocument,
  type StreamType,
} from "../../../generated/console.js";
import { randomUuid } from "../../../platform/ids/random-uuid.js";
import { withoutSecrets } from "../../../platform/network/url-secrets.js";
import { isolated } from "../../../platform/text/text-direction.js";
import { useTexts as useContactTexts } from "../../contacts/texts.js";
import { codeOf, reasonOf } from "../../data/failure.js";
import { Query } from "../../data/query.js";
import { StoredText, useMessages } from "../../language/language.js";
import { Link } from "../../navigation/location.js";
import { keepDraft, keptDraft } from "../../session/drafts.js";
import { hasTexts } from "../../storage.js";
import { csvOf, saveFile } from "../csv.js";
import {
  type CameraTable,
  checkedTable,
  columns,
  type ListedCamera,
  longestTable,
  mostCameras,
  type PresentCameras,
  returnedLines,
} from "./camera-table.js";
import { StreamUrl } from "./stream-url.js";
import { useTexts } from "./texts.js";

const draftKey = "table of cameras";

interface TableDraft {
  text: string;
  /** Changes with the text: with it, a repeated request adds no camera twice. */
  id: string;
}

function initialDraft(): TableDraft {
  const kept = keptDraft(draftKey);
  return hasTexts(kept, ["text", "id"]) ? kept : { text: "", id: randomUuid() };
}

/** Cameras of a table that are being written, or were. */
interface Run {
  table: CameraTable;
  created: ReadonlySet<ListedCamera>;
  /** Why the gateway refused single cameras. */
  refused: ReadonlyMap<ListedCamera, CombinedError>;
  isRunning: boolean;
  /** Why the rest was not sent. */
  interruption?: CombinedError | undefined;
}

/** Errors about one camera, after which the next one may well be accepted. */
const aboutOneCamera = new Set(["BAD_REQUEST", "FORBIDDEN", "NOT_FOUND"]);

/** Adds the cameras of a table: first checks all of it, then shows what will be added. */
export function CameraImport() {
  const { cameraImport } = useTexts();
  const client = useClient();
  const [draft, setDraft] = useState(initialDraft);
  const [run, setRun] = useState<Run>();
  const hasLeft = useRef(false);
  useEffect(() => {
    hasLeft.current = false;
    return () => {
      hasLeft.current = true;
    };
  }, []);
  const change = (text: string) => {
    const next = { text, id: randomUuid() };
    setDraft(next);
    keepDraft(draftKey, text === "" ? undefined : next);
  };
  const write = async ({ before, name, url, streamType, note, contacts, facility, line }: ListedCamera) => {
    const input = { name, note, contacts };
    const stream = { url: url ?? "", streamType };
    const context = { fetchOptions: { headers: { "Idempotency-Key": `${draft.id} ${line}` } } };
    const { error } = await (before
      ? client.mutation(
          ChangeCameraDocument,
          { id: before.id, input: { ...input, ...(url !== null && stream) } },
          context,
        )
      : client.mutation(
          AddCameraDocument,
          { facility: facility.id, input: { ...input, ...stream } },
          context,
        ));
    return error;
  };
  const goOn = async (begun: Run) => {
    const created = new Set(begun.created);
    const refused = new Map(begun.refused);
    const show = (isRunning: boolean, interruption?: CombinedError) =>
      setRun({ ...begun, created: new Set(created), refused: new Map(refused), isRunning, interruption });
    const left = begun.table.due.filter((camera) => !created.has(camera) && !refused.has(camera));
    for (const camera of left) {
      if (hasLeft.current) return;
      show(true);
      const error = await write(camera);
      if (!error) created.add(camera);
      else if (aboutOneCamera.has(codeOf(error) ?? "")) refused.set(camera, error);
      else return show(false, error);
    }
    if (refused.size === 0 && begun.table.problems.length === 0) keepDraft(draftKey, undefined);
    show(false);
  };
  return (
    <section className="camera-import" aria-labelledby="camera-import">
      <header>
        <h3 id="camera-import">{cameraImport.title}</h3>
        <Link to={{ view: "settings" }}>{cameraImport.back}</Link>
      </header>
      {run ? (
        <RunningImport run={run} onGoOn={() => void goOn(run)} onChange={() => setRun(undefined)} />
      ) : (
        <Query query={PresentCamerasDocument}>
          {(there) => (
            <TableForm
              text={draft.text}
              there={there}
              onChange={change}
              onStart={(table) =>
                void goOn({ table, created: new Set(), refused: new Map(), isRunning: true })
              }
            />
          )}
        </Query>
      )}
    </section>
  );
}

interface TableFormProps {
  text: string;
  there: PresentCameras;
  onChange: (text: string) => void;
  onStart: (table: CameraTable) => void;
}

/** The text of a table, what is wrong with it, and what it would add. */
function TableForm({ text, there, onChange, onStart }: TableFormProps) {
  const { cameraImport } = useTexts();
  const differencesOf = useDifferences();
  const [isTooLarge, setTooLarge] = useState(false);
  const read = async (files: FileList | null) => {
    const [file] = files ?? [];
    if (!file) return;
    setTooLarge(file.size > longestTable);
    if (file.size <= longestTable) onChange(await textOf(file));
  };
  const table = useMemo(() => (text.trim() === "" ? undefined : checkedTable(text, there)), [text, there]);
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the button below takes files too. */}
      <div
        className="edit-form"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          void read(event.dataTransfer.files);
        }}
      >
        <label htmlFor="camera-table">
          {cameraImport.table}{" "}
          <span className="hint">{cameraImport.hint(columns.join(", "), mostCameras)}</span>
        </label>
        <textarea
          id="camera-table"
          rows={8}
          spellCheck={false}
          aria-describedby="camera-table-check"
          aria-invalid={(table && table.problems.length > 0) || undefined}
          value={text}
          onChange={({ currentTarget }) => {
            setTooLarge(false);
            onChange(currentTarget.value);
          }}
        />
        <div className="form-actions">
          <label className="button">
            {cameraImport.choose}
            <input
              className="visually-hidden"
              type="file"
              accept=".csv,.tsv,.txt,text/csv"
              onChange={({ currentTarget }) => void read(currentTarget.files)}
            />
          </label>
          <button
            type="button"
            onClick={() => saveFile("cameras-example.csv", "text/csv", exampleFor(there.facilities))}
          >
            {cameraImport.example}
          </button>
        </div>
      </div>
      <div id="camera-table-check" role="status">
        {isTooLarge ? (
          <p className="problem">{cameraImport.problems.tooLong}</p>
        ) : (
          table && <TableCheck table={table} />
        )}
      </div>
      {table && table.due.length > 0 && (
        <>
          <CameraList
            cameras={table.due}
            stateOf={(camera) =>
              [cameraImport.states[camera.before ? "changing" : "new"], ...differencesOf(camera)].join("\n")
            }
            label={cameraImport.preview}
          />
          <div className="form-actions">
            <button type="button" className="primary" onClick={() => onStart(table)}>
              {cameraImport.save(table.due.length)}
            </button>
          </div>
        </>
      )}
    </>
  );
}

/** The maximum number of problems that are listed. */
const mostListed = 50;

function TableCheck({ table }: { table: CameraTable }) {
  const { common } = useMessages();
  const { cameraImport } = useTexts();
  const { due, present, problems, unread } = table;
  const summary = (
    <>
      <p>
        {due.length === 0 ? cameraImport.allThere : cameraImport.ready(due.length)}{" "}
        {present.length > 0 && cameraImport.present(present.length)}
      </p>
      {unread.length > 0 && <p>{cameraImport.unread(unread.map(isolated).join(", "))}</p>}
    </>
  );
  if (problems.length === 0) return summary;
  return (
    <>
      {due.length > 0 && summary}
      <p className="problem">{cameraImport.wrong(problems.length)}</p>
      <ul className="line-problems">
        {problems.slice(0, mostListed).map(({ line, textOf }) => (
          <li key={line}>{cameraImport.line(line, textOf(cameraImport.problems))}</li>
        ))}
        {problems.length > mostListed && <li>{common.andMore(problems.length - mostListed)}</li>}
      </ul>
      <ReturnedLines table={table} />
    </>
  );
}

interface ReturnedLinesProps {
  table: CameraTable;
  /** The lines that the gateway refused, and why. */
  refused?: readonly (readonly [line: number, reason: string])[];
}

/** Saves the lines that are not right as a table of their own. */
function ReturnedLines({ table: { problems, rows }, refused = [] }: ReturnedLinesProps) {
  const { cameraImport } = useTexts();
  const wrong = problems.map(({ line, textOf }) => [line, textOf(cameraImport.problems)] as const);
  const reasons = new Map([...wrong, ...refused]);
  if (rows.length === 0 || reasons.size === 0) return null;
  const content = () => csvOf(returnedLines(rows, reasons, [cameraImport.lineHead, cameraImport.reason]));
  return (
    <button type="button" onClick={() => saveFile("lines.csv", "text/csv", content())}>
      {cameraImport.saveReturned(reasons.size)}
    </button>
  );
}

interface RunningImportProps {
  run: Run;
  onGoOn: () => void;
  onChange: () => void;
}

/** Which cameras of a table were added, which were refused, and which are left. */
function RunningImport({ run, onGoOn, onChange }: RunningImportProps) {
  const messages = useMessages();
  const { cameraImport } = useTexts();
  const { table, created, refused, isRunning, interruption } = run;
  const cameras = table.due;
  const left = cameras.length - created.size - refused.size;
  const stateOf = (camera: ListedCamera) => {
    const refusal = refused.get(camera);
    if (refusal) return cameraImport.states.refused(reasonOf(refusal, messages));
    return created.has(camera) ? cameraImport.states.created : cameraImport.states.waiting;
  };
  return (
    <>
      <progress aria-label={cameraImport.progress} max={cameras.length} value={created.size + refused.size} />
      <div role="status">
        {isRunning ? (
          <p>{cameraImport.running(cameras.length)}</p>
        ) : (
          <>
            <p>{cameraImport.created(created.size)}</p>
            {refused.size > 0 && <p className="problem">{cameraImport.refused(refused.size)}</p>}
            {interruption && (
              <p className="problem">
                {cameraImport.interrupted(left)} {reasonOf(interruption, messages)}
              </p>
            )}
          </>
        )}
      </div>
      {!isRunning && (
        <div className="form-actions">
          {left > 0 && (
            <button type="button" className="primary" onClick={onGoOn}>
              {cameraImport.goOn(left)}
            </button>
          )}
          {(left > 0 || refused.size > 0 || table.problems.length > 0) && (
            <button type="button" onClick={onChange}>
              {cameraImport.change}
            </button>
          )}
          <ReturnedLines
            table={table}
            refused={[...refused].map(([{ line }, refusal]) => [line, reasonOf(refusal, messages)])}
          />
        </div>
      )}
      <CameraList cameras={cameras} stateOf={stateOf} label={cameraImport.preview} />
    </>
  );
}

/** What a line of a table changes: of a new camera, what the list does not show anyway. */
function useDifferences() {
  const { forms } = useMessages();
  const { cameraImport, cameras: texts } = useTexts();
  const contactTexts = useContactTexts();
  return ({ before, name, url, streamType, note, contacts }: ListedCamera) => {
    const typeOf = (type: StreamType | null) => (type ? (texts.streamTypes[type] ?? type) : "");
    const rows: [label: string, from: string, to: string][] = [
      [texts.note, before?.note ?? "", note ?? ""],
      [contactTexts.title, listOf(before?.contacts ?? []), listOf(contacts)],
    ];
    if (before) {
      const [from, to] = [withoutSecrets(before.url ?? ""), withoutSecrets(url ?? "")];
      rows.unshift(
        [forms.name, before.name, name],
        [texts.url, from, to !== from || before.url === url ? to : `${to} (${cameraImport.otherSecret})`],
        [texts.streamType, typeOf(before.streamType), typeOf(streamType)],
      );
    }
    return rows
      .filter(([, from, to]) => from !== to)
      .map(
        ([label, from, to]) =>
          `${label}: ${before ? `${isolated(from) || "–"} → ` : ""}${isolated(to) || "–"}`,
      );
  };
}

const listOf = (contacts: readonly ContactInput[]) =>
  contacts
    .map(({ name, role, phoneNumber, email, note }) =>
      [name, role, phoneNumber, email, note].filter(Boolean).join(", "),
    )
    .join("; ");

interface CameraListProps {
  cameras: readonly ListedCamera[];
  stateOf: (camera: ListedCamera) => string;
  label: string;
}

function CameraList({ cameras, stateOf, label }: CameraListProps) {
  const { forms } = useMessages();
  const { cameraImport, cameras: texts } = useTexts();
  if (cameras.length === 0) return null;
  const heads = [cameraImport.lineHead, forms.name, cameraImport.facility, texts.url, texts.streamType];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: otherwise the keyboard could not scroll it.
    <section className="camera-table" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {[...heads, cameraImport.state].map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {cameras.map((camera) => (
            <tr key={camera.line}>
              <td>{camera.line}</td>
              <td>
                <StoredText>{camera.name}</StoredText>
              </td>
              <td>
                <StoredText>{camera.facility.name}</StoredText>
              </td>
              <td>
                <StreamUrl url={camera.url ?? ""} />
              </td>
              <td>{texts.streamTypes[camera.streamType] ?? camera.streamType}</td>
              <td className="line-state">
                <StoredText>{stateOf(camera)}</StoredText>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Spreadsheet programs may save a file as UTF-16 or in the code page of Windows instead of as UTF-8. */
async function textOf(file: File) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const mark = bytes.slice(0, 2).join();
  if (mark === "255,254") return new TextDecoder("utf-16le").decode(bytes);
  if (mark === "254,255") return new TextDecoder("utf-16be").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** A table to fill in, with facilities of the viewer. */
const exampleFor = (facilities: PresentCameras["facilities"]) =>
  csvOf([
    columns,
    ...[1, 2].map((number) => [
      `Camera ${number}`,
      `rtsp://192.0.2.${number}:554/stream`,
      "DIRECT",
      facilities[0]?.name ?? "",
      "",
    ]),
  ]);
