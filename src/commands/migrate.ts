import { migrateServer } from "../database/client.js";
import { readDatabaseUrl } from "../environment.js";

/** `npm run migrate`: applies missing migrations to the database at DATABASE_URL. */
try {
  const applied = await migrateServer(readDatabaseUrl());
  process.stdout.write(applied.length > 0 ? `Applied ${applied.join(", ")}\n` : "The database is up to date\n");
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
}
