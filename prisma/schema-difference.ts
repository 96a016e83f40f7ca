import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type { PGlite } from "@electric-sql/pglite";
import { bindMigrationAwareSqlAdapterFactory } from "@prisma/driver-adapter-utils";
import * as engineBindings from "@prisma/schema-engine-wasm/schema_engine_bg";
import { PrismaPGlite } from "pglite-prisma-adapter";

const schemaPath = fileURLToPath(new URL("schema.prisma", import.meta.url));

/** The SQL that migrates a database to `schema.prisma`; empty if they are equal. */
export async function schemaDifference(server: PGlite): Promise<string> {
  await loadEngine();
  const content = await readFile(schemaPath, "utf8");
  const files = [{ path: schemaPath, content }];
  const adapter = bindMigrationAwareSqlAdapterFactory(new PrismaPGlite(server));
  const engine = await engineBindings.SchemaEngine.new(
    { datamodels: [[schemaPath, content]] },
    () => {},
    adapter,
  );
  try {
    const { stdout } = await engine.diff({
      from: { tag: "schemaDatasource", files, configDir: "." },
      to: { tag: "schemaDatamodel", files },
      script: true,
      exitCode: null,
      filters: { externalTables: ["public._prisma_migrations"], externalEnums: [] },
    });
    return stdout?.includes("This is an empty migration") ? "" : (stdout ?? "");
  } finally {
    engine.free();
  }
}

let loaded: Promise<void> | undefined;

/**
 * The package's entry point imports WebAssembly as a module, which Node.js supports only
 * behind a flag.
 */
function loadEngine(): Promise<void> {
  loaded ??= (async () => {
    const bindings = createRequire(import.meta.url).resolve("@prisma/schema-engine-wasm/schema_engine_bg");
    const bytes = await readFile(bindings.replace(/\.js$/, ".wasm"));
    const { instance } = await WebAssembly.instantiate(bytes, {
      "./schema_engine_bg.js": engineBindings as unknown as WebAssembly.ModuleImports,
    });
    engineBindings.__wbg_set_wasm(instance.exports);
    (instance.exports.__wbindgen_start as () => void)();
  })();
  return loaded;
}
