-- AlterTable
ALTER TABLE "Alert" ADD COLUMN     "bookmarkChangedAt" TIMESTAMPTZ(3),
ADD COLUMN     "bookmarkChangedById" UUID,
ADD COLUMN     "falsePositiveChangedAt" TIMESTAMPTZ(3),
ADD COLUMN     "falsePositiveChangedById" UUID;

-- CreateTable
CREATE TABLE "ObjectRemoval" (
    "id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "ObjectRemoval_pkey" PRIMARY KEY ("id")
);
