import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { FrigateStandIn } from "../connectors/frigate-stand-in.js";
import { eventually } from "../support/eventually.js";
import { startCommand } from "../support/running-command.js";
import { pictureAs } from "../uploads/sample-pictures.js";
import { documentSnippetsOfFile } from "./document-snippets.js";

const snippets = documentSnippetsOfFile();

interface AlertNode {
  name: string;
  info: unknown;
  url: string;
}

it("leads from nothing to the first alert of Frigate", async () => {
  const { directory } = snippets;
  const frigate = await FrigateStandIn.forTest();
  frigate.cameras = { front_door: frigate.cameras.gate as never };
  await snippets.run("sh", ["connect-frigate.sh"]);
  const file = path.join(directory, "frigate.json");
  const shown = await readFile(file, "utf8");
  const places = { "mqtt://broker:1883": frigate.broker.url, "http://frigate:5000": frigate.url };
  const own = Object.entries(places).reduce((text, [one, other]) => text.replace(one, other), shown);
  expect(own).not.toMatch(/broker:1883|frigate:5000/);
  // The files that it names are where the reader is.
  await writeFile(file, own.replaceAll(/"(data\/demo-api-key|frigate\.state\.json)"/g, `"${directory}/$1"`));

  const check = await startCommand("commands/connect-frigate", { parameters: [file, "--check"] }).ended;
  expect([check.code, check.output]).toEqual([0, expect.stringMatching(/frigate's cameras +front_door\n/)]);

  const connector = startCommand("commands/connect-frigate", { parameters: [file] });
  await connector.said(/Connected to the broker/);
  const seen = await frigate.object({ camera: "front_door" });
  frigate.pictures.set(seen.id, await pictureAs("jpeg", 1280, 720));
  const { id } = await frigate.review({ camera: "front_door" }, { detections: [seen.id] });
  const newest = async () => {
    const data = await snippets.ask<{ workspace: { alerts: { nodes: AlertNode[] } } }>(
      "{ workspace { alerts(first: 1) { nodes { name url info camera { name } } } } }",
    );
    return data.workspace.alerts.nodes[0];
  };
  const alert = await eventually(newest, (found) => JSON.stringify(found?.info).includes(id));
  expect(alert).toMatchObject({ name: "PERSON", camera: { name: "Main gate" } });
  expect((await fetch(alert?.url as string)).headers.get("content-type")).toBe("image/jpeg");
});
