import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { rowsOf } from "../export/workbook.js";
import { createDatabase, dropDatabase } from "../support/databases.js";
import { formOf } from "../support/forms.js";
import { addressOf, gatewaySettings, runCommand, startCommand } from "../support/running-command.js";
import { startS3Server } from "../support/s3-server.js";
import { directoryForTest } from "../support/temporary-directory.js";
import { pictureAs } from "../uploads/sample-pictures.js";

const run = promisify(execFile);

/** The files of a built checkout, without packages. */
const checkout = [
  ".npmrc",
  "codegen.yml",
  "dist",
  "package-lock.json",
  "package.json",
  "prisma",
  "schema",
  "src",
  "tsconfig.json",
];

const npm = (directory: string, parameters: string[], environment: Record<string, string> = {}) =>
  run("npm", parameters, {
    cwd: directory,
    env: { ...process.env, npm_config_offline: "true", ...environment },
  });

/** This project as installed for production: built, then pruned. */
let installation: string;
beforeAll(async () => {
  installation = await mkdtemp(path.join(tmpdir(), ".gateway-production-"));
  await run("cp", ["-R", "-p", ...checkout, installation]);
  // Use hard links if the file system allows them. Copying takes seconds, and npm
  // replaces files instead of changing them, except for its own list. The other hidden
  // files are caches, which tests that run beside this change meanwhile.
  const packages = path.join(installation, "node_modules");
  await mkdir(packages);
  await run("sh", [
    "-c",
    `cd node_modules && { cp -R -p -l .bin * "$0" 2>/dev/null || cp -R -p .bin * "$0"; } && cp .package-lock.json "$0"`,
    packages,
  ]);
  await npm(installation, ["run", "--silent", "prune"]);
  return () => run("rm", ["-rf", installation]);
});

it("has at most 60 MB of packages", async () => {
  const { stdout } = await run("du", ["-s", "--block-size=1M", path.join(installation, "node_modules")]);
  expect(Number.parseInt(stdout, 10)).toBeLessThanOrEqual(60);
});

it("has the licences of the packages that the bundle contains", async () => {
  expect(await readFile(path.join(installation, "dist/licenses.md"), "utf8")).toContain("\n## express - ");
});

it("has every package that another asks for", async () => {
  await npm(installation, ["ls", "--all", "--omit=dev"]);
});

it("leaves the lock file as it was, so that the build still counts as fresh", async () => {
  expect(await readFile(path.join(installation, "package-lock.json"), "utf8")).toBe(
    await readFile("package-lock.json", "utf8"),
  );
});

/** An empty database on the server, dropped after the running test. */
async function emptyDatabase(): Promise<string> {
  const server = {
    url: process.env.TEST_DATABASE_URL as string,
    prefix: `gateway_test_${process.pid}`,
    isCluster: false,
  };
  const name = `production_${randomUUID().slice(0, 8)}`;
  const url = await createDatabase(server, name);
  onTestFinished(() => dropDatabase(server, name));
  return url;
}

async function dataDirectory(): Promise<string> {
  return directoryForTest();
}

describe("with the packages that are left", () => {
  it.runIf(process.env.TEST_DATABASE_URL)(
    "a server is migrated, and the gateway keeps a picture in S3 and exports a spreadsheet",
    async () => {
      const DATABASE_URL = await emptyDatabase();
      const { stdout: migrated } = await npm(installation, ["run", "--silent", "migrate"], { DATABASE_URL });
      expect(migrated).toMatch(/^Applied 2\d+_/);
      const parameters = [
        "--workspace",
        "Plant",
        "--auth-id",
        "idp|1",
        "--email",
        "one@plant.example",
        "--key",
        "First",
      ];
      const { output } = await runCommand("commands/bootstrap", {
        installation,
        environment: { DATABASE_URL },
        parameters,
      });
      const [key] = /cmk_[0-9a-f]{32}_[0-9a-f]{64}/.exec(output) as RegExpExecArray;

      const s3 = await startS3Server();
      onTestFinished(() => s3.remove());
      const environment = gatewaySettings({
        NODE_ENV: "production",
        DATABASE_URL,
        DATA_DIR: await dataDirectory(),
        ...s3.settings,
        AWS_ACCESS_KEY_ID: process.env.AWS_ACCESS_KEY_ID as string,
        AWS_SECRET_ACCESS_KEY: process.env.AWS_SECRET_ACCESS_KEY as string,
        ...(process.env.TEST_REDIS_URL && { REDIS_URL: process.env.TEST_REDIS_URL }),
        OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
      });
      const address = await addressOf(startCommand("main", { installation, environment }));
      const send = (target: string, options: RequestInit = {}) =>
        fetch(new URL(target, address), {
          ...options,
          headers: { ...options.headers, authorization: `Basic ${key}` },
        });
      const graphql = async <Data>(query: string, variables: object = {}): Promise<Data> => {
        const body = JSON.stringify({ query, variables });
        const response = await send("/graphql", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body,
        });
        return ((await response.json()) as { data: Data }).data;
      };
      const { createFacility } = await graphql<{ createFacility: { id: string } }>(
        `mutation { createFacility(input: { name: "Plant", timeZoneId: "Europe/Istanbul" }) { id } }`,
      );
      const body = formOf({ cameraImage: await pictureAs("png"), cameraName: "Door", metadata: {} });
      const added = await send(`/facilities/${createFacility.id}/client_cameras`, { method: "POST", body });
      const { insertedItem: cameraId } = (await added.json()) as { insertedItem: string };
      const alert = {
        id: randomUUID(),
        cameraId,
        name: "PPE_VIOLATION",
        createdAt: new Date().toISOString(),
      };
      const recorded = await graphql(
        "mutation ($input: [RecordAlertInput!]!) { recordAlerts(input: $input) { recorded } }",
        { input: [alert] },
      );
      expect(recorded).toEqual({ recordAlerts: { recorded: 1 } });
      const exported = await send(`/alerts/export?start=0&end=${Date.now() + 60_000}`);
      const [, row] = await rowsOf(Buffer.from(await exported.arrayBuffer()));
      expect(row).toEqual(expect.arrayContaining(["Plant", "Door", "PPE_VIOLATION", alert.id]));
      const { camera } = await graphql<{ camera: { imageLink: string } }>(
        "query ($id: UUID!) { camera(id: $id) { imageLink } }",
        { id: cameraId },
      );
      const { pathname, search } = new URL(camera.imageLink);
      const picture = await fetch(address + pathname + search);
      expect([picture.status, picture.headers.get("content-type")]).toEqual([200, "image/png"]);
    },
  );

  it("the gateway starts on an embedded database, and serves its pages", async () => {
    const environment = gatewaySettings({ NODE_ENV: "production", DATA_DIR: await dataDirectory() });
    const address = await addressOf(startCommand("main", { installation, environment }));
    const answers = await Promise.all(
      ["/", "/graphql", "/docs", "/readyz"].map((page) =>
        fetch(address + page, { headers: { accept: "text/html" } }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });
});
