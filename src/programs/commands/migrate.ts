import { migrateServer } from "../../engine/database/client.js";
import { describeReplaced } from "../../engine/database/time-zones.js";
import { readDatabaseUrl } from "../../engine/settings/commands.js";
import { fail } from "../../platform/thrown.js";

/** `npm run migrate`: applies missing migrations to the database at DATABASE_URL. */
try {
  const { applied, later, replaced } = await migrateServer(readDatabaseUrl(), (message) =>
    process.stderr.write(`${message}\n`),
  );
  process.stdout.write(
    applied.length > 0 ? `Applied ${applied.join(", ")}\n` : "The database is up to date\n",
  );
  if (later.length > 0)
    process.stdout.write(
      `It has migrations of a later version, with which this one works as well: ${later.join(", ")}\n`,
    );
  for (const zone of replaced) process.stderr.write(`${describeReplaced(zone)}\n`);
} catch (error) {
  fail(error);
}
