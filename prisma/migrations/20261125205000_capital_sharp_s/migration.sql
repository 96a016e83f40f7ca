-- The capital ẞ has itself as its upper case, and ß as its lower one: it was not compared as ss, as ß is.
DO $create$
BEGIN
  EXECUTE format(
    $statement$CREATE OR REPLACE FUNCTION "foldedText"(text TEXT) RETURNS TEXT LANGUAGE plpgsql IMMUTABLE STRICT AS $body$
    BEGIN
      RETURN normalize(replace(replace(lower(upper(replace(normalize(text, NFC), 'ẞ', 'ß') COLLATE %I)), 'ς', 'σ'), 'i' || chr(775), 'i'), NFC) COLLATE "C";
    END
    $body$$statement$,
    coalesce((
      SELECT collname FROM pg_collation
      WHERE collnamespace = 'pg_catalog'::regnamespace AND collname IN ('und-x-icu', 'pg_c_utf8') ORDER BY collname = 'und-x-icu' DESC LIMIT 1), 'default'));
END
$create$;

UPDATE "Camera" SET "name" = "name" WHERE "name" LIKE '%ẞ%';
