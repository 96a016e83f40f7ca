import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { idKinds, idOf } from "../bench/dataset-ids.js";
import { playlists } from "../feed/playlists.js";
import { HostileServer, hostileAnswers } from "../support/hostile-answers.js";
import type { Attack } from "./attack-case.js";
import type { Attacker } from "./attacker.js";
import { cameraAddress } from "./target.js";

/** Longer than the feed takes for all cameras of an attack. */
const patienceMs = 100_000;

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

/** Adds a camera for each URL, and waits until the gateway has said what is wrong with each. */
async function addCameras(attacker: Attacker, authorization: string, urls: readonly string[]) {
  const headers = { authorization, "content-type": "application/json" };
  const ask = async (query: string, variables: object) => {
    const body = JSON.stringify({ query, variables });
    const answer = await attacker.send({ method: "POST", path: "/graphql", headers, body });
    const { data, errors } = JSON.parse(answer?.text ?? "{}");
    if (!data || errors) throw new Error(`the gateway answers ${answer?.text.slice(0, 200)}`);
    return data;
  };
  const facilityId = idOf(idKinds.facility, 1);
  const ids: string[] = [];
  for (const [index, url] of urls.entries()) {
    const { createCamera } = await ask(
      "mutation ($facilityId: UUID!, $input: CreateCameraInput!) { createCamera(facilityId: $facilityId, input: $input) { camera { id } } }",
      { facilityId, input: { name: `Hostile ${index}`, url, streamType: "DIRECT" } },
    );
    ids.push(createCamera.camera.id);
  }
  const codes = new Map<string, string>();
  for (const deadline = Date.now() + patienceMs; codes.size < ids.length && Date.now() < deadline; ) {
    await sleep(500);
    for (const id of ids.filter((each) => !codes.has(each))) {
      const { camera } = await ask("query ($id: UUID!) { camera(id: $id) { feedError { code } } }", { id });
      if (camera.feedError) codes.set(id, camera.feedError.code);
    }
  }
  for (const cameraId of ids)
    await ask("mutation ($id: UUID!) { deleteCamera(id: $id) { id } }", { id: cameraId });
  if (codes.size < ids.length) throw new Error(`${ids.length - codes.size} cameras have no code`);
  return [...codes.values()].sort();
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
    name: "playlists-to-anywhere",
    description: `${playlists.length} cameras whose playlists name a port of the gateway's own machine by TCP`,
    prepare: async (attacker) => {
      const authorization = await attacker.newUser();
      return async () => {
        let connections = 0;
        const canary = createServer().on("connection", () => {
          connections += 1;
        });
        const camera = createServer((request, response) => {
          const [, of, headers, status = 200] = playlists[Number(request.url?.slice(1))] ?? [];
          const { port } = canary.address() as AddressInfo;
          response.writeHead(status, headers).end(of?.(`tcp://127.0.0.1:${port}`));
        });
        await Promise.all([
          once(canary.listen(0, "127.0.0.1"), "listening"),
          once(camera.listen(0, cameraAddress), "listening"),
        ]);
        const { port } = camera.address() as AddressInfo;
        const urls = [...playlists.keys()].map((number) => `http://${cameraAddress}:${port}/${number}`);
        try {
          const codes = await addCameras(attacker, authorization, urls);
          const others = codes.filter((code) => code !== "UNSUPPORTED");
          if (connections > 0 || others.length > 0)
            throw new Error(`${connections} connections were made, and cameras are ${others}`);
          return `${codes.length} are UNSUPPORTED`;
        } finally {
          for (const server of [canary, camera]) {
            server.close();
            server.closeAllConnections();
          }
        }
      };
    },
  },
];
