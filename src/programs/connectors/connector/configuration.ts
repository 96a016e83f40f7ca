import { readFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { defined } from "../../../platform/defined.js";
import { baseUrl, isHost, textWithout, urlIssue } from "../../../platform/input/setting-rules.js";
import { codeOf, messageOf } from "../../../platform/thrown.js";

/** What is wrong with a configuration, in one message. */
export class ConfigurationError extends Error {}

const shortText = (maxLength: number) =>
  z
    .string()
    .max(maxLength, `must have at most ${maxLength} characters`)
    .regex(/\S/, "must not be blank")
    .regex(/^\P{Cc}*$/u, "must not contain control characters");

/** A name that is a topic's part, a camera or a facility. */
export const nameRule = shortText(500);

/** The content of a file that the configuration names. */
const fileContent = (name: string, context: z.RefinementCtx<unknown>): string => {
  try {
    return readFileSync(name, "utf8");
  } catch (error) {
    context.addIssue({
      code: "custom",
      message: `names the file ${name}, which cannot be read: ${codeOf(error)}`,
    });
    return z.NEVER;
  }
};

const secretForms =
  'must be { "file": "…" } or { "environment": "NAME" }: secrets are not in the configuration itself';

/** A secret, which the configuration does not contain, but says where it is. */
export const secret = z
  .union(
    [
      z.strictObject({ file: shortText(4096) }).describe("A file with nothing but the secret."),
      z.strictObject({ environment: shortText(200) }).describe("An environment variable."),
    ],
    secretForms,
  )
  .transform((source, context) => {
    const text = "file" in source ? fileContent(source.file, context) : process.env[source.environment];
    if (context.issues.length > 0) return z.NEVER;
    // Editors end files with a line break.
    const value = text?.replace(/\r?\n$/, "");
    if (value) return value;
    const [kind, name] = defined(Object.entries(source)[0]);
    const message = `names the ${kind === "file" ? "file" : "environment variable"} ${name}, which is ${value === "" ? "empty" : "not set"}`;
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  });

const gateway = z.strictObject({
  url: baseUrl.describe("Where the gateway is, such as https://gateway.example.com."),
  apiKey: secret
    .refine((key) => /^cmk_[0-9a-f]{32}_[0-9a-f]{64}$/.test(key), "must lead to an API key, cmk_…")
    .describe("The API key, which needs cameras:read, and alerts:write at the facilities of the cameras."),
});

/** Certificates of authorities in PEM, besides or instead of those that Node.js knows. */
export const caFile = shortText(4096)
  .transform((name, context) => {
    const text = fileContent(name, context);
    if (context.issues.length === 0 && !text.includes("-----BEGIN CERTIFICATE-----"))
      context.addIssue({
        code: "custom",
        message: `names the file ${name}, which has no certificate in PEM`,
      });
    return text;
  })
  .describe("A file with the certificate of the authority, in PEM, if it is not publicly trusted.");

const broker = z
  .strictObject({
    url: textWithout((text) => urlIssue(text, { schemes: ["mqtt", "mqtts"] })).describe(
      "The MQTT broker: mqtts://host:8883, or mqtt://host:1883 without encryption.",
    ),
    username: shortText(1000).optional().describe("The user at the broker."),
    password: secret.optional().describe("The user's password."),
    caFile: caFile.optional(),
    statusTopic: topicName()
      .optional()
      .describe("A topic on which `online` and `offline` are retained, the latter as the connection's will."),
  })
  .refine(({ username, password }) => password === undefined || username !== undefined, {
    path: ["username"],
    message: "is required with a password",
  });

function topicName() {
  return shortText(1000).regex(/^[^+#]*$/, "must not contain wildcards");
}

export const sharedSettings = {
  $schema: z.string().optional().describe("For editors: the file that --schema has printed."),
  name: shortText(100).describe(
    "Names the connector in the console; unique among those with the same API key. It must not be changed: the ids of alerts may be made from it.",
  ),
  gateway,
  broker,
  cameras: z
    .record(nameRule, nameRule)
    .default({})
    .describe(
      "The names or ids of cameras at the gateway, by their names at the source. Not needed where both are the same.",
    ),
  facility: nameRule
    .optional()
    .describe(
      "The name or id of the facility of the cameras; needed if several facilities have cameras of a name.",
    ),
  stateFile: shortText(4096).optional().describe("The file in which the connector keeps its state."),
  logLevel: z
    .enum(["debug", "info", "warn", "error"])
    .default("info")
    .describe("The least urgent entries in the log."),
  metricsPort: z
    .int()
    .min(0, "must be at least 0")
    .max(65_535, "must be at most 65535")
    .optional()
    .describe("The port of /metrics, in the format of Prometheus."),
  metricsHost: shortText(255)
    .refine(isHost, "must be a host")
    .default("127.0.0.1")
    .describe("The address on which /metrics is served."),
};

const sharedConfiguration = z.object(sharedSettings);

export type SharedConfiguration = z.output<typeof sharedConfiguration>;

/** Reads and checks a configuration. Throws a {@link ConfigurationError} that names all issues. */
export function readConfiguration<Rule extends z.ZodType>(rule: Rule, file: string): z.output<Rule> {
  const { success, data, error } = rule.safeParse(readJson(file), { error: ruleMessage, reportInput: false });
  if (success) return data;
  const issues = error.issues.map(
    ({ path, message }) => `  ${[...path, ""].join(".").replace(/\.$/, ": ")}${message}`,
  );
  throw new ConfigurationError(`The configuration ${file} cannot be used:\n${issues.join("\n")}`);
}

function readJson(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new ConfigurationError(`The configuration ${path.resolve(file)} cannot be read: ${codeOf(error)}`);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    // The message may quote the file, and somebody may have written a secret into it.
    const [position = ""] = / at position \d+/.exec(messageOf(error)) ?? [];
    throw new ConfigurationError(`The configuration ${file} is not JSON: there is an error${position}`);
  }
}

/** Messages that follow the name of a setting; those of the rules themselves come first. */
const ruleMessage: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === "unrecognized_keys") return `has unknown settings: ${issue.keys.join(", ")}`;
  if (issue.code === "invalid_value") return `must be one of ${issue.values.join(", ")}`;
  if (issue.code === "too_small") return `must have at least ${issue.minimum}`;
  if (issue.code !== "invalid_type") return undefined;
  if (issue.input === undefined) return "is required";
  const article = /^[aeio]/.test(issue.expected) ? "an" : "a";
  return `must be ${article} ${issue.expected}`;
};

/** The JSON schema of a configuration, for editors and other programs. */
export const jsonSchemaOf = (rule: z.ZodType): string =>
  `${JSON.stringify(z.toJSONSchema(rule, { io: "input" }), undefined, 2)}\n`;
