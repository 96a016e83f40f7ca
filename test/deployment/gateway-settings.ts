import { readEnvironment } from "../../src/engine/settings/environment.js";
import { testSecrets } from "../support/environment.js";

/** Secrets that manifests take from elsewhere. */
export const secretSettings: Record<string, string> = {
  DATABASE_URL: "postgresql://gateway@postgresql/gateway",
  REDIS_URL: "redis://redis",
  ...testSecrets,
};

/** Variables for other programs than the gateway: the AWS SDK. */
const ofOthers = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"];

/**
 * The names among these variables that are no settings of the gateway; throws if it would
 * not start with them.
 */
export function unknownSettings(variables: Record<string, string>): string[] {
  const settings = readEnvironment(variables);
  return Object.keys(variables).filter(
    (name) => !(name in settings) && !ofOthers.includes(name) && variables[name] !== "",
  );
}
