-- When a camera's picture was taken, and since when its status detail has been what it is. Of cameras from before, neither is known.

-- AlterTable
ALTER TABLE "Camera" ADD COLUMN     "pictureAt" TIMESTAMPTZ(3),
ADD COLUMN     "statusDetailChangedAt" TIMESTAMPTZ(3);

ALTER TABLE "Camera" ADD CONSTRAINT "Camera_picture_check" CHECK (
  "pictureAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
  AND "statusDetailChangedAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
) NOT VALID;
