import { pictureAs } from "../uploads/sample-pictures.js";
import { documentSnippetsOfFile } from "./document-snippets.js";

const _admin = { user: "demo|admin" };
const snippets = documentSnippetsOfFile();

const cameraWithRule = async (): Promise<string> => {
  const { facilities } = await snippets.ask<{ facilities: [{ id: string }] }>("{ facilities { id } }");
  const created = await snippets.ask<{ createCamera: { camera: { id: string } } }>(
    "mutation ($facility: UUID!, $input: CreateCameraInput!) { createCamera(facilityId: $facility, input: $input) { camera { id } } }",
    {
      facility: facilities[0].id,
      input: { name: "Detected", url: "rtsp://192.0.2.9/live", streamType: "DIRECT" },
    },
  );
  const { id } = created.createCamera.camera;
  const group = {
    type: "GROUP",
    operator: "AND",
    children: [{ type: "PERSON_PRESENT", objects: ["PERSON"] }],
  };
  await snippets.ask(
    "mutation ($camera: UUID!, $input: CreateAlertRuleInput!) { createAlertRule(cameraId: $camera, input: $input) { id } }",
    { camera: id, input: { name: "PERSON_PRESENT", severity: "LOW", evaluated: true, group } },
  );
  return id;
};

it.each([
  ["curl", "sh", "record-detections.sh"],
  ["Python", "python3", "record_detections.py"],
])("sends detections, of which the gateway makes an alert by %s", async (_client, program, file) => {
  const output = await snippets.run(program, [file, await cameraWithRule()]);
  expect(output).toMatch(/["']processed["']: ?3\b/);
  expect(output.match(/PERSON_PRESENT/g)).toHaveLength(1);
});

describe("makes frames of what other products return, which the gateway takes:", () => {
  const at = new Date().toISOString();
  const person = { width: 160, height: 360 };
  it.each([
    [
      "Ultralytics",
      "from_ultralytics",
      `types.SimpleNamespace(orig_shape=(720, 1280), to_json=lambda: json.dumps([
        {"name": "person", "class": 0, "confidence": 0.91, "box": {"x1": 100.0, "y1": 200.0, "x2": 260.0, "y2": 560.0}, "track_id": 7},
        {"name": "person", "class": 0, "confidence": 0.91, "box": {"x1": 100.0, "y1": 200.0, "x2": 260.0, "y2": 560.0}}]))`,
      [
        { label: "person", confidence: 0.91, trackId: "7", box: { x: 100, y: 200, ...person } },
        { label: "person", confidence: 0.91, box: { x: 100, y: 200, ...person } },
      ],
    ],
    [
      "Roboflow",
      "from_roboflow",
      `{"predictions": [{"x": 180.0, "y": 380.0, "width": 160, "height": 360, "class": "helmet", "confidence": 0.544}],
        "image": {"width": 1280, "height": 720}}`,
      [{ label: "helmet", confidence: 0.544, box: { x: 100, y: 200, ...person } }],
    ],
    [
      "Amazon Rekognition",
      "from_rekognition",
      `{"Labels": [{"Name": "Person", "Confidence": 99.0, "Parents": [], "Instances": [
          {"BoundingBox": {"Width": 0.125, "Height": 0.5, "Left": -0.0625, "Top": 0.25}, "Confidence": 87.5}]},
        {"Name": "Warehouse", "Confidence": 98.0, "Parents": [], "Instances": []}]}, 1280, 720`,
      [{ label: "Person", confidence: 0.875, box: { x: -80, y: 180, ...person } }],
    ],
  ])("%s", async (_product, module, result, objects) => {
    const cameraId = await cameraWithRule();
    const program = `import json, types
from ${module} import frame_of
from record_detections import record
frame = frame_of(${JSON.stringify(cameraId)}, ${JSON.stringify(at)}, ${result})
print(json.dumps([frame, record([frame])]))`;
    const [frame, recorded] = JSON.parse(await snippets.run("python3", ["-c", program]));
    expect(frame).toEqual({ cameraId, at, width: 1280, height: 720, objects });
    expect(recorded).toEqual({ processed: 1, dropped: 0, alerts: [] });
  });
});

it.each([
  ["curl", "sh", "record-alert.sh"],
  ["Python", "python3", "record_alert.py"],
])("records an alert with its picture by %s", async (_client, program, file) => {
  const { cameras } = await snippets.ask<{ cameras: { id: string }[] }>("{ cameras { id } }");
  const [camera] = cameras as [{ id: string }];
  await snippets.add("yard.jpg", await pictureAs("jpeg", 640, 400));
  const output = await snippets.run(program, [file, camera.id, "yard.jpg"]);
  expect(output).toMatch(/["']recorded["']: ?1\b/);
  const newest =
    "query ($id: UUID!) { camera(id: $id) { alerts(first: 1) { nodes { name url imageDimensions { width height } } } } }";
  const data = await snippets.ask<{ camera: { alerts: { nodes: { url: string }[] } } }>(newest, {
    id: camera.id,
  });
  const [alert] = data.camera.alerts.nodes;
  expect(alert).toMatchObject({
    name: "VEHICLE_IN_PEDESTRIAN_AREA",
    imageDimensions: { width: 640, height: 400 },
  });
  const picture = await fetch(alert?.url as string);
  expect([picture.status, picture.headers.get("content-type")]).toEqual([200, "image/jpeg"]);
});
