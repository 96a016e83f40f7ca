import { parseArgs } from "node:util";
import { openDatabase } from "../../engine/database/client.js";
import { readDatabaseUrl } from "../../engine/settings/commands.js";
import { Prisma } from "../../generated/prisma/client.js";
import { fail } from "../../platform/thrown.js";

interface Difference {
  table: string;
  cameraId: string;
  /** Null for counts of open alerts, which are not kept by day. */
  day: string | null;
  name: string | null;
  severity: string | null;
  kept: string | null;
  counted: string | null;
}

const usage = "Usage: npm run counts -- --verify, or npm run counts -- --rebuild";

/** `npm run counts`: compares the alert counts in the database at DATABASE_URL with its alerts, or recomputes them. */
try {
  const { values } = parseArgs({ options: { verify: { type: "boolean" }, rebuild: { type: "boolean" } } });
  if (values.verify === values.rebuild) throw new Error(usage);
  // With many alerts, both take longer than any reasonable timeout.
  const database = await openDatabase(
    { url: readDatabaseUrl(), poolSize: 1, connectTimeoutMs: 10_000, statementTimeoutMs: 0 },
    { onConnectionLost: () => {} },
  );
  try {
    const { missing } = await database.migrationState();
    if (missing.length > 0) throw new Error("The database lacks migrations; run `npm run migrate` first");
    if (values.rebuild) {
      await database.read(Prisma.sql`SELECT "rebuildAlertCounts"()`);
      process.stdout.write("The counts were rebuilt\n");
    } else {
      const differences = await database.read<Difference>(
        Prisma.sql`SELECT "table", "cameraId", "day"::text, "name", "severity", "kept", "counted" FROM "alertCountDifferences"()`,
      );
      for (const difference of differences) process.stdout.write(`${describe(difference)}\n`);
      if (differences.length > 0)
        throw new Error(
          `${differences.length} counts are wrong; repair them with \`npm run counts -- --rebuild\``,
        );
      process.stdout.write("The counts match the alerts\n");
    }
  } finally {
    await database.close();
  }
} catch (error) {
  fail(error);
}

function describe({ table, cameraId, day, name, severity, kept, counted }: Difference): string {
  const onDay = day === null ? "" : `, ${day}`;
  const kind = name === null ? "" : `, ${name}, ${severity ?? "no severity"}`;
  return `${table}: camera ${cameraId}${onDay}${kind}: ${kept ?? "no row"} instead of ${counted ?? "no row"}`;
}
