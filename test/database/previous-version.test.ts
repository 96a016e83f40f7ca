// Runs once: two versions run side by side only where they share a server.
// Takes long: it installs and builds the previous version.

import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import path from "node:path";
import { inject } from "vitest";
import { onServer } from "../support/databases.js";
import { authorizationOf, gatewayOn } from "../support/harness.js";
import { buildVersion, findPreviousVersion } from "../support/previous-version.js";
import { caseOf, initOf, type RouteCase, requestOf, routeCases } from "../support/route-cases.js";
import { addressOf, gatewaySettings, runCommand, startCommand } from "../support/running-command.js";
import { directoryForTest } from "../support/temporary-directory.js";
import { pictureAs } from "../uploads/sample-pictures.js";
import { emptyServerDatabase } from "./fresh-database.js";

const { server } = inject("resources");
const previous = findPreviousVersion();
const administrator = "previous|admin";
const alertType = "STATIC_DELIMITATION_AREA";
/** The timeout of tests that first build the code of the previous version. */
const buildTimeout = 300_000;

type Ids = Record<"facilityId" | "cameraId" | "requestId" | "jobId" | "alertId", string>;

/** A client of the instances of both versions. */
class Client {
  constructor(
    private readonly databaseUrl: string,
    private readonly key: string,
  ) {}

  /** Sends the good request of a case, which must succeed, and returns the answer. */
  async send(address: string, number: number, ids: Ids): Promise<string> {
    const each = caseOf(number);
    const period = each.query?.start ? { start: "0", end: "253402300799999" } : {};
    const response = await this.#fetch(new URL(requestOf(each, ids, period), address), initOf(each), each);
    const text = await response.text();
    expect(response.status, `${each.method} ${each.path}: ${text.slice(0, 1000)}`).toBe(200);
    return text;
  }

  async data(address: string, query: string, variables: object = {}) {
    const init = {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query, variables }),
    };
    const answer = await (await this.#fetch(new URL("/graphql", address), init)).json();
    expect(answer.errors, query).toBeUndefined();
    return answer.data;
  }

  /**
   * Reads and writes all that clients read and write, by REST and GraphQL. Returns the
   * ids of the remaining objects.
   */
  async exercise(address: string): Promise<Ids> {
    const { createFacility } = await this.data(
      address,
      `mutation { createFacility(input: { name: "Quay", timeZoneId: "Asia/Tokyo" }) { id } }`,
    );
    const facilityId = createFacility.id as string;
    const { createCamera } = await this.data(
      address,
      `mutation ($facilityId: UUID!) { createCamera(facilityId: $facilityId, input: { name: "Gate", url: "rtsp://camera.example/1", streamType: DIRECT }) { camera { id } requestId } }`,
      { facilityId },
    );
    const cameraId = createCamera.camera.id as string;
    const { requestId } = createCamera as { requestId: string };
    const jobId = await this.#insertParts(cameraId);
    const alertId = await this.#recordAlerts(address, cameraId);
    const ids = { facilityId, cameraId, requestId, jobId, alertId };
    for (const number of [12, 28, 5, 6, 7, 3, 15, 25, 30, 31, 32, 33, 34])
      await this.send(address, number, ids);
    await this.read(address, ids);
    const [first, second] = [
      await this.#recordAlerts(address, cameraId),
      await this.#recordAlerts(address, cameraId),
    ];
    await this.send(address, 20, { ...ids, alertId: first });
    await this.send(address, 21, { ...ids, alertId: second });
    const { insertedItem } = JSON.parse(await this.send(address, 14, ids));
    await this.send(address, 4, { ...ids, cameraId: insertedItem });
    return ids;
  }

  /** The answers of all reads, without parts that depend on the address or the time. */
  async read(address: string, ids: Ids): Promise<Record<string, string>> {
    const answers: Record<string, string> = {};
    for (const { number, path: route } of routeCases.filter(({ method }) => method === "get"))
      answers[route] = await this.send(address, number, ids);
    // A workbook contains its creation time.
    delete answers[caseOf(22).path];
    const views = await this.data(
      address,
      `query ($cameraId: UUID!, $filter: AlertFilter!) {
        camera(id: $cameraId) {
          name statusHistory { nodes { statusDetail } } streamRequests { nodes { errorMessage } } alertRules { name deliveries { totalCount } }
          alerts(first: 5) { totalCount nodes { name bookmark comments { nodes { text authorName } } deliveries { channel } } }
        }
        alertStatistics(filter: $filter, groupBy: [TYPE]) { count type }
        auditLog(first: 5) { nodes { action } }
      }`,
      {
        cameraId: ids.cameraId,
        filter: { start: "2000-01-01T00:00:00Z", end: "2100-01-01T00:00:00Z", facilityIds: [ids.facilityId] },
      },
    );
    const all = { ...answers, "/graphql": JSON.stringify(views) };
    // PostgreSQL, which may write an answer, leaves spaces in it.
    const compact = (text: string) => JSON.stringify(JSON.parse(text));
    const plain = (text: string) =>
      compact(text)
        .replaceAll(/http:\/\/localhost:\d+/g, "")
        .replaceAll(/\?expires=\d+&signature=[\w-]+/g, "");
    return Object.fromEntries(Object.entries(all).map(([route, text]) => [route, plain(text)]));
  }

  /** Rows that clients only read. */
  async #insertParts(cameraId: string): Promise<string> {
    const camera = `SELECT gen_random_uuid(), "workspaceId", "id", now()`;
    await onServer(
      this.databaseUrl,
      `INSERT INTO "Calibration" ("id", "workspaceId", "cameraId", "updatedAt", "pixelLength", "width", "height", "points")
       ${camera}, 1, 2, 3, '[]' FROM "Camera" WHERE "id" = '${cameraId}'`,
    );
    const [job] = await onServer(
      this.databaseUrl,
      `INSERT INTO "AnalysisJob" ("id", "workspaceId", "cameraId", "updatedAt", "configId", "state")
       ${camera}, gen_random_uuid(), 'QUEUED' FROM "Camera" WHERE "id" = '${cameraId}' RETURNING "id"`,
    );
    return job?.id as string;
  }

  /** Records an alert of a new rule with a picture, marks it and comments on it. */
  async #recordAlerts(address: string, cameraId: string): Promise<string> {
    const leaf = {
      id: randomUUID(),
      type: "AREA",
      name: "Zone",
      points: [1, 2, 3].map((x) => ({ x, y: x * x })),
    };
    const group = { id: randomUUID(), type: "GROUP", name: "All", operator: "AND", children: [leaf] };
    const { createAlertRule, createAlertUpload } = await this.data(
      address,
      `mutation ($cameraId: UUID!, $input: CreateAlertRuleInput!) {
        createAlertRule(cameraId: $cameraId, input: $input) { id }
        createAlertUpload(cameraId: $cameraId) { uploadId url }
      }`,
      { cameraId, input: { name: alertType, severity: "HIGH", emails: ["ada@plant.example"], group } },
    );
    const { pathname, search } = new URL(createAlertUpload.url);
    const picture = { method: "PUT", body: Uint8Array.from(await pictureAs("jpeg", 64, 40)) };
    expect((await fetch(new URL(pathname + search, address), picture)).status).toBe(204);
    const id = randomUUID();
    const alert = {
      id,
      cameraId,
      name: alertType,
      createdAt: new Date(),
      alertRuleId: createAlertRule.id,
      uploadId: createAlertUpload.uploadId,
    };
    const mutations = `mutation ($input: [RecordAlertInput!]!, $id: UUID!) {
      recordAlerts(input: $input) { recorded }
      markAlerts(ids: [$id], marks: { bookmark: true, acknowledged: true }) { alerts { id } }
      commentAlert(id: $id, text: "Seen") { id }
    }`;
    expect(await this.data(address, mutations, { input: [alert], id })).toMatchObject({
      recordAlerts: { recorded: 1 },
    });
    return id;
  }

  async #fetch(url: URL, init: RequestInit, { basicOnly, open }: Partial<RouteCase> = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    const user = await authorizationOf({ user: administrator });
    if (!open) headers.set("authorization", basicOnly ? `Basic ${this.key}` : (user as string));
    return fetch(url, { ...init, headers });
  }
}

describe.runIf(server && previous)(
  `the previous version (${previous?.version ?? "which the history does not reach back to"})`,
  () => {
    const { commit, changedMigrations, laterMigrations } = previous ?? {
      commit: "",
      changedMigrations: [],
      laterMigrations: [],
    };

    it("has migrations that are as they were", () => {
      expect(changedMigrations).toEqual([]);
    });

    // Without later migrations, the suite already runs on the schema of the previous
    // version.
    const title =
      laterMigrations.length > 0
        ? laterMigrations.join(", ")
        : "of which there are none: its schema is the one that the suite runs on";
    it.runIf(laterMigrations.length > 0)(
      `runs while and after the database gets later migrations (${title})`,
      async () => {
        const installation = await buildVersion(commit);
        onTestFinished(() => rm(path.dirname(installation), { recursive: true }));
        const directory = await directoryForTest();
        const DATABASE_URL = await emptyServerDatabase();
        const variables = { DATABASE_URL, DATA_DIR: directory, RATE_LIMIT: "off" };
        expect(await runCommand("commands/migrate", { installation, environment: variables })).toMatchObject({
          code: 0,
          errors: "",
        });
        const parameters = [
          "--workspace",
          "Plant",
          "--auth-id",
          administrator,
          "--email",
          "ada@plant.example",
        ];
        const { output, errors } = await runCommand("commands/bootstrap", {
          installation,
          environment: variables,
          parameters,
        });
        const [key] = /cmk_[0-9a-f]{32}_[0-9a-f]{64}/.exec(output) ?? expect.fail(errors);
        const client = new Client(DATABASE_URL, key);

        const earlier = startCommand("main", { installation, environment: gatewaySettings(variables) });
        const address = await addressOf(earlier);
        const before = await client.exercise(address);
        // Its connections have prepared their statements for the earlier schema.
        expect(await runCommand("commands/migrate", { environment: variables })).toMatchObject({
          code: 0,
          errors: "",
        });
        await client.read(address, before);
        const since = await client.exercise(address);
        expect((await fetch(`${address}/readyz`)).status).toBe(200);

        const later = await gatewayOn({ SEED: "none", ...variables });
        onTestFinished(() => later.close());
        const written = await client.exercise(later.url);
        for (const ids of [before, since, written])
          expect(await client.read(address, ids)).toEqual(await client.read(later.url, ids));
        expect(earlier.output).not.toMatch(/"level":[56]0/);

        const second = startCommand("main", { installation, environment: gatewaySettings(variables) });
        await client.exercise(await addressOf(second));
      },
      buildTimeout,
    );
  },
);
