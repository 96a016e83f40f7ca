import { readdir, utimes } from "node:fs/promises";
import path from "node:path";
import { pictureAs } from "../uploads/sample-pictures.js";
import { documentSnippetsOfFile } from "./document-snippets.js";

const _admin = { user: "demo|admin" };
const snippets = documentSnippetsOfFile();
const program = "folder-connector.js";

interface Camera {
  id: string;
  name: string;
  facility: { id: string };
}

/** Puts a file into the folder of a camera, as if it had been uploaded at a time. */
async function upload(name: string, content: Uint8Array | string, at: Date): Promise<void> {
  await snippets.add(`pictures/${name}`, content);
  await utimes(path.join(snippets.directory, "pictures", name), at, at);
}

const filesOf = (camera: string) => readdir(path.join(snippets.directory, "pictures", camera));

function startConnector() {
  const stop = snippets.start(process.execPath, [program, "pictures"]);
  onTestFinished(stop);
  return stop;
}

it("has at most 60 lines", async () => {
  expect((await snippets.read(program)).trimEnd().split("\n").length).toBeLessThanOrEqual(60);
});

it("makes one alert of each picture also after a restart, sets aside what is no picture, and reports", async () => {
  const before = new Date();
  const { cameras } = await snippets.ask<{ cameras: Camera[] }>("{ cameras { id name facility { id } } }");
  const [camera] = cameras as [Camera];
  const lastHeartbeat = async () => {
    const query = "query ($id: UUID!) { facility(id: $id) { lastHeartbeatAt } }";
    const { facility } = await snippets.ask<{ facility: { lastHeartbeatAt: string } }>(
      query,
      camera.facility,
    );
    return facility.lastHeartbeatAt;
  };
  const at = new Date(Date.now() - 60_000);
  const picture = await pictureAs("jpeg", 640, 400);
  await upload(`${camera.name}/1.jpg`, picture, at);
  await upload(`${camera.name}/2.jpg`, "no picture", at);
  await upload("Nowhere/1.jpg", picture, at);
  const stop = startConnector();
  await expect.poll(() => filesOf(camera.name), { timeout: 20_000 }).toEqual(["2.jpg.refused"]);
  await stop();

  // As if it had been stopped after the alert was recorded, and before it deleted the picture.
  await upload(`${camera.name}/1.jpg`, picture, at);
  await upload(`${camera.name}/3.jpg`, picture, new Date(at.getTime() + 1_000));
  const restarted = startConnector();
  await expect.poll(() => filesOf(camera.name), { timeout: 20_000 }).toEqual(["2.jpg.refused"]);
  await expect.poll(lastHeartbeat, { timeout: 20_000 }).toSatisfy((time) => new Date(String(time)) >= before);
  await restarted();

  const recorded = await snippets.ask<{
    camera: { alerts: { nodes: { createdAt: string; url: string }[] } };
  }>(
    "query ($id: UUID!, $filter: AlertFilter!) { camera(id: $id) { alerts(filter: $filter) { nodes { createdAt url } } } }",
    { id: camera.id, filter: { start: at, end: new Date(), types: ["MOTION"] } },
  );
  const { nodes } = recorded.camera.alerts;
  expect(nodes.map(({ createdAt }) => createdAt)).toEqual([
    new Date(at.getTime() + 1_000).toISOString(),
    at.toISOString(),
  ]);
  expect((await fetch(nodes[0]?.url as string)).status).toBe(200);
  expect(await filesOf("Nowhere")).toEqual(["1.jpg"]);
  const { workspace } = await snippets.ask<{
    workspace: { connectors: object[] };
  }>("{ workspace { connectors { name kind unmapped { kind name count } } } }");
  expect(workspace.connectors).toEqual([
    { name: "folder-connector", kind: "OTHER", unmapped: [{ kind: "CAMERA", name: "Nowhere", count: 1 }] },
  ]);
});
