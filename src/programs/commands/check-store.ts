import { existsSync } from "node:fs";
import path from "node:path";
import { openDatabase } from "../../engine/database/client.js";
import { readDataSettings } from "../../engine/settings/commands.js";
import { openStore, openTemporaryFiles } from "../../engine/storage/open-store.js";
import { checkStore, type StoreDifference } from "../../engine/storage/store-check.js";
import { DisposerStack } from "../../platform/disposer-stack.js";
import { messageOf } from "../../platform/thrown.js";

/** `npm run check-store`: lists rows without their pictures and pictures without a row, and changes neither. */
const disposers = new DisposerStack();
try {
  const settings = readDataSettings();
  const { DATABASE_URL, DATA_DIR } = settings;
  if (!DATABASE_URL && !existsSync(path.join(DATA_DIR, "postgresql"))) {
    throw new Error(
      `There is no embedded database in ${DATA_DIR}: set DATA_DIR to its directory, or DATABASE_URL`,
    );
  }
  // With many alerts, a batch may take longer than any reasonable timeout.
  const database = await openDatabase(
    DATABASE_URL
      ? { url: DATABASE_URL, poolSize: 1, connectTimeoutMs: 10_000, statementTimeoutMs: 0 }
      : { directory: DATA_DIR },
    { onConnectionLost: () => {} },
  );
  disposers.defer(() => database.close());
  const { missing } = await database.migrationState();
  if (missing.length > 0) throw new Error("The database lacks migrations; run `npm run migrate` first");
  const temporary = await openTemporaryFiles(settings);
  disposers.defer(() => temporary.close());
  const store = await openStore(settings, temporary);
  disposers.defer(() => store.close());
  await temporary.withDirectory((directory) => report(checkStore({ store, read: database.read, directory })));
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 1;
} finally {
  await disposers.dispose();
}

/** Writes each difference on a line of its own. Fails if there is any. */
async function report(check: ReturnType<typeof checkStore>): Promise<void> {
  const found = { missing: 0, unused: 0 };
  for (;;) {
    const { done, value } = await check.next();
    if (done) {
      const compared = `Compared ${value.objects} objects with ${value.references} references to them`;
      const result = `${compared}: ${found.missing} missing, ${found.unused} unused`;
      if (found.missing + found.unused > 0) throw new Error(result);
      return void process.stdout.write(`${result}\n`);
    }
    found["unused" in value ? "unused" : "missing"] += 1;
    process.stdout.write(`${describe(value)}\n`);
  }
}

function describe(difference: StoreDifference): string {
  if ("unused" in difference) return `unused ${difference.unused}`;
  const { key, table, column, id, workspaceId } = difference.missing;
  return `missing ${key}: ${table}.${column} of ${id} in workspace ${workspaceId}`;
}
