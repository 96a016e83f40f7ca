export const english = {
  label: "Export",
  formats: { XLSX: "Excel (xlsx)", NDJSON: "NDJSON, one object per line" },
  csv: { ",": "CSV with commas", ";": "CSV with semicolons" },
};
