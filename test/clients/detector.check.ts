import { describe, expect, it } from "vitest";
import { pictureAs } from "../uploads/sample-pictures.js";
import { documentSnippetsOfFile } from "./document-snippets.js";

const admin = { user: "demo|admin" };
const snippets = documentSnippetsOfFile();

describe("records an alert with its picture", () => {
  it.each([
    ["curl", "sh", "record-alert.sh"],
    ["Python", "python3", "record_alert.py"],
  ])("by %s", async (_client, program, file) => {
    const { gateway } = snippets;
    const { cameras } = await gateway.data<{ cameras: { id: string }[] }>("{ cameras { id } }", {
      as: admin,
    });
    const [camera] = cameras as [{ id: string }];
    await snippets.add("yard.jpg", await pictureAs("jpeg", 640, 400));
    const output = await snippets.run(program, [file, camera.id, "yard.jpg"]);
    expect(output).toMatch(/["']recorded["']: ?1\b/);
    const newest =
      "query ($id: UUID!) { camera(id: $id) { alerts(first: 1) { nodes { name url imageDimensions { width height } } } } }";
    const data = await gateway.data<{ camera: { alerts: { nodes: { url: string }[] } } }>(newest, {
      as: admin,
      variables: { id: camera.id },
    });
    const [alert] = data.camera.alerts.nodes;
    expect(alert).toMatchObject({
      name: "VEHICLE_IN_PEDESTRIAN_AREA",
      imageDimensions: { width: 640, height: 400 },
    });
    const picture = await fetch(alert?.url as string);
    expect([picture.status, picture.headers.get("content-type")]).toEqual([200, "image/jpeg"]);
  });
});
