import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { idKinds, idOf } from "../bench/dataset-ids.js";
import { makeTransportStream } from "../support/cameras/transport-stream.js";
import { HostileServer, hostileAnswers } from "../support/hostile-answers.js";
import { listOf } from "../support/list-of.js";
import type { Attack } from "./attack-case.js";
import { operation } from "./attack-requests.js";
import type { Attacker } from "./attacker.js";
import { bystanderFacility, cameraAddress } from "./target.js";

/** Longer than the feed takes for all cameras of an attack. */
const patienceMs = 100_000;
/** How long live views are watched. */
const viewedMs = 15_000;

/** Some of the answers: each once ended the process that opens streams. */
const fatalAnswers = [
  "204 and a letter",
  "304 and binary",
  "204 and a letter later",
  "all of a body and a letter",
  "the last chunk and a letter",
  "a redirect and a letter",
  "a chunk size that is none",
  "a chunk longer than its size",
  "trailers that are none",
  "a playlist and a bad chunk",
];

type Ask = <Data>(query: string, variables: object) => Promise<Data>;

/** Asks the gateway with a caller's credentials. */
const asking =
  (attacker: Attacker, authorization: string): Ask =>
  async (query, variables) => {
    const answer = await attacker.send(operation(query, authorization, variables));
    const { data, errors } = JSON.parse(answer?.text ?? "{}");
    if (!data || errors) throw new Error(`the gateway answers ${answer?.text.slice(0, 200)}`);
    return data;
  };

async function createCameras(ask: Ask, urls: readonly string[], facilityId = idOf(idKinds.facility, 1)) {
  const ids: string[] = [];
  for (const [index, url] of urls.entries()) {
    const { createCamera } = await ask<{ createCamera: { camera: { id: string } } }>(
      "mutation ($facilityId: UUID!, $input: CreateCameraInput!) { createCamera(facilityId: $facilityId, input: $input) { camera { id } } }",
      { facilityId, input: { name: `Hostile ${index}`, url, streamType: "DIRECT" } },
    );
    ids.push(createCamera.camera.id);
  }
  return ids;
}

async function deleteCameras(ask: Ask, ids: readonly string[]): Promise<void> {
  for (const id of ids) await ask("mutation ($id: UUID!) { deleteCamera(id: $id) { id } }", { id });
}

/** Waits until a field of each camera has a value. */
async function valuesOf<Value>(ask: Ask, ids: readonly string[], field: string): Promise<Value[]> {
  const values = new Map<string, Value>();
  for (const deadline = Date.now() + patienceMs; values.size < ids.length; ) {
    if (Date.now() > deadline) throw new Error(`${ids.length - values.size} cameras have no ${field}`);
    for (const id of ids.filter((each) => !values.has(each))) {
      const query = `query ($id: UUID!) { camera(id: $id) { value: ${field} } }`;
      const { camera } = await ask<{ camera: { value: Value | null } }>(query, { id });
      if (camera.value) values.set(id, camera.value);
    }
    await sleep(200);
  }
  return [...values.values()];
}

/** Adds a camera for each URL, and waits until the gateway has said what is wrong with each. */
async function addCameras(attacker: Attacker, authorization: string, urls: readonly string[]) {
  const ask = asking(attacker, authorization);
  const ids = await createCameras(ask, urls);
  const errors = await valuesOf<{ code: string }>(ask, ids, "feedError { code }");
  await deleteCameras(ask, ids);
  return errors.map(({ code }) => code).sort();
}

async function listening(server: Server): Promise<string> {
  await once(server.listen(0, cameraAddress), "listening");
  return `http://${cameraAddress}:${(server.address() as AddressInfo).port}`;
}

function close(...servers: Server[]): void {
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
}

/** Sends a second of video again and again. */
async function* repeated(second: Buffer) {
  for (;;) {
    yield second;
    await sleep(1_000);
  }
}

/** The views of cameras by one viewer. */
async function openViews(attacker: Attacker, ask: Ask, ids: readonly string[]) {
  const frames = ids.map(() => 0);
  for (const [index, id] of ids.entries()) {
    const query = "query ($id: UUID!) { camera(id: $id) { liveUrl } }";
    const { camera } = await ask<{ camera: { liveUrl: string } }>(query, { id });
    const { pathname, search } = new URL(camera.liveUrl);
    const socket = await attacker.connect();
    socket?.on("data", (bytes) => {
      if (bytes.includes("--frame")) frames[index] = (frames[index] as number) + 1;
    });
    socket?.resume().write(`GET ${pathname}${search} HTTP/1.1\r\nhost: gateway.example\r\n\r\n`);
  }
  return frames;
}

/** Attacks by what cameras answer. Without ffmpeg, no camera is opened. */
export const cameraAttacks: Attack[] = [
  {
    name: "hostile-answers",
    description: `${fatalAnswers.length} cameras whose answers of HTTP go wrong in the turn in which they begin`,
    isShort: true,
    prepare: async (attacker) => {
      const authorization = await attacker.newUser();
      return async () => {
        const server = await HostileServer.start(cameraAddress);
        const numbers = fatalAnswers.map((name) => hostileAnswers.findIndex(([what]) => what === name));
        const urls = numbers.map((number) => `http://${server.host}/${number}/live.m3u8`);
        return addCameras(attacker, authorization, urls)
          .then((codes) => codes.join(", "))
          .finally(() => server.stop());
      };
    },
  },
  {
    name: "dead-cameras",
    description: "60 cameras of a workspace that accept connections and are silent, and 3 of another",
    isShort: true,
    prepare: async (attacker) => {
      const ask = asking(attacker, await attacker.newUser());
      const askForOther = asking(attacker, attacker.target.probes.query.headers.authorization as string);
      const video = await makeTransportStream("320x180");
      const working = createServer((_request, response) => void response.end(video));
      const workingUrl = await listening(working);
      const known = await createCameras(askForOther, [`${workingUrl}/known.ts`], bystanderFacility);
      await valuesOf(askForOther, known, "pictureAt");
      return async () => {
        const open = new Set<Socket>();
        let mostOpen = 0;
        const dead = createServer().on("connection", (socket: Socket) => {
          open.add(socket.on("close", () => open.delete(socket)));
          mostOpen = Math.max(mostOpen, open.size);
        });
        const deadUrl = await listening(dead);
        try {
          const ids = await createCameras(
            ask,
            listOf(60, (n) => `${deadUrl}/${n}.ts`),
          );
          const startedAt = performance.now();
          const urls = [1, 2, 3].map((n) => `${workingUrl}/${n}.ts`);
          const added = await createCameras(askForOther, urls, bystanderFacility);
          await valuesOf(askForOther, added, "pictureAt");
          const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
          if (mostOpen > 2) throw new Error(`${mostOpen} of 4 places are taken; pictures take ${seconds} s`);
          await deleteCameras(ask, ids);
          await deleteCameras(askForOther, [...known, ...added]);
          return `3 pictures within ${seconds} s`;
        } finally {
          close(working, dead);
        }
      };
    },
  },
  {
    name: "large-live-views",
    description: "8 live views of cameras with 3840 × 2160 pixels and 25 frames a second",
    isShort: true,
    prepare: async (attacker) => {
      const ask = asking(attacker, await attacker.newUser());
      const second = await makeTransportStream("3840x2160");
      return async () => {
        const camera = createServer(
          (_request, response) => void pipeline(repeated(second), response).catch(() => {}),
        );
        const url = await listening(camera);
        try {
          const ids = await createCameras(
            ask,
            listOf(8, (n) => `${url}/${n}.ts`),
          );
          const frames = await openViews(attacker, ask, ids);
          await sleep(viewedMs);
          const shown = frames.filter((count) => count > 0).length;
          if (shown === 0) throw new Error("no live view shows anything");
          await deleteCameras(ask, ids);
          return `${shown} views show ${frames.reduce((sum, count) => sum + count)} frames`;
        } finally {
          close(camera);
        }
      };
    },
  },
];
