import type { z } from "zod";
import { missingFor, required } from "./combinations.js";
import { presentOf, type Settings, settings, validated, withExamples } from "./settings.js";
import { storedSecretsOf } from "./stored-secrets.js";

export function readDatabaseUrl(variables: NodeJS.ProcessEnv = process.env): string {
  const url = settings.shape.DATABASE_URL.safeParse(variables.DATABASE_URL || undefined);
  if (!url.success)
    throw new Error(withExamples(`DATABASE_URL ${url.error.issues[0]?.message}`, ["DATABASE_URL"]));
  if (!url.data)
    throw new Error(
      "DATABASE_URL is not set: this command needs a PostgreSQL server (`npm start` migrates the embedded database)",
    );
  return url.data;
}

const dataSettings = settings.pick({
  DATABASE_URL: true,
  DATA_DIR: true,
  S3_BUCKET: true,
  S3_REGION: true,
  S3_ENDPOINT: true,
});

/** Reads only where the database and the pictures are, for commands that need nothing else. */
export function readDataSettings(variables: NodeJS.ProcessEnv = process.env): z.infer<typeof dataSettings> {
  const present = presentOf(variables);
  return validated(dataSettings, present, missingFor(present, ["S3_ENDPOINT"]));
}

const tokenSettings = settings.pick({
  DATABASE_URL: true,
  DATA_DIR: true,
  AUTH_JWT_SECRET: true,
  AUTH_ISSUER: true,
});

/**
 * Reads only the secret of Bearer tokens, for the command that signs one. For the embedded database, this may be the
 * generated secret. Undefined if an identity provider issues the tokens.
 */
export function readTokenSecret(variables: NodeJS.ProcessEnv = process.env): string | undefined {
  const present = presentOf(variables);
  if (present.AUTH_JWT_SECRET === undefined && present.AUTH_ISSUER !== undefined) return undefined;
  const isMissing = present.AUTH_JWT_SECRET === undefined && present.DATABASE_URL !== undefined;
  const configured = validated(
    present.AUTH_JWT_SECRET === undefined ? tokenSettings : tokenSettings.pick({ AUTH_JWT_SECRET: true }),
    present,
    isMissing ? [required("AUTH_JWT_SECRET", "DATABASE_URL")] : [],
  );
  return configured.AUTH_JWT_SECRET ?? storedSecretsOf((configured as Settings).DATA_DIR).AUTH_JWT_SECRET;
}

const signInSettings = settings.pick({
  DATABASE_URL: true,
  DATA_DIR: true,
  AUTH_ISSUER: true,
  LINK_SECRET: true,
  PUBLIC_URL: true,
  PORT: true,
  SMTP_URL: true,
});

export interface SignInSettings {
  /** The URL of the database; undefined for the embedded one. */
  databaseUrl: string | undefined;
  /** Where the embedded database is. */
  directory: string;
  publicUrl: string;
  secrets: readonly string[];
  hasIssuer: boolean;
  sendsMail: boolean;
}

/** Reads only what links to sign in are made of. For the embedded database, the secret may be the generated one. */
export function readSignInSettings(variables: NodeJS.ProcessEnv = process.env): SignInSettings {
  const present = presentOf(variables);
  const isMissing = present.LINK_SECRET === undefined && present.DATABASE_URL !== undefined;
  const { DATABASE_URL, DATA_DIR, AUTH_ISSUER, LINK_SECRET, PUBLIC_URL, PORT, SMTP_URL } = validated(
    signInSettings,
    present,
    isMissing && present.AUTH_ISSUER === undefined ? [required("LINK_SECRET", "DATABASE_URL")] : [],
  );
  const hasIssuer = AUTH_ISSUER !== undefined;
  return {
    databaseUrl: DATABASE_URL,
    directory: DATA_DIR,
    publicUrl: PUBLIC_URL ?? `http://localhost:${PORT}`,
    secrets: LINK_SECRET ?? (hasIssuer ? [] : storedSecretsOf(DATA_DIR).LINK_SECRET),
    hasIssuer,
    sendsMail: SMTP_URL !== undefined,
  };
}
