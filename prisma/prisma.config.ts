import { defineConfig } from "prisma/config";

// `generate` and `validate` do not use the native schema engine, but the CLI would
// download it unless this names an existing file.
process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= process.execPath;

export default defineConfig({ schema: "schema.prisma", migrations: { path: "migrations" } });
