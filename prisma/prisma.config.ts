import { defineConfig } from "prisma/config";

// `generate` and `validate` do not use the native schema engine, yet the CLI would download it: any existing file satisfies it.
process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= process.execPath;

export default defineConfig({ schema: "schema.prisma", migrations: { path: "migrations" } });
