-- SQL can store values that the API cannot show: times outside the years 1 to 9999, numbers that are infinite or none, lists with nulls or of
-- lists, and JSON of another type than the field's. Nothing writes them but scripts, and from now on no script does.
--
-- The constraints are not checked for rows that are there, which would take long and fail for good where there is such a value. Whoever wants to
-- know runs `ALTER TABLE "Alert" VALIDATE CONSTRAINT "Alert_shown_values_check"`, which blocks neither readers nor writers.

ALTER TABLE "Workspace" ADD CONSTRAINT "Workspace_shown_values_check" CHECK (
  "createdAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
) NOT VALID;

ALTER TABLE "User" ADD CONSTRAINT "User_shown_values_check" CHECK (
  "createdAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
  AND "updatedAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
  AND "lastLogin" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
  AND CASE WHEN array_ndims("roles") > 1 THEN false ELSE array_position("roles", NULL) IS NULL END
  AND jsonb_typeof("phoneNumber") IN ('object', 'null')
) NOT VALID;

ALTER TABLE "Facility" ADD CONSTRAINT "Facility_shown_values_check" CHECK (
  "latitude" > '-Infinity' AND "latitude" < 'Infinity'
  AND "longitude" > '-Infinity' AND "longitude" < 'Infinity'
  AND "lastHeartbeatAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
  AND "createdAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
  AND "updatedAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
  AND "offlineToldAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
) NOT VALID;

ALTER TABLE "FacilityAccess" ADD CONSTRAINT "FacilityAccess_shown_values_check" CHECK (
  CASE WHEN array_ndims("actions") > 1 THEN false ELSE array_position("actions", NULL) IS NULL END
) NOT VALID;

ALTER TABLE "ApiKey" ADD CONSTRAINT "ApiKey_shown_values_check" CHECK (
  CASE WHEN array_ndims("permissions") > 1 THEN false ELSE array_position("permissions", NULL) IS NULL END
  AND CASE WHEN array_ndims("facilityIds") > 1 THEN false ELSE array_position("facilityIds", NULL) IS NULL END
  AND "createdAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
  AND "expiresAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
  AND "lastUsedAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
  AND "revokedAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
) NOT VALID;

ALTER TABLE "Camera" ADD CONSTRAINT "Camera_shown_values_check" CHECK (
  "createdAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
  AND "updatedAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
  AND CASE WHEN array_ndims("dataCollectionObjects") > 1 THEN false ELSE array_position("dataCollectionObjects", NULL) IS NULL END
  AND jsonb_typeof("dataCollectionConfig") IN ('object', 'null')
  AND jsonb_typeof("customDataCollectionConfigs") = 'array'
  AND jsonb_typeof("imageDimensions") IN ('object', 'null')
  AND jsonb_typeof("advancedSettings") IN ('object', 'null')
  AND CASE WHEN array_ndims("emailAddresses") > 1 THEN false ELSE array_position("emailAddresses", NULL) IS NULL END
  AND "removedAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
) NOT VALID;

ALTER TABLE "StatusChange" ADD CONSTRAINT "StatusChange_shown_values_check" CHECK (
  "createdAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
) NOT VALID;

ALTER TABLE "StreamRequest" ADD CONSTRAINT "StreamRequest_shown_values_check" CHECK (
  "createdAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
  AND "expiresAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
  AND "supersededAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
  AND jsonb_typeof("metadata") IN ('object', 'null')
  AND "lastCallbackAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
  AND "deliveredAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
  AND "nextDeliveryAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
) NOT VALID;

ALTER TABLE "Calibration" ADD CONSTRAINT "Calibration_shown_values_check" CHECK (
  "pixelLength" > '-Infinity' AND "pixelLength" < 'Infinity'
  AND "width" > '-Infinity' AND "width" < 'Infinity'
  AND "height" > '-Infinity' AND "height" < 'Infinity'
  AND CASE WHEN array_ndims("homographyMatrix") > 1 THEN false ELSE array_position("homographyMatrix", NULL) IS NULL END AND NOT "homographyMatrix" && '{NaN,Infinity,-Infinity}'
  AND jsonb_typeof("points") = 'array'
  AND "updatedAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
) NOT VALID;

ALTER TABLE "AnalysisJob" ADD CONSTRAINT "AnalysisJob_shown_values_check" CHECK (
  "createdAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
  AND "updatedAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
  AND "startedAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
  AND "endedAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
) NOT VALID;

ALTER TABLE "AlertRule" ADD CONSTRAINT "AlertRule_shown_values_check" CHECK (
  CASE WHEN array_ndims("dayRange") > 1 THEN false ELSE array_position("dayRange", NULL) IS NULL END
  AND "timeRangeStart" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
  AND "timeRangeEnd" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
  AND CASE WHEN array_ndims("emails") > 1 THEN false ELSE array_position("emails", NULL) IS NULL END
  AND CASE WHEN array_ndims("phoneNumbers") > 1 THEN false ELSE array_position("phoneNumbers", NULL) IS NULL END
  AND jsonb_typeof("group") = 'object'
  AND "createdAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
  AND "updatedAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
) NOT VALID;

ALTER TABLE "AlertUpload" ADD CONSTRAINT "AlertUpload_shown_values_check" CHECK (
  "createdAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
  AND "dueAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
  AND jsonb_typeof("imageDimensions") IN ('object', 'null')
) NOT VALID;

ALTER TABLE "Alert" ADD CONSTRAINT "Alert_shown_values_check" CHECK (
  "createdAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
  AND "recordedAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
  AND jsonb_typeof("imageDimensions") IN ('object', 'null')
  AND jsonb_typeof("canvasDimensions") IN ('object', 'null')
  AND jsonb_typeof("violatingCoordinates") IN ('array', 'null')
  AND jsonb_typeof("area") IN ('array', 'null')
  AND CASE WHEN array_ndims("areaIds") > 1 THEN false ELSE array_position("areaIds", NULL) IS NULL END
  AND jsonb_typeof("info") IN ('object', 'null')
  AND "bookmarkChangedAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
  AND "falsePositiveChangedAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
  AND "acknowledgedAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
) NOT VALID;

ALTER TABLE "AlertComment" ADD CONSTRAINT "AlertComment_shown_values_check" CHECK (
  "createdAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
) NOT VALID;

ALTER TABLE "Delivery" ADD CONSTRAINT "Delivery_shown_values_check" CHECK (
  "queuedAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
  AND "createdAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
  AND "expiresAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
  AND "sentAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
) NOT VALID;

ALTER TABLE "DeliveryQueue" ADD CONSTRAINT "DeliveryQueue_shown_values_check" CHECK (
  "availableAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
) NOT VALID;

ALTER TABLE "DeliveryTarget" ADD CONSTRAINT "DeliveryTarget_shown_values_check" CHECK (
  "retryAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
) NOT VALID;

ALTER TABLE "ObjectRemoval" ADD CONSTRAINT "ObjectRemoval_shown_values_check" CHECK (
  "createdAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
  AND "claimedUntil" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
  AND "dueAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
) NOT VALID;

ALTER TABLE "AuditEntry" ADD CONSTRAINT "AuditEntry_shown_values_check" CHECK (
  jsonb_typeof("changes") IN ('object', 'null')
  AND "createdAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
  AND "actorKind" IN ('USER', 'API_KEY', 'FEED_SERVER')
) NOT VALID;
