// Needs no gateway.
import path from "node:path";
import { createContext, Script } from "node:vm";
import { build, loadConfigFromFile, type Rolldown } from "vite";

/** Calls that do nothing but refuse a value, and a value that each refuses. */
const refusals: [call: string, value: unknown][] = [
  ["decodeURI(value)", "%"],
  ["decodeURIComponent(value)", "%"],
  ["encodeURI(value)", "\ud800"],
  ["encodeURIComponent(value)", "\ud800"],
  ["String.fromCodePoint(value)", -1],
  ["new URL(value)", "plant"],
  ["new RegExp(value)", "("],
  ["RegExp(value)", "("],
  ["JSON.parse(value)", "{"],
  ["BigInt(value)", "one"],
  ["new Intl.DateTimeFormat('en', { timeZone: value })", "Plant"],
  ["Intl.getCanonicalLocales(value)", "!"],
  ["new Date(value).toISOString()", Number.NaN],
  ["new Array(value)", -1],
  ["'a'.repeat(value)", -1],
  ["'a'.normalize(value)", "A"],
  ["atob(value)", "!"],
  ["structuredClone(value)", () => undefined],
  ["new TextDecoder(value)", "Plant"],
  ["new Headers(value)", { " ": "" }],
  ["value.name", undefined],
];

const source = `
  const { values, passed } = globalThis;
  ${refusals
    .map(
      ([call], index) => `
        const check${index} = (value) => ${call};
        try { const value = values[${index}]; ${call}; passed.push(${JSON.stringify(call)}); } catch {}
        try { check${index}(values[${index}]); passed.push(${JSON.stringify(`a function with ${call}`)}); } catch {}`,
    )
    .join("")}`;

/** Bundles the calls as a configuration says. */
async function bundled(file: string): Promise<string> {
  const { config } =
    (await loadConfigFromFile({ command: "build", mode: "production" }, file)) ?? expect.fail();
  const entry = path.resolve("refusals.js");
  const { output } = (await build({
    ...config,
    configFile: false,
    logLevel: "silent",
    plugins: [
      {
        name: "refusals",
        resolveId: (id) => (id === entry ? id : undefined),
        load: (id) => (id === entry ? source : undefined),
      },
    ],
    build: {
      ...config.build,
      write: false,
      sourcemap: false,
      rolldownOptions: { ...config.build?.rolldownOptions, input: entry },
    },
  })) as Rolldown.RolldownOutput;
  // Where it is, scripts are modules.
  return output[0].code.replace(/^export \{\s*\};?$/m, "");
}

// What is shipped would otherwise accept what the sources, and with them all other tests,
// refuse.
it.each(["src/programs", "src/console", "src/api/graphql/playground", "src/api/rest/docs"])(
  "the bundle of %s refuses what its sources refuse by an exception",
  async (directory) => {
    const passed: string[] = [];
    const context = { values: refusals.map(([, value]) => value), passed };
    const globals = { URL, Headers, TextDecoder, atob, structuredClone };
    new Script(await bundled(`${directory}/vite.config.ts`)).runInContext(
      createContext({ ...globals, ...context }),
    );
    expect(passed).toEqual([]);
  },
);
