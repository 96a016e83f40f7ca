-- The outbox also sends mails to single people, who are users or invited. These are about no facility.
--
-- Release 0.2 shows deliveries of a workspace that are about no facility to all who see each facility, but none about cameras that are
-- gone. So the camera of such a mail is its own id, which is no camera's.
--
-- The constraints are not checked for rows that are there, all of which meet them: the one that is replaced allowed less, and the new
-- columns are null.

-- AlterTable
ALTER TABLE "Delivery" ADD COLUMN     "invitationId" UUID,
ADD COLUMN     "userId" UUID,
ALTER COLUMN "facilityId" DROP NOT NULL;
ALTER TABLE "Delivery" DROP CONSTRAINT "Delivery_kind_check";
ALTER TABLE "Delivery" ADD CONSTRAINT "Delivery_kind_check" CHECK (
  "kind" IN (
    'ALERT', 'TEST', 'CAMERA_LOST', 'CAMERA_RECOVERED', 'FACILITY_OFFLINE', 'FACILITY_BACK', 'STREAM_REQUEST', 'INVITATION', 'SIGN_IN_LINK',
    'DIGEST'
  )
  AND ("kind" = 'STREAM_REQUEST') = ("streamRequestId" IS NOT NULL)
  AND ("kind" IN ('INVITATION', 'SIGN_IN_LINK', 'DIGEST')) = ("facilityId" IS NULL)
) NOT VALID;
ALTER TABLE "Delivery" ADD CONSTRAINT "Delivery_person_check" CHECK (
  CASE WHEN "facilityId" IS NULL
    THEN "channel" = 'EMAIL' AND "cameraId" IS NOT NULL AND "cameraId" = "id" AND ("userId" IS NULL) <> ("invitationId" IS NULL)
    ELSE "userId" IS NULL AND "invitationId" IS NULL
  END
) NOT VALID;

-- AlterTable
ALTER TABLE "Invitation" ADD COLUMN     "mailId" UUID;

-- CreateIndex
CREATE INDEX "Invitation_workspaceId_mailId_idx" ON "Invitation"("workspaceId", "mailId") WHERE "mailId" IS NOT NULL;
