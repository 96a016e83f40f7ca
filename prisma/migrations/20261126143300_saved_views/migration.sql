-- What users keep for themselves: until when they have seen what happened, and the views that they saved.

-- AlterTable
ALTER TABLE "User" ADD COLUMN     "seenAt" TIMESTAMPTZ(3);

ALTER TABLE "User" ADD CONSTRAINT "User_seenAt_check" CHECK (
  "seenAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
) NOT VALID;

-- CreateTable
CREATE TABLE "SavedView" (
    "id" UUID NOT NULL,
    "workspaceId" UUID NOT NULL,
    "userId" UUID NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "query" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "SavedView_pkey" PRIMARY KEY ("workspaceId","id"),
    CONSTRAINT "SavedView_shown_values_check" CHECK ("createdAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z')
);

-- CreateIndex
CREATE INDEX "SavedView_workspaceId_userId_createdAt_id_idx" ON "SavedView"("workspaceId", "userId", "createdAt", "id");

-- AddForeignKey
ALTER TABLE "SavedView" ADD CONSTRAINT "SavedView_workspaceId_userId_fkey" FOREIGN KEY ("workspaceId", "userId") REFERENCES "User"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;
