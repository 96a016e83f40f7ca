// Where people find each mutation in the console, for docs/console.md and for the check
// that none is missing.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { buildSchema, type DocumentNode, Kind, parse, type SelectionNode } from "graphql";
import { english } from "./console/administration/english.js";
import { en } from "./console/language/en.js";
import { english as session } from "./console/session/english.js";

const root = fileURLToPath(new URL("console", import.meta.url));
const schema = fileURLToPath(new URL("../schema/schema.graphql", import.meta.url));

/** Mutations that programs call and people do not, each with the reason. */
export const calledByPrograms: Record<string, string> = {
  createAlertUpload: "Detectors upload the picture of an alert.",
  createUser: "Provisioning adds users by their subject at the identity provider. People send invitations.",
  recordAlerts: "Detectors report alerts.",
  recordDetections: "Detectors say what they see.",
  recordHeartbeat: "The computer at a facility says that it is online.",
  recordStreamError: "The feed server says that it cannot open a stream.",
  recordStreamMetadata: "The feed server says what a stream is like.",
  recordStreamThumbnail: "The feed server sends the picture of a stream.",
  renameFacility: "Clients change the name alone, as by REST. The console uses `updateFacility`.",
  reportConnector: "Connectors say each minute that they run, and what they could not map.",
  setAlertBookmark: "Clients set the mark of one alert. The console uses `markAlerts`.",
  setAlertFalsePositive: "Clients set the mark of one alert. The console uses `markAlerts`.",
  setCameraStatusDetail: "Detectors and monitoring say how a camera is doing.",
};

/** Where the console sends a mutation by one of its operations. */
export interface MutationPlace {
  mutation: string;
  operation: string;
  /** The English names of the views and parts of the settings. */
  where: string[];
  /** The files that send it, relative to `src/console`. */
  files: string[];
}

const files = new Map(
  readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(?:ts|tsx|graphql)$/.test(file))
    .sort()
    .map((file) => [file, readFileSync(path.join(root, file), "utf8")]),
);
const sourceOf = (file: string) => files.get(file) ?? "";

/** The file in the console that a specifier in another file leads to. */
function resolved(specifier: string, from: string): string | undefined {
  const target = path.join(path.dirname(from), specifier).replace(/\.js$/, "");
  return [`${target}.ts`, `${target}.tsx`].find((file) => files.has(file));
}

/** The file and all that it imports, except the files in `limits`. */
function reachableFrom(file: string, limits: ReadonlySet<string> = new Set()): Set<string> {
  const found = new Set([file]);
  for (const each of found) {
    const specifiers = sourceOf(each).matchAll(/(?:\bfrom|\bimport)\s*\(?\s*"(\.[^"]+)"/g);
    for (const [, specifier] of specifiers) {
      const imported = resolved(specifier as string, each);
      if (imported && !limits.has(imported)) found.add(imported);
    }
  }
  return found;
}

/** A named place, and the file that shows it. */
interface Entry {
  name: string;
  file: string;
}

/** The views and the parts of the settings, then what is outside of views. */
function entries(): Entry[] {
  const views = declaredIn(
    "views.ts",
    /title: \(messages\) => messages\.views\.(\w+),.*?import\("(\.[^"]+)"\)/gs,
  ).map(([key, specifier]) => ({ name: nameIn(en.views, key), file: fileOf(specifier, "views.ts") }));
  const settings = views.find(({ name }) => name === en.views.settings);
  if (!settings) throw new Error("The console has no settings");
  const parts = declaredIn(settings.file, /title: \(\{ (\w+) \}\) => \1,.*?component: (\w+)/gs).map(
    ([key, component]) => ({
      name: `${en.views.settings} → ${nameIn(english.parts, key)}`,
      file: fileOf(specifierOf(component, settings.file), settings.file),
    }),
  );
  return [
    ...views.filter((view) => view !== settings),
    ...parts,
    { name: en.account.label, file: "shell/account-menu.tsx" },
    { name: session.signIn.title, file: "session/sign-in.tsx" },
  ];
}

/** Titles and components that a file declares: the pairs that a pattern finds. */
function declaredIn(file: string, pattern: RegExp): [title: string, component: string][] {
  const source = sourceOf(file);
  const found = [...source.matchAll(pattern)].map(([, title, component]): [string, string] => [
    title as string,
    component as string,
  ]);
  const declared = source.match(/\bcomponent: (?!ComponentType\b)/g)?.length ?? 0;
  if (found.length === 0 || found.length !== declared)
    throw new Error(
      `${file} declares ${declared} components with titles, of which ${found.length} can be read`,
    );
  return found;
}

/** The specifier of the module that a file imports a name from. */
const specifierOf = (name: string, file: string): string =>
  new RegExp(`import \\{[^}]*\\b${name}\\b[^}]*\\} from "([^"]+)"`).exec(sourceOf(file))?.[1] ?? name;

function nameIn(catalogue: Record<string, string>, key: string): string {
  const name = catalogue[key];
  if (!name) throw new Error(`The English texts have no name for ${key}`);
  return name;
}

function fileOf(specifier: string, from: string): string {
  const file = resolved(specifier, from);
  if (!file) throw new Error(`${from} does not lead to “${specifier}”`);
  return file;
}

/**
 * The names of the places that show a file: those in its own folder, or else all that
 * lead to it.
 */
function placesOf(file: string, reached: readonly (Entry & { files: ReadonlySet<string> })[]): string[] {
  const leading = reached.filter(({ files }) => files.has(file));
  const own = leading.filter((entry) => path.dirname(entry.file) === path.dirname(file));
  const names = (own.length > 0 ? own : leading).map(({ name }) => name);
  return names.length > 0 ? names : [en.keys.everywhere];
}

const fieldNames = (selections: readonly SelectionNode[]) =>
  selections.flatMap((selection) => (selection.kind === Kind.FIELD ? selection.name.value : []));

/** The mutations of a document, by the names of their operations. */
const mutationsOf = (document: DocumentNode): [operation: string, mutations: string[]][] =>
  document.definitions.flatMap((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION && definition.operation === "mutation"
      ? [[definition.name?.value ?? "", fieldNames(definition.selectionSet.selections)]]
      : [],
  );

/** The mutations that a file sends, by the names of their operations. */
function sentBy(file: string, documents: ReadonlyMap<string, string[]>): [string, string[]][] {
  const source = sourceOf(file);
  // What is sent without the client is written in place.
  const inPlace = [...source.matchAll(/(["`])(mutation \w+\b.*?)\1/gs)].flatMap(([, , text]) =>
    mutationsOf(parse(text as string)),
  );
  const imported = [...documents].filter(([operation]) =>
    new RegExp(`\\b${operation}Document\\b`).test(source),
  );
  return [...inPlace, ...imported];
}

/** Where people find the mutations that the console sends, by mutation. */
export function mutationPlaces(): MutationPlace[] {
  const [documents, sources] = [".graphql", ".ts"].map((end) =>
    [...files.keys()].filter((file) => file.replace(/x$/, "").endsWith(end)),
  ) as [string[], string[]];
  const operations = new Map(documents.flatMap((file) => mutationsOf(parse(sourceOf(file)))));
  const known = entries();
  const limits = new Set(known.map(({ file }) => file));
  const reached = known.map((entry) => ({ ...entry, files: reachableFrom(entry.file, limits) }));
  const places = new Map<string, MutationPlace>();
  for (const file of sources)
    for (const [operation, mutations] of sentBy(file, operations))
      for (const mutation of mutations) {
        const key = `${mutation} ${operation}`;
        const { where = [], files = [] } = places.get(key) ?? {};
        const names = [...new Set([...where, ...placesOf(file, reached)])];
        places.set(key, { mutation, operation, where: names, files: [...files, file] });
      }
  return [...places].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, place]) => place);
}

/** The mutations that the console does not send and that programs alone do not call. */
export function missingMutations(): string[] {
  const sent = new Set(mutationPlaces().map(({ mutation }) => mutation));
  return allMutations()
    .filter((name) => !Object.hasOwn(calledByPrograms, name) && !sent.has(name))
    .sort();
}

/** The mutations of the API. */
const allMutations = (): string[] =>
  Object.keys(buildSchema(readFileSync(schema, "utf8")).getMutationType()?.getFields() ?? {});
