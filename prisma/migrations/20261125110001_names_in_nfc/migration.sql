-- Names that were written before are as triggers now write them. On a cluster, only the end of the migration before has given all nodes the functions.
UPDATE "Camera" SET "name" = "name";
UPDATE "Workspace" SET "name" = "name" WHERE "name" IS NOT NFC NORMALIZED;
UPDATE "Facility" SET "name" = "name" WHERE "name" IS NOT NFC NORMALIZED;
UPDATE "ApiKey" SET "name" = "name" WHERE "name" IS NOT NFC NORMALIZED;
UPDATE "User" SET "firstName" = "firstName" WHERE "firstName" IS NOT NFC NORMALIZED OR "lastName" IS NOT NFC NORMALIZED;
