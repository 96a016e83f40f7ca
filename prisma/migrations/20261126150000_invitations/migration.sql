-- Administrators invite users, who get their permissions by accepting.

-- CreateTable
CREATE TABLE "Invitation" (
    "id" UUID NOT NULL,
    "workspaceId" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "foldedEmail" TEXT NOT NULL,
    "firstName" TEXT,
    "lastName" TEXT,
    "roles" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
    "accesses" JSONB NOT NULL DEFAULT '[]',
    "invitedById" UUID,
    "invitedByKind" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,
    "expiresAt" TIMESTAMPTZ(3) NOT NULL,
    "acceptedAt" TIMESTAMPTZ(3),
    "acceptedById" UUID,
    "revokedAt" TIMESTAMPTZ(3),

    CONSTRAINT "Invitation_pkey" PRIMARY KEY ("workspaceId","id"),
    CONSTRAINT "Invitation_invitedByKind_check" CHECK (
      "invitedByKind" IN ('USER', 'API_KEY') AND "invitedById" IS NOT NULL OR "invitedByKind" IS NULL AND "invitedById" IS NULL
    ),
    CONSTRAINT "Invitation_shown_values_check" CHECK (
      CASE WHEN array_ndims("roles") > 1 THEN false ELSE array_position("roles", NULL) IS NULL END
      AND jsonb_typeof("accesses") = 'array'
      AND "createdAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
      AND "expiresAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
      AND "acceptedAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
      AND "revokedAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
    )
);

-- CreateTable
CREATE TABLE "InvitationLookup" (
    "id" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "workspaceId" UUID NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "InvitationLookup_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "InvitationLookup_shown_values_check" CHECK ("createdAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z')
);

-- CreateIndex
CREATE INDEX "Invitation_workspaceId_createdAt_id_idx" ON "Invitation"("workspaceId", "createdAt" DESC, "id" DESC);

-- An address is invited once at a time.

-- CreateIndex
CREATE UNIQUE INDEX "Invitation_open_key" ON "Invitation"("workspaceId", "foldedEmail") WHERE "acceptedAt" IS NULL AND "revokedAt" IS NULL;

-- CreateIndex
CREATE INDEX "InvitationLookup_email_idx" ON "InvitationLookup"("email");

-- AddForeignKey
ALTER TABLE "Invitation" ADD CONSTRAINT "Invitation_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;
