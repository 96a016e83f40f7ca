import { type ChildProcess, execFile } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { WebSocket } from "ws";
import {
  authorizationOf,
  freshData,
  type Gateway,
  type GatewayOptions,
  gatewayOn,
} from "../support/harness.js";

const repository = fileURLToPath(new URL("../..", import.meta.url));
/** Code blocks that begin with a comment naming their file. */
const namedBlock = /^```\w+\n((?:\/\/|#) ([\w./-]+)[\s\S]*?)^```$/gm;
const relayConfiguration = /^```json\n(\{ "src"[^\n]*\n)```$/m;

const authentication = `export const authentication = { getToken: undefined };
export const getToken = () => authentication.getToken();
`;

/** The README and the documents in `docs`, one after the other. */
async function documents(): Promise<string> {
  const names = (await readdir(path.join(repository, "docs")))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`);
  const texts = await Promise.all(
    ["README.md", ...names].map((name) => readFile(path.join(repository, name), "utf8")),
  );
  return texts.join("\n");
}

/**
 * The files in the documents, in a project with all packages installed, and the gateway
 * for them.
 */
export class DocumentSnippets {
  gateway!: Gateway;
  directory!: string;
  readonly #hasWebSocket = "WebSocket" in globalThis;

  /**
   * Starts a gateway with the demo fleet and writes the files, with its address in place
   * of the documents'; `getToken` returns tokens of the demo's admin.
   */
  async open({ environment, ...options }: Pick<GatewayOptions, "now" | "environment"> = {}): Promise<void> {
    const { variables, cleanUp } = await freshData("demo");
    this.gateway = await gatewayOn({ SEED: "demo", ...variables, ...environment }, options, cleanUp);
    this.directory = await mkdtemp(path.join(tmpdir(), "gateway-snippets-"));
    const { host } = new URL(this.gateway.url);
    const shown = (await documents()).replaceAll("localhost:4000", host);
    const files = new Map<string, string | Uint8Array>(
      [...shown.matchAll(namedBlock)].map(([, text = "", name = ""]) => [name, text]),
    );
    files.set("relay.config.json", relayConfiguration.exec(shown)?.[1] as string);
    files.set("schema.graphql", await readFile(path.join(repository, "schema/schema.graphql")));
    files.set("data/demo-api-key", await readFile(path.join(variables.DATA_DIR as string, "demo-api-key")));
    files.set("package.json", '{ "type": "module" }');
    files.set("authentication.js", authentication);
    files.set("authentication.d.ts", "export declare function getToken(): Promise<string>;\n");
    for (const [name, text] of files) await this.add(name, text);
    await symlink(path.join(repository, "node_modules"), path.join(this.directory, "node_modules"));
    await this.takeTokensFrom(async () =>
      ((await authorizationOf({ user: "demo|admin" })) as string).slice("Bearer ".length),
    );
    // The snippets are written for browsers and for Node.js 22, which have one.
    if (!this.#hasWebSocket) globalThis.WebSocket = WebSocket as unknown as typeof globalThis.WebSocket;
  }

  /** Asks the gateway as the demo's admin. */
  ask<Data>(query: string, variables: object = {}): Promise<Data> {
    return this.gateway.data<Data>(query, { as: { user: "demo|admin" }, variables: { ...variables } });
  }

  /** Adds a file of the test's own. */
  async add(name: string, content: string | Uint8Array): Promise<void> {
    const file = path.join(this.directory, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
  }

  read(name: string): Promise<string> {
    return readFile(path.join(this.directory, name), "utf8");
  }

  /** Loads a module. */
  load<Module>(name: string): Promise<Module> {
    return import(pathToFileURL(path.join(this.directory, name)).href) as Promise<Module>;
  }

  async takeTokensFrom(getToken: () => Promise<string>): Promise<void> {
    const module = await this.load<{ authentication: { getToken: () => Promise<string> } }>(
      "authentication.js",
    );
    module.authentication.getToken = getToken;
  }

  /**
   * Runs a program, or a command of an installed package. Returns its standard output,
   * and fails if it fails.
   */
  async run(program: string, parameters: string[], environment: NodeJS.ProcessEnv = {}): Promise<string> {
    const bin = path.join(this.directory, "node_modules/.bin");
    const env = { ...process.env, ...environment, PATH: `${bin}:${process.env.PATH}` };
    try {
      return (await promisify(execFile)(program, parameters, { cwd: this.directory, env })).stdout;
    } catch (error) {
      const { stdout, stderr } = error as { stdout: string; stderr: string };
      throw new Error(`${program} ${parameters.join(" ")} failed:\n${stdout}${stderr}`, { cause: error });
    }
  }

  /** Starts a program that runs until it is stopped by the returned function. */
  start(program: string, parameters: string[]): () => Promise<void> {
    const child: ChildProcess = execFile(program, parameters, { cwd: this.directory });
    const ended = once(child, "exit");
    return async () => {
      child.kill();
      await ended;
    };
  }

  /**
   * Compiles TypeScript files, with the strictest checks of types; fails if they do not
   * hold.
   */
  async compile(...files: string[]): Promise<void> {
    const compilerOptions = {
      strict: true,
      skipLibCheck: true,
      module: "NodeNext",
      target: "ES2023",
      lib: ["ES2023", "DOM", "DOM.Iterable"],
      types: [],
    };
    await this.add("tsconfig.json", JSON.stringify({ compilerOptions, files }));
    await this.run("tsc", ["-p", "."]);
  }

  async close(): Promise<void> {
    if (!this.#hasWebSocket) Reflect.deleteProperty(globalThis, "WebSocket");
    await rm(this.directory, { recursive: true, force: true });
    await this.gateway.close();
  }
}

/** Opens the snippets for a test file. */
export function documentSnippetsOfFile(
  options?: Pick<GatewayOptions, "now" | "environment">,
): DocumentSnippets {
  const snippets = new DocumentSnippets();
  beforeAll(() => snippets.open(options));
  afterAll(() => snippets.close());
  return snippets;
}
