import { useEffect, useMemo, useRef, useState } from "react";
import { type CombinedError, useClient } from "urql";
import { AddCameraDocument, PresentCamerasDocument } from "../../../generated/console.js";
import { randomUuid } from "../../../platform/ids/random-uuid.js";
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
} from "./camera-table.js";
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

/** Cameras that are being added, or were. */
interface Run {
  cameras: readonly ListedCamera[];
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
  const add = async ({ name, url, streamType, facility, line }: ListedCamera) => {
    const { error } = await client.mutation(
      AddCameraDocument,
      { facility: facility.id, input: { name, url, streamType } },
      { fetchOptions: { headers: { "Idempotency-Key": `${draft.id} ${line}` } } },
    );
    return error;
  };
  const goOn = async (begun: Run) => {
    const created = new Set(begun.created);
    const refused = new Map(begun.refused);
    const show = (isRunning: boolean, interruption?: CombinedError) =>
      setRun({ ...begun, created: new Set(created), refused: new Map(refused), isRunning, interruption });
    const left = begun.cameras.filter((camera) => !created.has(camera) && !refused.has(camera));
    for (const camera of left) {
      if (hasLeft.current) return;
      show(true);
      const error = await add(camera);
      if (!error) created.add(camera);
      else if (aboutOneCamera.has(codeOf(error) ?? "")) refused.set(camera, error);
      else return show(false, error);
    }
    if (refused.size === 0) keepDraft(draftKey, undefined);
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
              onStart={(cameras) =>
                void goOn({ cameras, created: new Set(), refused: new Map(), isRunning: true })
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
  onStart: (cameras: readonly ListedCamera[]) => void;
}

/** The text of a table, what is wrong with it, and what it would add. */
function TableForm({ text, there, onChange, onStart }: TableFormProps) {
  const { cameraImport } = useTexts();
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
            onClick={() => saveFile("cameras.csv", "text/csv", exampleFor(there.facilities))}
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
      {table && table.problems.length === 0 && (
        <>
          <CameraList
            cameras={table.missing}
            stateOf={() => cameraImport.states.new}
            label={cameraImport.preview}
          />
          {table.missing.length > 0 && (
            <div className="form-actions">
              <button type="button" className="primary" onClick={() => onStart(table.missing)}>
                {cameraImport.create(table.missing.length)}
              </button>
            </div>
          )}
        </>
      )}
    </>
  );
}

/** The maximum number of problems that are listed. */
const mostListed = 50;

function TableCheck({ table: { missing, present, problems } }: { table: CameraTable }) {
  const { cameraImport } = useTexts();
  if (problems.length === 0)
    return (
      <p>
        {cameraImport.ready(missing.length)} {present.length > 0 && cameraImport.present(present.length)}
      </p>
    );
  return (
    <>
      <p className="problem">{cameraImport.wrong(problems.length)}</p>
      <ul className="line-problems">
        {problems.slice(0, mostListed).map(({ line, textOf }) => (
          <li key={line}>{cameraImport.line(line, textOf(cameraImport.problems))}</li>
        ))}
        {problems.length > mostListed && <li>{cameraImport.more(problems.length - mostListed)}</li>}
      </ul>
    </>
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
  const { cameras, created, refused, isRunning, interruption } = run;
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
          {(left > 0 || refused.size > 0) && (
            <button type="button" onClick={onChange}>
              {cameraImport.change}
            </button>
          )}
        </div>
      )}
      <CameraList cameras={cameras} stateOf={stateOf} label={cameraImport.preview} />
    </>
  );
}

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
                <StoredText>{camera.url}</StoredText>
              </td>
              <td>{texts.streamTypes[camera.streamType] ?? camera.streamType}</td>
              <td>
                <StoredText>{stateOf(camera)}</StoredText>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Spreadsheet programs may save a file in the code page of Windows instead of UTF-8. */
async function textOf(file: File) {
  const bytes = await file.arrayBuffer();
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
    ]),
  ]);
