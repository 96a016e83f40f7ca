// Runs once: no database can influence what is tested here.
// Takes long: it starts connectors.
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { version } from "../../src/platform/version.js";
import { person } from "../detection/detector.js";
import { hasOpenssl, selfSigned } from "../feed/self-signed.js";
import { eventually } from "../support/eventually.js";
import { createApiKey } from "../support/factories.js";
import { type Gateway, sharedGateway } from "../support/harness.js";
import { listenForTest } from "../support/listening.js";
import { runCommand } from "../support/running-command.js";
import { MqttSite } from "./mqtt-site.js";

let gateway: Gateway;
let site: MqttSite;
beforeEach(async () => {
  gateway = await sharedGateway();
  site = await MqttSite.forTest(gateway);
});

const user = (password: object) => ({ username: "connector", password });

describe("--check", () => {
  it("finds gateway, cameras and broker", async () => {
    expect(await site.run({}, "--check").ended).toEqual({
      code: 0,
      output: `gateway  cameras: 1\ncameras  mapped to others: 1\nbroker   ${site.broker.url}, frames/+\n`,
      errors: "",
    });
  });

  it("says what is wrong with each", async () => {
    site = await MqttSite.forTest(gateway, { forbidden: ["frames/+"] });
    const { key } = await createApiKey(gateway.prisma, {
      workspaceId: site.detector.workspaceId,
      permissions: ["facilities:read", "cameras:read"],
    });
    const file = path.join(site.directory, "key");
    writeFileSync(file, `${key}\n`);
    const { code, output } = await site.run(
      { gateway: { url: gateway.url, apiKey: { file } }, cameras: { yard: "No such camera" } },
      "--check",
    ).ended;
    expect([code, output.split("\n")]).toEqual([
      1,
      [
        "gateway  FAILED: the API key lacks alerts:write at Site",
        "cameras  FAILED: not one camera, but none or several: yard → No such camera",
        "broker   FAILED: the broker does not let the user subscribe to frames/+",
        "",
      ],
    ]);
  });

  it("tells a wrong password from a broker that is away, and a wrong key from a gateway that is", async () => {
    site = await MqttSite.forTest(gateway, { users: { connector: "right" } });
    const wrong = path.join(site.directory, "wrong");
    writeFileSync(wrong, "mistaken-secret");
    const problems = async (settings: object) => {
      const { output, errors } = await site.run(settings, "--check").ended;
      expect(output + errors).not.toContain("mistaken-secret");
      return output.split("\n").filter((line) => line.includes("FAILED"));
    };
    const { url } = site.broker;
    expect(await problems({ broker: { url, ...user({ environment: "MQTT_PASSWORD" }) } })).toEqual([]);
    expect(await problems({ broker: { url, ...user({ file: wrong }) } })).toEqual([
      "broker   FAILED: Connection refused: Not authorized",
    ]);
    expect(await problems({ broker: { url } })).toEqual([
      "broker   FAILED: Connection refused: Not authorized",
    ]);
    const key = `cmk_${"0".repeat(32)}_${"0".repeat(64)}`;
    writeFileSync(wrong, key);
    const broker = { url, ...user({ environment: "MQTT_PASSWORD" }) };
    expect(await problems({ broker, gateway: { url: gateway.url, apiKey: { file: wrong } } })).toContainEqual(
      expect.stringMatching(/^gateway {2}FAILED: The Bearer token or API key is not valid/),
    );
    await site.broker.stop();
    expect(await problems({})).toEqual([
      expect.stringMatching(/^broker {3}FAILED: connect ECONNREFUSED 127\.0\.0\.1:/),
    ]);
  });
});

it("a wrong password is told once, and tried again until it is right", async () => {
  site = await MqttSite.forTest(gateway, { users: { connector: "later" } });
  const connector = site.run({
    broker: { url: site.broker.url, ...user({ environment: "MQTT_PASSWORD" }) },
  });
  await connector.said(
    /There is no connection to the broker: Connection refused: Not authorized; trying again/,
  );
  site.broker.users.connector = "right";
  await connector.said(/Connected to the broker/);
  expect(connector.output.match(/Not authorized/g)).toHaveLength(1);
  expect(connector.output).not.toContain('"right"');
});

it.runIf(hasOpenssl)("a broker's certificate must be of a known authority", async () => {
  const tls = selfSigned("localhost");
  site = await MqttSite.forTest(gateway, { tls });
  const caFile = path.join(site.directory, "ca.pem");
  writeFileSync(caFile, tls.cert);
  const { url } = site.broker;
  const known = await site.run({ broker: { url, caFile } }, "--check").ended;
  expect(known.output).toContain(`broker   ${url}, frames/+`);
  const unknown = await site.run({}, "--check").ended;
  expect(unknown.output).toContain("broker   FAILED: self-signed certificate");
});

it("retains whether it is online on the status topic", async () => {
  const statusTopic = "connectors/test";
  const settings = { broker: { url: site.broker.url, statusTopic } };
  const stopped = await site.connect(settings);
  const status = (wanted: string) => site.broker.retains(statusTopic, wanted);
  await status("online");
  stopped.signal("SIGINT");
  expect(await stopped.ended).toMatchObject({ code: 0 });
  await status("offline");
  const killed = await site.connect(settings);
  await status("online");
  await killed.kill();
  await status("offline");
});

it("--dry-run prints what would be recorded, and records nothing", async () => {
  await site.detector.newRule();
  const connector = site.run({}, "--dry-run");
  await connector.said(/Connected to the broker/, "errors");
  const { cameraId: _, ...frame } = site.detector.frame(0, [person()]);
  await site.broker.publish("frames/yard", frame);
  await site.broker.publish("frames/elsewhere", frame);
  await connector.said(/\n.*\n/);
  const { output, code } = await connector.kill("SIGTERM");
  expect(code).toBe(0);
  expect(
    output
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toEqual([
    { camera: "yard", cameraId: site.detector.cameraId, ...frame },
    { camera: "elsewhere", cameraId: null, ...frame },
  ]);
  expect(await site.detector.alerts()).toEqual([]);
  const { workspaceId } = site.detector;
  expect(await gateway.prisma.connector.findMany({ where: { workspaceId } })).toEqual([]);
});

it("reports to the gateway that it runs", async () => {
  await site.connect();
  const { workspaceId } = site.detector;
  const [reported] = await eventually(
    () => gateway.prisma.connector.findMany({ where: { workspaceId } }),
    (found) => found.length > 0,
  );
  expect(reported).toMatchObject({ name: "test", kind: "MQTT", version });
});

describe("the configuration", () => {
  it("has a schema, which the example in the documentation satisfies", async () => {
    const { code, output } = await runCommand("commands/connect-mqtt", { parameters: ["--schema"] });
    expect(code).toBe(0);
    const validate = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(JSON.parse(output));
    const document = readFileSync("docs/connectors.md", "utf8");
    const examples = Array.from(
      document.matchAll(/^```json\n(\{[\s\S]*?)^```$/gm),
      ([, text]) => text as string,
    );
    const valid = examples.map((text) => JSON.parse(text)).find(({ sources }) => sources);
    expect(validate(valid), JSON.stringify(validate.errors)).toBe(true);
    expect(validate({ ...valid, sources: [{ topic: "a", format: "AXIS" }] })).toBe(false);
    expect(validate({ ...valid, apiKey: "cmk_1" })).toBe(false);
  });

  it("is checked as a whole, with one message", async () => {
    const file = site.configuration({
      name: "",
      gateway: { url: "gateway.example.com", apiKey: "mistaken-secret" },
      broker: { url: "http://broker", password: { environment: "NO_SUCH" }, caFile: "/no/such" },
      cameras: { yard: 1 },
      sources: [
        { topic: "a+/b", format: "AXIS_SCENE" },
        { topic: "a/#/b", format: "AXIS", camera: "yard" },
        { topic: "a", format: "DEEPSTREAM", camera: "$1" },
        { topic: "a", format: "AXIS_SCENE" },
        { topic: "$share/group/a", format: "GATEWAY", frame: { width: 0, height: 1 } },
      ],
      buffer: { frames: 0 },
      metricsPort: 70_000,
      metricsHost: "any where",
      stateFiles: "x",
    });
    const { code, output, errors } = await runCommand("commands/connect-mqtt", { parameters: [file] });
    expect([code, output, errors.split("\n")]).toEqual([
      1,
      "",
      [
        `The configuration ${file} cannot be used:`,
        "  name: must not be blank",
        "  gateway.url: must be an http:// or https:// URL",
        '  gateway.apiKey: must be { "file": "…" } or { "environment": "NAME" }: secrets are not in the configuration itself',
        "  broker.url: must be an mqtt:// or mqtts:// URL",
        "  broker.password: names the environment variable NO_SUCH, which is not set",
        "  broker.caFile: names the file /no/such, which cannot be read: ENOENT",
        "  cameras.yard: must be a string",
        "  metricsPort: must be at most 65535",
        "  metricsHost: must be a host",
        "  sources.0.topic: must have + as a whole level only, and # as the last one only",
        "  sources.1.topic: must have + as a whole level only, and # as the last one only",
        "  sources.1.format: must be one of AXIS_SCENE, DEEPSTREAM, GATEWAY",
        "  sources.2.camera: has $1, but there is only $sensor",
        "  sources.2.frame: is required, as DeepStream does not tell it",
        "  sources.3.camera: is required, as the topic has no wildcard that names a camera",
        "  sources.4.topic: must not share a subscription: the frames of a camera would lose their order",
        "  sources.4.frame.width: must be positive",
        "  buffer.frames: must be positive",
        "  has unknown settings: stateFiles",
        "",
      ],
    ]);
  });

  it("names secrets that can be read and are not empty", async () => {
    const empty = path.join(site.directory, "empty");
    writeFileSync(empty, "\n");
    const file = site.configuration({
      gateway: { url: gateway.url, apiKey: { file: "/no/such" } },
      broker: { url: "mqtt://broker", username: "connector", password: { file: empty } },
    });
    const { code, errors } = await runCommand("commands/connect-mqtt", { parameters: [file] });
    expect([code, errors.split("\n")]).toEqual([
      1,
      [
        `The configuration ${file} cannot be used:`,
        "  gateway.apiKey: names the file /no/such, which cannot be read: ENOENT",
        `  broker.password: names the file ${empty}, which is empty`,
        "",
      ],
    ]);
  });

  it.each<[string, (site: MqttSite) => string[], RegExp]>([
    ["is missing", ({ directory }) => [path.join(directory, "none.json")], /cannot be read: ENOENT/],
    [
      "is not JSON",
      ({ directory }) => {
        const file = path.join(directory, "text.json");
        writeFileSync(file, '{"apiKey": mistaken-secret}');
        return [file];
      },
      /^(?!.*mistaken).*is not JSON: there is an error/,
    ],
    ["is not named", () => [], /^Usage: npm run connect:mqtt -- <config\.json>/],
    [
      "is named with an unknown option",
      (site) => [site.configuration(), "--no"],
      /--no[\s\S]*Usage: npm run/,
    ],
    ["is to be both checked and tried", (site) => [site.configuration(), "--check", "--dry-run"], /^Usage/],
  ])("%s", async (_what, parameters, message) => {
    const { code, errors } = await runCommand("commands/connect-mqtt", { parameters: parameters(site) });
    expect([code, errors]).toEqual([1, expect.stringMatching(message)]);
  });

  it("names a port for metrics that is free", async () => {
    const port = await listenForTest(createServer());
    const { code, errors } = await site.run({ metricsPort: port }).ended;
    expect([code, errors]).toEqual([1, `/metrics cannot be served on 127.0.0.1:${port}: EADDRINUSE\n`]);
  });

  it("names a state file of this connector", async () => {
    const stateFile = path.join(site.directory, "state.json");
    writeFileSync(stateFile, '{"reviews": []}');
    const { code, errors } = await site.run({ stateFile }).ended;
    expect([code, errors]).toEqual([
      1,
      `The state file ${stateFile} is not one of this connector: move it away to begin anew\n`,
    ]);
  });
});
