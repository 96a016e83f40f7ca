export const configurableKinds = ["FRIGATE", "MQTT"] as const;
export type ConfigurableKind = (typeof configurableKinds)[number];

/** How sources of detections write their messages. */
export const detectionFormats = ["AXIS_SCENE", "DEEPSTREAM", "GATEWAY"] as const;

/** The permissions that the API key of a connector needs. */
export const neededPermissions: Readonly<Record<ConfigurableKind, readonly string[]>> = {
  FRIGATE: ["alerts:write", "cameras:write"],
  MQTT: ["alerts:write"],
};

/** The commands that start the connectors. */
export const commands: Readonly<Record<ConfigurableKind, string>> = {
  FRIGATE: "npm run connect:frigate --",
  MQTT: "npm run connect:mqtt --",
};

type Given = Readonly<Record<string, string | undefined>>;

/** The configuration of a connector as its program reads it: not with the secrets, but with where to find them. */
export function configurationOf(kind: ConfigurableKind, given: Given): object {
  const { name, gatewayUrl, brokerUrl, facility, stateFile } = given;
  return {
    name,
    gateway: { url: gatewayUrl, apiKey: secretOf(given, "apiKey") },
    broker: { url: brokerUrl, ...loginOf(given, "broker") },
    ...(kind === "FRIGATE" ? { frigate: frigateOf(given) } : { sources: [sourceOf(given)] }),
    ...(facility && { facility }),
    stateFile,
  };
}

export const secretFields = (secret: string) => ({ location: `${secret}Location`, source: secret });

function secretOf(given: Given, secret: string): object {
  const { location, source } = secretFields(secret);
  return { [given[location] === "environment" ? "environment" : "file"]: given[source] };
}

/** The names of the fields for a login, whose password is a secret, and for a certificate. */
export const loginFields = (of: string) => ({
  username: `${of}Username`,
  password: `${of}Password`,
  caFile: `${of}CaFile`,
});

function loginOf(given: Given, of: string): object {
  const { username, password, caFile } = loginFields(of);
  return {
    ...(given[username] && { username: given[username], password: secretOf(given, password) }),
    ...(given[caFile] && { caFile: given[caFile] }),
  };
}

const frigateOf = (given: Given): object => ({
  url: given.frigateUrl,
  ...loginOf(given, "frigate"),
  ...(given.topicPrefix && { topicPrefix: given.topicPrefix }),
});

/** Whether messages of a format do not tell their camera, so that a wildcard or the configuration has to. */
export const isCameraUntold = (format: string | undefined): boolean => format === "AXIS_SCENE";

export const hasWildcard = (topic: string): boolean => /[+#]/.test(topic);

/** What rules call the objects that Axis cameras name otherwise. */
const axisLabels = { Human: "PERSON" };

const sourceOf = ({ topic, format, camera, frameWidth, frameHeight }: Given): object => ({
  topic,
  format,
  ...(camera && { camera }),
  ...(format === "AXIS_SCENE" && { labels: axisLabels }),
  ...(frameWidth && frameHeight && { frame: { width: Number(frameWidth), height: Number(frameHeight) } }),
});

export const fileNameOf = (connector: string): string =>
  `${connector.replaceAll(/[^\p{L}\p{N}._-]+/gu, "-").replace(/^[-.]+/, "") || "connector"}.json`;

export interface WrittenConfiguration {
  kind: ConfigurableKind;
  file: string;
}
