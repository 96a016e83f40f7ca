-- The programs that bring what other products see into the gateway.

-- CreateTable
CREATE TABLE "Connector" (
    "id" UUID NOT NULL,
    "workspaceId" UUID NOT NULL,
    "apiKeyId" UUID NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "kind" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "firstReportedAt" TIMESTAMPTZ(3) NOT NULL,
    "lastReportedAt" TIMESTAMPTZ(3) NOT NULL,
    "unmapped" JSONB NOT NULL,

    CONSTRAINT "Connector_pkey" PRIMARY KEY ("workspaceId","id"),
    CONSTRAINT "Connector_kind_check" CHECK ("kind" IN ('FRIGATE', 'MQTT', 'OTHER')),
    CONSTRAINT "Connector_shown_values_check" CHECK (
      "firstReportedAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
      AND "lastReportedAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
      AND jsonb_typeof("unmapped") = 'array'
    )
);

-- CreateIndex
CREATE UNIQUE INDEX "Connector_workspaceId_apiKeyId_name_key" ON "Connector"("workspaceId", "apiKeyId", "name");

-- AddForeignKey
ALTER TABLE "Connector" ADD CONSTRAINT "Connector_workspaceId_apiKeyId_fkey" FOREIGN KEY ("workspaceId", "apiKeyId") REFERENCES "ApiKey"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;
