-- Authors may edit their comments.

-- AlterTable
ALTER TABLE "AlertComment" ADD COLUMN     "editedAt" TIMESTAMPTZ(3);

ALTER TABLE "AlertComment" ADD CONSTRAINT "AlertComment_editedAt_check" CHECK (
  "editedAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
) NOT VALID;
