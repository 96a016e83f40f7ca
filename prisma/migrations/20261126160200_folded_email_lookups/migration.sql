-- Addresses are compared in lower case by the rules of ASCII. The rules of the database made "ı" of "I" in a Turkish one.

DELETE FROM "EmailLookup" WHERE "email" COLLATE "C" ~ '[^ -~]';
INSERT INTO "EmailLookup" SELECT lower("email" COLLATE "C"), "workspaceId", "id" FROM "User" ON CONFLICT DO NOTHING;
