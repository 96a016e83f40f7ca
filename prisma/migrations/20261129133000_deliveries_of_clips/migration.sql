-- Webhooks are told of clips. An earlier version that runs beside this one sends the alert itself again.
ALTER TABLE "Delivery" DROP CONSTRAINT "Delivery_kind_check";
ALTER TABLE "Delivery" ADD CONSTRAINT "Delivery_kind_check" CHECK (
  "kind" IN (
    'ALERT', 'CLIP', 'TEST', 'CAMERA_LOST', 'CAMERA_RECOVERED', 'FACILITY_OFFLINE', 'FACILITY_BACK', 'STREAM_REQUEST',
    'INVITATION', 'SIGN_IN_LINK', 'DIGEST'
  )
  AND ("kind" = 'STREAM_REQUEST') = ("streamRequestId" IS NOT NULL)
  AND ("kind" IN ('INVITATION', 'SIGN_IN_LINK', 'DIGEST')) = ("facilityId" IS NULL)
) NOT VALID;
