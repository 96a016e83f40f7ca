-- A search for a rare object reads the alerts that have it, not all of them. The labels are those of `labelsIn` in content-conditions.ts.

-- CreateIndex
CREATE INDEX CONCURRENTLY "Alert_labels_idx" ON "Alert" USING gin (
  string_to_array(upper((jsonb_path_query_array("info", '$.objects[*].label') || jsonb_path_query_array("info", '$.objects[*] ? (@.type() == "string")'))::text), '"')
);
