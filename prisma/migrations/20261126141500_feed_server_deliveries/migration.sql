-- The outbox of notifications also posts stream requests to the feed server.
--
-- The constraints are not checked for rows that are there, all of which meet them: the ones that they replace allowed less, and the new column
-- is null.

-- AlterTable
ALTER TABLE "Delivery" ADD COLUMN     "streamRequestId" UUID;
ALTER TABLE "Delivery" DROP CONSTRAINT "Delivery_kind_check";
ALTER TABLE "Delivery" DROP CONSTRAINT "Delivery_channel_check";
ALTER TABLE "Delivery" ADD CONSTRAINT "Delivery_kind_check" CHECK (
  "kind" IN ('ALERT', 'TEST', 'CAMERA_LOST', 'CAMERA_RECOVERED', 'FACILITY_OFFLINE', 'FACILITY_BACK', 'STREAM_REQUEST')
  AND ("kind" = 'STREAM_REQUEST') = ("streamRequestId" IS NOT NULL)
) NOT VALID;
ALTER TABLE "Delivery" ADD CONSTRAINT "Delivery_channel_check" CHECK (
  "channel" IN ('WEBHOOK', 'EMAIL', 'SMS', 'FEED_SERVER') AND ("channel" = 'FEED_SERVER') = ("streamRequestId" IS NOT NULL)
) NOT VALID;

-- AddForeignKey
ALTER TABLE "Delivery" ADD CONSTRAINT "Delivery_workspaceId_streamRequestId_fkey" FOREIGN KEY ("workspaceId", "streamRequestId")
  REFERENCES "StreamRequest"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION NOT VALID;
