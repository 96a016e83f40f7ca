import { readFileSync } from "node:fs";
import path from "node:path";
import { signToken } from "../../src/engine/access/jwt.js";
import type { MeasuredProcess } from "../bench/measured-process.js";
import { startBuild } from "../bench/start-build.js";
import { sendRaw } from "../http/raw-request.js";
import { briefProcess, testSecrets } from "../support/environment.js";
import type { World } from "./world.js";

/** Starts the built gateway with the embedded database and the demo fleet. */
export function startFuzzGateway(directory: string): Promise<MeasuredProcess> {
  const environment = {
    ...testSecrets,
    CAMERA_FEED: "off",
    DATA_DIR: directory,
    PORT: "0",
    LOG_LEVEL: "error",
    SHUTDOWN_DELAY: "0",
    RATE_LIMIT: "off",
    MCP_WRITE: "on",
    DATABASE_URL: "",
    FEDERATION: "on",
  };
  return startBuild(".", { ...environment, SEED: "demo", DEMO_LIVE: "off" }, briefProcess);
}

const admin = "demo|admin";
const userCount = 12;

interface Found {
  facilities: { id: string; nodeId: string }[];
  cameras: {
    id: string;
    nodeId: string;
    alertRules: { id: string }[];
    analysisJobs: { id: string }[];
    streamRequests: { nodes: { id: string }[] };
  }[];
  alerts: { nodes: { id: string }[] };
}

/**
 * Adds some users, a stream request and links for pictures, and collects all ids that
 * requests can use.
 */
export async function worldOf(url: string, directory: string): Promise<World> {
  const run = async <Data>(query: string, variables: object = {}): Promise<Data> => {
    const headers = { "content-type": "application/json", authorization: await tokenOf(admin) };
    const { text } = await sendRaw(url, {
      method: "POST",
      path: "/graphql",
      headers,
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = JSON.parse(text) as { data: Data; errors?: unknown };
    if (errors) throw new Error(`${query} gives ${JSON.stringify(errors)}`);
    return data;
  };
  const { facilities, cameras, alerts } = await run<Found>(
    `query ($filter: AlertFilter!) {
       facilities { id nodeId } cameras { id nodeId alertRules { id } analysisJobs { id } streamRequests(first: 2) { nodes { id } } }
       alerts(filter: $filter, first: 300) { nodes { id } }
     }`,
    { filter: { start: new Date(0), end: new Date(Date.now() + 60_000) } },
  );
  const users: string[] = [];
  for (let n = 0; n < userCount; n += 1) {
    const query = "mutation ($input: CreateUserInput!) { createUser(input: $input) { id } }";
    const { createUser } = await run<{ createUser: { id: string } }>(query, {
      input: { authId: `fuzz|${n}`, email: "fuzz@test.example", roles: [] },
    });
    users.push(createUser.id);
  }
  const requests: string[] = [];
  const uploadUrls: string[] = [];
  for (const { id } of cameras.slice(0, 4)) {
    const { createAlertUpload } = await run<{ createAlertUpload: { url: string } }>(
      "mutation ($id: UUID!) { createAlertUpload(cameraId: $id) { url } }",
      { id },
    );
    uploadUrls.push(createAlertUpload.url);
    const probe = "mutation ($id: UUID!) { requestStreamProbe(cameraId: $id) { requestId } }";
    const input = { name: "Fuzzed", url: "rtsp://camera.example/fuzz", streamType: "DIRECT" };
    const added = await run<{ createCamera: { camera: { id: string }; requestId: string } }>(
      "mutation ($id: UUID!, $input: CreateCameraInput!) { createCamera(facilityId: $id, input: $input) { camera { id } requestId } }",
      { id: facilities[0]?.id, input },
    );
    requests.push(
      added.createCamera.requestId,
      (await run<{ requestStreamProbe: { requestId: string } }>(probe, { id: added.createCamera.camera.id }))
        .requestStreamProbe.requestId,
    );
  }
  const idsOf = (items: { id: string }[]) => items.map(({ id }) => id);
  const key = readFileSync(path.join(directory, "demo-api-key"), "utf8").trim();
  const bearers = await Promise.all(
    [admin, "demo|viewer", "other|admin", "demo|site", "demo|nobody"].map(tokenOf),
  );
  return {
    ids: {
      facilityId: idsOf(facilities),
      cameraId: idsOf(cameras),
      alertId: idsOf(alerts.nodes),
      alertRuleId: idsOf(cameras.flatMap(({ alertRules }) => alertRules)),
      jobId: idsOf(cameras.flatMap(({ analysisJobs }) => analysisJobs)),
      userId: users,
      nodeId: [...facilities, ...cameras].map(({ nodeId }) => nodeId),
      requestId: requests,
    },
    callers: [
      bearers[0],
      `Basic ${Buffer.from(`${key}:`).toString("base64")}`,
      ...bearers.slice(1),
      undefined,
      `${bearers[0]}x`,
    ],
    uploadUrls,
    now: new Date(),
  };
}

const tokenOf = async (authId: string) =>
  `Bearer ${await signToken(testSecrets.AUTH_JWT_SECRET, authId, 12 * 3600, new Date())}`;
