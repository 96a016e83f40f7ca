import { combinationIssues } from "./combinations.js";
import { presentOf, type Settings, settings, validated } from "./settings.js";
import { storedSecretsOf } from "./stored-secrets.js";

/** All settings, validated. AUTH_JWT_SECRET is absent if an identity provider issues the tokens. */
export type Environment = Omit<Settings, "LINK_SECRET" | "SUPPORT_HASH_SECRET"> & {
  LINK_SECRET: string[];
  SUPPORT_HASH_SECRET: string;
};

/**
 * Reads and validates all settings; throws one error that lists every invalid one. For the embedded database, missing
 * secrets are generated and stored.
 */
export function readEnvironment(variables: NodeJS.ProcessEnv = process.env): Environment {
  const present = presentOf(variables);
  return withSecrets(validated(settings, present, combinationIssues(present)));
}

function withSecrets(configured: Settings): Environment {
  if (configured.DATABASE_URL) return configured as Environment;
  const { AUTH_JWT_SECRET, ...others } = storedSecretsOf(configured.DATA_DIR);
  return { ...others, ...(configured.AUTH_ISSUER ? {} : { AUTH_JWT_SECRET }), ...configured } as Environment;
}
