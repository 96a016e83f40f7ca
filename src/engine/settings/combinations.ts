import { keysOf } from "../../platform/record.js";
import { cameraFeedIssues } from "./camera-feed.js";
import type { CombinationIssue } from "./setting.js";

/** All or none of a group is set. */
const setTogether = [
  ["SMTP_URL", "MAIL_FROM"],
  ["TWILIO_ACCOUNT_SID", "TWILIO_AUTH_TOKEN", "TWILIO_FROM"],
];

/** What a setting is of no use without. */
const neededBy = {
  DATABASE_LISTEN_URL: "DATABASE_URL",
  S3_ENDPOINT: "S3_BUCKET",
  TWILIO_URL: "TWILIO_ACCOUNT_SID",
  CONSOLE_CLIENT_ID: "AUTH_ISSUER",
  CONSOLE_SCOPE: "CONSOLE_CLIENT_ID",
  OTEL_TRACES_SAMPLER_ARG: "OTEL_EXPORTER_OTLP_ENDPOINT",
};

/** What some settings are of no use without, and lack. */
export const missingFor = (
  variables: Record<string, string | undefined>,
  names: (keyof typeof neededBy)[],
): CombinationIssue[] =>
  names
    .filter((name) => variables[name] !== undefined && variables[neededBy[name]] === undefined)
    .map((name) => required(neededBy[name], name));

export const required = (name: string, by: string): CombinationIssue => ({
  message: `${name} is required with ${by}`,
  mendedBy: [name],
});

export function combinationIssues(variables: Record<string, string | undefined>): CombinationIssue[] {
  const isSet = (name: string) => variables[name] !== undefined;
  const isMissing = (name: string) => !isSet(name);
  const issuer = ["AUTH_ISSUER", "AUTH_AUDIENCE", "AUTH_JWKS_URL"].filter(isSet);
  const ofIssuer = issuer.length > 0 ? ["AUTH_ISSUER", "AUTH_AUDIENCE"] : [];
  const ofServer = isSet("DATABASE_URL") ? ["LINK_SECRET", "SUPPORT_HASH_SECRET"] : [];
  const issues = [
    ...ofIssuer.filter(isMissing).map((name) => required(name, issuer.join(", "))),
    ...ofServer.filter(isMissing).map((name) => required(name, "DATABASE_URL")),
  ];
  if (isSet("AUTH_JWT_SECRET") && issuer.length > 0)
    issues.push({
      message: `AUTH_JWT_SECRET and ${issuer.join(", ")} are mutually exclusive: configure one of the two modes`,
      mendedBy: [],
    });
  issues.push(...missingFor(variables, keysOf(neededBy)));
  for (const group of setTogether) {
    const set = group.filter(isSet);
    if (set.length > 0) issues.push(...group.filter(isMissing).map((name) => required(name, set.join(", "))));
  }
  if (isSet("DATABASE_URL") && isMissing("AUTH_JWT_SECRET") && issuer.length === 0) {
    issues.push({
      message: "AUTH_JWT_SECRET, or AUTH_ISSUER and AUTH_AUDIENCE, is required with DATABASE_URL",
      mendedBy: ["AUTH_JWT_SECRET"],
    });
  }
  issues.push(...cameraFeedIssues(variables));
  return issues;
}
