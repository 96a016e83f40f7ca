import type { english } from "./english.js";

export const german: typeof english = {
  label: "Export",
  formats: { XLSX: "Excel (xlsx)", NDJSON: "NDJSON, ein Objekt pro Zeile" },
  csv: { ",": "CSV mit Kommas", ";": "CSV mit Semikolons" },
};
