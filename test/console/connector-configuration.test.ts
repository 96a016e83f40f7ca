// Needs no gateway.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  type ConfigurableKind,
  commands,
  configurationOf,
  detectionFormats,
  fileNameOf,
  neededPermissions,
} from "../../src/console/connectors/connector-configuration.js";
import { readConfiguration } from "../../src/programs/connectors/connector/configuration.js";
import { frigateConnector } from "../../src/programs/connectors/frigate/frigate.js";
import { mqttConnector } from "../../src/programs/connectors/mqtt/mqtt.js";

const apiKey = `cmk_${"0".repeat(32)}_${"1".repeat(64)}`;
const programs = { FRIGATE: frigateConnector, MQTT: mqttConnector };
const kinds = Object.keys(programs) as ConfigurableKind[];

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "connector-configuration-"));
  vi.stubEnv("GATEWAY_KEY", apiKey);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(directory, { recursive: true });
});

/** The fields that have to be filled in. */
const least = {
  name: "Plant",
  gatewayUrl: "https://gateway.example.com",
  apiKeyLocation: "environment",
  apiKey: "GATEWAY_KEY",
  brokerUrl: "mqtts://broker:8883",
  stateFile: "state.json",
  frigateUrl: "https://frigate:8971",
  topic: "detections/+",
  format: "GATEWAY",
};

/** What the program of a kind reads of the file that the form writes. */
async function read(kind: ConfigurableKind, given: Record<string, string>) {
  const file = path.join(directory, fileNameOf("Plant"));
  await writeFile(file, JSON.stringify(configurationOf(kind, given)));
  return readConfiguration(programs[kind].configuration, file);
}

describe.each(kinds)("the form for %s", (kind) => {
  it("writes what the program reads, with what has to be filled in alone", async () => {
    expect(await read(kind, least)).toMatchObject({
      name: "Plant",
      gateway: { url: "https://gateway.example.com", apiKey },
      broker: { url: "mqtts://broker:8883" },
      stateFile: "state.json",
    });
  });

  it("writes what the program reads, with everything filled in", async () => {
    const file = (name: string, content: string) => writeFile(path.join(directory, name), content);
    await file("password", "s3cret\n");
    await file("ca.pem", "-----BEGIN CERTIFICATE-----");
    const [password, caFile] = [path.join(directory, "password"), path.join(directory, "ca.pem")];
    const configuration = await read(kind, {
      ...least,
      ...{ facility: "0198f000-0000-7000-8000-00000000000a", topicPrefix: "nvr/frigate" },
      ...{ brokerUsername: "gateway", brokerPassword: password, brokerCaFile: caFile },
      ...{ frigateUsername: "viewer", frigatePasswordLocation: "file", frigatePassword: password },
      ...{ frigateCaFile: caFile, frameWidth: "1280", frameHeight: "720" },
    });
    expect(configuration).toMatchObject({
      facility: "0198f000-0000-7000-8000-00000000000a",
      broker: { username: "gateway", password: "s3cret", caFile: "-----BEGIN CERTIFICATE-----" },
    });
    expect(configuration).toMatchObject(
      kind === "FRIGATE"
        ? { frigate: { username: "viewer", password: "s3cret", topicPrefix: "nvr/frigate" } }
        : { sources: [{ topic: "detections/+", frame: { width: 1280, height: 720 } }] },
    );
  });

  it("names the program's command and the permissions that its key needs", () => {
    expect(commands[kind]).toBe(`npm run ${programs[kind].command} --`);
    expect(neededPermissions[kind]).toEqual(programs[kind].permissions);
  });
});

describe("the form for detections over MQTT", () => {
  it.each(detectionFormats)("writes a source that the program reads: %s", async (format) => {
    const sized = format === "DEEPSTREAM" && { frameWidth: "1920", frameHeight: "1080" };
    expect(await read("MQTT", { ...least, format, ...sized })).toMatchObject({ sources: [{ format }] });
  });

  it("names the camera where neither the topic nor the message does", async () => {
    const given = { ...least, format: "AXIS_SCENE", topic: "axis/scene", camera: "Gate" };
    expect(await read("MQTT", given)).toMatchObject({ sources: [{ camera: "Gate" }] });
  });
});

it.each([
  ["Plant / north", "Plant-north.json"],
  ["İstanbul", "İstanbul.json"],
  ["../../etc", "etc.json"],
  ["…", "connector.json"],
])("the configuration of the connector %s is in the file %s", (name, file) => {
  expect(fileNameOf(name)).toBe(file);
});
