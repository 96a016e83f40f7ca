import Papa from "papaparse";
import { isStreamUrl } from "../../../features/camera/stream-url.js";
import type { ContactFieldsFragment, ContactInput, StreamType } from "../../../generated/console.js";
import { keysOf } from "../../../platform/record.js";
import { isolated } from "../../../platform/text/text-direction.js";
import {
  contactField,
  contactNumbers,
  contactParts,
  contactsIn,
  contactTexts,
} from "../../contacts/contact-texts.js";
import type { Texts } from "../../form/field.js";
import { csvOf } from "../csv.js";
import type { FacilityTexts } from "./english.js";
import { streamTypes } from "./stream-types.js";

/** The columns of a table that the console writes. A header may name them in any order, and otherwise. */
export const columns = ["name", "url", "streamType", "facility", "note"] as const;

/** How headers name each column, in lower case and letters alone. */
const headersOf = {
  id: ["id", "cameraid", "kameraid"],
  name: ["name", "camera", "cameraname", "title", "label", "kamera", "kameraname", "bezeichnung"],
  url: ["url", "uri", "cameraurl", "streamurl", "stream", "rtsp", "rtspurl", "address", "link", "adresse"],
  streamType: ["streamtype", "streamtyp", "connection", "verbindung", "anbindung"],
  facility: ["facility", "facilityname", "site", "location", "building", "standort", "gebäude"],
  note: ["note", "notes", "remark", "remarks", "comment", "notiz", "bemerkung", "hinweis"],
};

/** How headers name each part of a contact, behind the word for it and its number. */
const contactHeadersOf = {
  name: ["", "name", "person"],
  role: ["role", "rolle", "funktion"],
  phoneNumber: ["phonenumber", "phone", "telefon", "telefonnummer"],
  email: ["email", "mail", "emailaddress", "emailadresse"],
  note: ["note", "notiz", "bemerkung"],
};

/** The maximum number of cameras in a table. */
export const mostCameras = 1000;
/** The maximum length of a table, in characters. */
export const longestTable = 1_000_000;

/** All cameras as a table, to be changed in it. It has columns for as many contacts as one of them has, at least one. */
export function presentTable({ cameras, facilities }: PresentCameras): string {
  const names = new Map(facilities.map(({ id, name }) => [id, name]));
  const most = Math.max(1, ...cameras.map(({ contacts }) => contacts.length));
  const fields = contactNumbers
    .slice(0, most)
    .flatMap((number) => contactParts.map((part) => contactField(number, part)));
  return csvOf([
    ["id", ...columns, ...fields],
    ...cameras.map(({ id, name, url, streamType, facilityId, note, contacts }) => {
      const texts = contactTexts(contacts);
      const facility = names.get(facilityId) ?? facilityId;
      return [
        id,
        name,
        url ?? "",
        streamType ?? "",
        facility,
        note ?? "",
        ...fields.map((field) => texts[field] ?? ""),
      ];
    }),
  ]);
}

interface Facility {
  id: string;
  name: string;
  viewerPermissions: readonly string[];
}

/** What is already there. */
export interface PresentCameras {
  facilities: readonly Facility[];
  cameras: readonly {
    id: string;
    name: string;
    url: string | null;
    streamType: StreamType | null;
    facilityId: string;
    note: string | null;
    contacts: readonly ContactFieldsFragment[];
  }[];
}

type PresentCamera = PresentCameras["cameras"][number];

export interface ListedCamera {
  /** The camera that the line changes; undefined for a new one. */
  before: PresentCamera | undefined;
  line: number;
  name: string;
  /** Null for a camera whose pictures are uploaded. */
  url: string | null;
  streamType: StreamType;
  facility: { id: string; name: string };
  note: string | null;
  contacts: ContactInput[];
}

type ProblemTexts = FacilityTexts["cameraImport"]["problems"];

/** What is wrong in a line, in words for the reader. */
interface LineProblem {
  line: number;
  textOf: (problems: ProblemTexts) => string;
}

export interface CameraTable {
  /** What can be written: cameras to add, and those to change. */
  due: readonly ListedCamera[];
  /** The cameras that are there already, just as the table has them. */
  present: readonly ListedCamera[];
  problems: readonly LineProblem[];
  /** Headers of columns that mean nothing here. */
  unread: readonly string[];
  /** The table as it was read, the header first, to give lines back. */
  rows: readonly Row[];
}

interface Row {
  line: number;
  cells: readonly string[];
  isQuotedWrongly: boolean;
}

/** Checks a whole table against itself and against what is already there. */
export function checkedTable(text: string, there: PresentCameras): CameraTable {
  const fail = (line: number, textOf: LineProblem["textOf"]): CameraTable => ({
    due: [],
    present: [],
    problems: [{ line, textOf }],
    unread: [],
    rows: [],
  });
  if (text.length > longestTable) return fail(1, ({ tooLong }) => tooLong);
  const rows = rowsOf(text);
  const [header, ...lines] = rows;
  if (!header) return fail(1, ({ empty }) => empty);
  const { indexes, unread } = indexesOf(header);
  const absent = (["name", "url"] as const).filter((column) => !indexes.has(column));
  if (absent.length > 0) return fail(header.line, ({ noColumns }) => noColumns(absent.join(", ")));
  if (lines.length === 0) return fail(header.line, ({ empty }) => empty);
  const overflow = lines[mostCameras];
  if (overflow) return fail(overflow.line, ({ tooMany }) => tooMany(mostCameras));
  const read = lines.map((row) => cameraOf(row, indexes, there));
  const cameras = read.flatMap((each) => ("name" in each ? [each] : []));
  const { due, present, problems } = compared(cameras, there.cameras);
  const wrong = read.flatMap((each) => ("textOf" in each ? [each] : []));
  return {
    due,
    present,
    problems: [...wrong, ...problems].sort((one, other) => one.line - other.line),
    unread,
    rows,
  };
}

/** Lines of a table, with number and reason behind what they have, to be corrected and given again. */
export function returnedLines(
  [header, ...rows]: CameraTable["rows"],
  reasons: ReadonlyMap<number, string>,
  headers: readonly [line: string, reason: string],
): string[][] {
  const names = header?.cells ?? [];
  const returned = rows.flatMap(({ line, cells }) => {
    const reason = reasons.get(line);
    const filled = names.map((_name, index) => cells[index] ?? "");
    return reason === undefined ? [] : [[...filled, String(line), reason]];
  });
  return [[...names, ...headers], ...returned];
}

/** The rows that are not empty, each with the line in which it begins. */
function rowsOf(given: string) {
  const whole = given.replace(/^\ufeff/, "").replaceAll(/\r\n?/g, "\n");
  // Excel writes and reads this line.
  const separator = /^sep=([,;\t])\n/i.exec(whole);
  const text = whole.slice(separator?.[0].length ?? 0);
  // Otherwise the header decides: names of columns contain no separator.
  const delimiter = separator?.[1] ?? /[,;\t]/.exec(text.trimStart().split("\n", 1)[0] ?? "")?.[0] ?? ",";
  const rows: Row[] = [];
  let line = separator ? 2 : 1;
  let read = 0;
  Papa.parse<string[]>(text, {
    delimiter,
    newline: "\n",
    // The other mode does not tell where a row ends.
    fastMode: false,
    step: ({ data, errors, meta }) => {
      // The apostrophe keeps spreadsheet programs from reading a formula.
      const cells = data.map((cell) => cell.trim().replace(/^'(?=[=+\-@])/, ""));
      if (cells.some((cell) => cell !== "")) rows.push({ line, cells, isQuotedWrongly: errors.length > 0 });
      line += text.slice(read, meta.cursor).split("\n").length - 1;
      read = meta.cursor;
    },
  });
  return rows;
}

/** The index of each column by the header, and what else the header has. */
function indexesOf({ cells }: Row) {
  const indexes = new Map<string, number>();
  const unread: string[] = [];
  for (const [index, cell] of cells.entries()) {
    const column = columnNamed(cell);
    if (column !== undefined && !indexes.has(column)) indexes.set(column, index);
    else if (cell !== "") unread.push(cell);
  }
  return { indexes, unread };
}

/** The column that a header means, or the field of a contact; undefined for neither. */
function columnNamed(header: string) {
  const name = header.toLowerCase().replaceAll(/[^\p{L}\d]/gu, "");
  const letters = name.replaceAll(/\d/g, "");
  const contact = /^(?:contact|kontakt|ansprechpartner)([1-5])?(\D*)$/.exec(name);
  const part = contactParts.find((each) => contact && contactHeadersOf[each].includes(contact[2] ?? ""));
  return part
    ? contactField(Number(contact?.[1] ?? 1), part)
    : keysOf(headersOf).find((column) => headersOf[column].includes(letters));
}

/** The camera in a row, or the first problem with it. */
function cameraOf(
  { line, cells, isQuotedWrongly }: Row,
  indexes: ReadonlyMap<string, number>,
  there: PresentCameras,
): ListedCamera | LineProblem {
  const given: Texts = Object.fromEntries(
    Array.from(indexes, ([column, index]) => [column, cells[index] ?? ""]),
  );
  const { id = "", name = "", url = "", streamType: connection = "", facility: place = "" } = given;
  // Other tables have ids of their own, which say nothing here.
  const named = there.cameras.find((each) => each.id === id.toLowerCase());
  if (isQuotedWrongly) return { line, textOf: ({ quotes }) => quotes };
  if (name === "" || name.length > 200 || /\p{Cc}/u.test(name))
    return { line, textOf: (texts) => texts.name };
  const hasStream = named?.url !== null || url !== "";
  if (hasStream && !isStreamUrl(url)) return { line, textOf: (texts) => texts.url };
  const facility = facilityOf(place, there.facilities, named?.facilityId);
  if (typeof facility === "function") return { line, textOf: facility };
  const before =
    named ??
    there.cameras.find((each) => each.name === name && each.url === url && each.facilityId === facility.id);
  const streamType = streamTypeOf(connection.toUpperCase(), before?.streamType);
  if (!streamType)
    return { line, textOf: (texts) => texts.streamType(isolated(connection), streamTypes.join(", ")) };
  // Parts of contacts that the table has no column for stay.
  const contacts = contactsIn({ ...contactTexts(before?.contacts), ...given });
  if (contacts.some((contact) => contact.name === "")) return { line, textOf: (texts) => texts.contact };
  const note = given.note ?? before?.note;
  return {
    before,
    line,
    name,
    url: hasStream ? url : null,
    streamType,
    facility: { id: facility.id, name: facility.name },
    note: note || null,
    contacts,
  };
}

/** The kind of connection with a name, also a present one that cannot be chosen; undefined if there is none. */
const streamTypeOf = (name: string, present: StreamType | null | undefined) =>
  name === "" || name === present ? (present ?? "DIRECT") : streamTypes.find((type) => type === name);

const mayAdd = ({ viewerPermissions }: Facility) => viewerPermissions.includes("cameras:write");

/** The facility of a line, or what is wrong with it. `present` is the facility of the camera that the line changes. */
function facilityOf(
  name: string,
  facilities: readonly Facility[],
  present: string | undefined,
): Facility | LineProblem["textOf"] {
  const [facility, another] = facilitiesFor(name, facilities, present);
  if (!facility || (another && name === "")) return (texts) => texts.facility(name && isolated(name));
  if (another) return (texts) => texts.severalFacilities(isolated(name));
  if (!mayAdd(facility)) return (texts) => texts.forbidden(isolated(name));
  return present === undefined || present === facility.id ? facility : ({ moved }) => moved;
}

/** The facilities that a line may mean: if it names none, the camera's, or those to which the viewer may add cameras. */
function facilitiesFor(name: string, facilities: readonly Facility[], present: string | undefined) {
  if (name === "") return facilities.filter((each) => (present ? each.id === present : mayAdd(each)));
  const exact = facilities.filter((each) => each.name === name || each.id === name.toLowerCase());
  if (exact.length > 0) return exact;
  return facilities.filter((each) => each.name.toLowerCase() === name.toLowerCase());
}

/**
 * Finds cameras whose name at the facility, or whose URL, another camera has. A camera that already exists as listed is
 * no problem, so that a table can be given again.
 */
function compared(cameras: readonly ListedCamera[], there: PresentCameras["cameras"]) {
  const nameKey = (facilityId: string, name: string) => `${facilityId} ${name}`;
  const byName = new Map(there.map((camera) => [nameKey(camera.facilityId, camera.name), camera]));
  const byUrl = new Map(there.map((camera) => [camera.url, camera]));
  const linesByName = new Map<string, number>();
  const linesByUrl = new Map<string, number>();
  const due: ListedCamera[] = [];
  const present: ListedCamera[] = [];
  const problems: LineProblem[] = [];
  /** What is wrong with a camera beside those there are; undefined if it can be written. */
  const conflictOf = ({ before, name, url, facility }: ListedCamera): LineProblem["textOf"] | undefined => {
    const ofOther = (found: PresentCamera | undefined) => found !== undefined && found.id !== before?.id;
    if (ofOther(byName.get(nameKey(facility.id, name))))
      return (texts) => texts.nameExists(isolated(name), isolated(facility.name));
    return url !== null && ofOther(byUrl.get(url)) ? (texts) => texts.urlExists : undefined;
  };
  for (const camera of cameras) {
    const { line, name, url, facility } = camera;
    const key = nameKey(facility.id, name);
    const [sameName, sameUrl] = [linesByName.get(key), linesByUrl.get(url ?? "")];
    linesByName.set(key, sameName ?? line);
    if (url !== null) linesByUrl.set(url, sameUrl ?? line);
    const conflict = conflictOf(camera);
    const report = (textOf: LineProblem["textOf"]) => problems.push({ line, textOf });
    if (sameName !== undefined) report((texts) => texts.sameName(isolated(name), sameName));
    else if (sameUrl !== undefined) report((texts) => texts.sameUrl(sameUrl));
    else if (isPresent(camera)) present.push(camera);
    else if (conflict) report(conflict);
    else due.push(camera);
  }
  return { due, present, problems };
}

/** Whether a camera is there just as listed. */
const isPresent = ({ before, name, url, streamType, note, contacts }: ListedCamera) =>
  before !== undefined &&
  before.name === name &&
  before.url === url &&
  before.streamType === streamType &&
  before.note === note &&
  JSON.stringify(contactsIn(contactTexts(before.contacts))) === JSON.stringify(contacts);
