import { distributeTables } from "../database/distribute.js";
import { readDatabaseUrl } from "../environment.js";

/** `npm run distribute`: distributes the tables of the migrated database at DATABASE_URL over the nodes of its Citus cluster. */
try {
  const distributed = await distributeTables(readDatabaseUrl());
  process.stdout.write(distributed.length > 0 ? `Distributed ${distributed.join(", ")}\n` : "All tables are distributed\n");
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
}
