-- People sign in by links where no identity provider is configured.

-- CreateTable
CREATE TABLE "Session" (
    "id" UUID NOT NULL,
    "workspaceId" UUID NOT NULL,
    "userId" UUID NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,
    "expiresAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Session_pkey" PRIMARY KEY ("workspaceId","id"),
    CONSTRAINT "Session_shown_values_check" CHECK ("createdAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z' AND "expiresAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z')
);

-- CreateTable
CREATE TABLE "UsedSignInCode" (
    "workspaceId" UUID NOT NULL,
    "codeHash" BYTEA NOT NULL,
    "expiresAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "UsedSignInCode_pkey" PRIMARY KEY ("workspaceId","codeHash"),
    CONSTRAINT "UsedSignInCode_shown_values_check" CHECK ("expiresAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z')
);

-- CreateTable
CREATE TABLE "EmailLookup" (
    "email" TEXT NOT NULL,
    "workspaceId" UUID NOT NULL,
    "userId" UUID NOT NULL,

    CONSTRAINT "EmailLookup_pkey" PRIMARY KEY ("email","workspaceId","userId")
);

-- CreateIndex
CREATE INDEX "Session_workspaceId_userId_idx" ON "Session"("workspaceId", "userId");

-- CreateIndex
CREATE INDEX "Session_workspaceId_expiresAt_idx" ON "Session"("workspaceId", "expiresAt");

-- CreateIndex
CREATE INDEX "UsedSignInCode_workspaceId_expiresAt_idx" ON "UsedSignInCode"("workspaceId", "expiresAt");

-- AddForeignKey
ALTER TABLE "Session" ADD CONSTRAINT "Session_workspaceId_userId_fkey" FOREIGN KEY ("workspaceId", "userId") REFERENCES "User"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

INSERT INTO "EmailLookup" SELECT lower("email"), "workspaceId", "id" FROM "User";
