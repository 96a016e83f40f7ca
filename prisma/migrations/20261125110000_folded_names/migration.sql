-- Names are found whatever their case, and however they are composed: é is one character or two. The locale of a server knows only A to Z where
-- it is C, and others than Unicode where it is Turkish, so that letters are compared as Unicode does: by ICU, or from PostgreSQL 17 on without.

-- A text as it is compared: the letters of a word in either case are the same, as are ß and ss, ς and σ, and i with and without its dot.
DO $create$
BEGIN
  EXECUTE format(
    $statement$CREATE FUNCTION "foldedText"(text TEXT) RETURNS TEXT LANGUAGE plpgsql IMMUTABLE STRICT AS $body$
    BEGIN
      RETURN normalize(replace(replace(lower(upper(normalize(text, NFC) COLLATE %I)), 'ς', 'σ'), 'i' || chr(775), 'i'), NFC) COLLATE "C";
    END
    $body$$statement$,
    coalesce((
      SELECT collname FROM pg_collation
      WHERE collnamespace = 'pg_catalog'::regnamespace AND collname IN ('und-x-icu', 'pg_c_utf8') ORDER BY collname = 'und-x-icu' DESC LIMIT 1), 'default'));
END
$create$;

CREATE FUNCTION "normalizeName"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."name" := normalize(NEW."name", NFC);
  RETURN NEW;
END
$$;

CREATE FUNCTION "foldCameraName"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."name" := normalize(NEW."name", NFC);
  NEW."foldedName" := "foldedText"(NEW."name");
  RETURN NEW;
END
$$;

CREATE FUNCTION "normalizeUserName"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."firstName" := normalize(NEW."firstName", NFC);
  NEW."lastName" := normalize(NEW."lastName", NFC);
  RETURN NEW;
END
$$;

-- AlterTable
ALTER TABLE "Camera" ADD COLUMN "foldedName" TEXT COLLATE "C" NOT NULL DEFAULT '';

CREATE TRIGGER "Camera_name" BEFORE INSERT OR UPDATE OF "name" ON "Camera" FOR EACH ROW EXECUTE FUNCTION "foldCameraName"();
CREATE TRIGGER "Workspace_name" BEFORE INSERT OR UPDATE OF "name" ON "Workspace" FOR EACH ROW
  WHEN (NEW."name" IS NOT NFC NORMALIZED) EXECUTE FUNCTION "normalizeName"();
CREATE TRIGGER "Facility_name" BEFORE INSERT OR UPDATE OF "name" ON "Facility" FOR EACH ROW
  WHEN (NEW."name" IS NOT NFC NORMALIZED) EXECUTE FUNCTION "normalizeName"();
CREATE TRIGGER "ApiKey_name" BEFORE INSERT OR UPDATE OF "name" ON "ApiKey" FOR EACH ROW
  WHEN (NEW."name" IS NOT NFC NORMALIZED) EXECUTE FUNCTION "normalizeName"();
CREATE TRIGGER "User_names" BEFORE INSERT OR UPDATE OF "firstName", "lastName" ON "User" FOR EACH ROW
  WHEN (NEW."firstName" IS NOT NFC NORMALIZED OR NEW."lastName" IS NOT NFC NORMALIZED) EXECUTE FUNCTION "normalizeUserName"();
