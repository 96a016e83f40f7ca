-- People ask for sign-in links by mail where no identity provider is configured.

-- CreateTable
CREATE TABLE "SignInLinkRequest" (
    "id" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "requestedAt" TIMESTAMPTZ(3) NOT NULL,
    "answeredAt" TIMESTAMPTZ(3),

    CONSTRAINT "SignInLinkRequest_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "SignInLinkRequest_shown_values_check" CHECK ("requestedAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z' AND "answeredAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z')
);

-- CreateIndex
CREATE INDEX "SignInLinkRequest_email_idx" ON "SignInLinkRequest"("email");

-- CreateIndex
CREATE INDEX "SignInLinkRequest_answeredAt_id_idx" ON "SignInLinkRequest"("answeredAt", "id");
