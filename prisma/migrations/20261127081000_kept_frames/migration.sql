-- Frames of detections that are kept for a day, with KEEP_DETECTIONS=on.

-- CreateTable
CREATE TABLE "KeptFrame" (
    "workspaceId" UUID NOT NULL,
    "cameraId" UUID NOT NULL,
    "number" BIGINT NOT NULL,
    "id" UUID NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,
    "width" INTEGER NOT NULL,
    "height" INTEGER NOT NULL,
    "objects" JSONB NOT NULL,

    CONSTRAINT "KeptFrame_pkey" PRIMARY KEY ("workspaceId","cameraId","number"),
    CONSTRAINT "KeptFrame_shown_values_check" CHECK (
      "createdAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
      AND jsonb_typeof("objects") = 'array'
    )
);

-- AddForeignKey
ALTER TABLE "KeptFrame" ADD CONSTRAINT "KeptFrame_workspaceId_cameraId_fkey" FOREIGN KEY ("workspaceId", "cameraId") REFERENCES "Camera"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;
