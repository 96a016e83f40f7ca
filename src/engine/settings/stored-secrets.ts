import { randomBytes } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { defined } from "../../platform/defined.js";
import { codeOf, messageOf } from "../../platform/thrown.js";
import { settings } from "./settings.js";

const storedSecrets = settings
  .pick({ AUTH_JWT_SECRET: true, LINK_SECRET: true, SUPPORT_HASH_SECRET: true })
  .required();

type StoredSecrets = z.infer<typeof storedSecrets>;

/** The secrets in the directory of an embedded database, generated the first time. */
export function storedSecretsOf(dataDirectory: string): StoredSecrets {
  const file = path.join(dataDirectory, "secrets.json");
  return readStoredSecrets(file) ?? createSecrets(file);
}

function readStoredSecrets(file: string): StoredSecrets | undefined {
  try {
    return storedSecrets.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    const reason =
      error instanceof z.ZodError
        ? error.issues.map((issue) => `${issue.path.join(".")} ${issue.message}`).join(", ")
        : messageOf(error);
    throw new Error(`${file} cannot be read: ${reason}`);
  }
}

function createSecrets(file: string): StoredSecrets {
  const random = () => randomBytes(32).toString("hex");
  const secrets: z.input<typeof storedSecrets> = {
    AUTH_JWT_SECRET: random(),
    LINK_SECRET: random(),
    SUPPORT_HASH_SECRET: random(),
  };
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const partial = `${file}.${process.pid}`;
  writeFileSync(partial, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
  try {
    linkSync(partial, file);
    return storedSecrets.parse(secrets);
  } catch (error) {
    // Another process stored its secrets first: use those.
    if (codeOf(error) === "EEXIST") return defined(readStoredSecrets(file));
    throw error;
  } finally {
    unlinkSync(partial);
  }
}
