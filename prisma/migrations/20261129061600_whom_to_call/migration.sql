-- Whom to call about facilities and cameras, and what there is to know about a camera.

-- AlterTable
ALTER TABLE "Camera" ADD COLUMN     "contacts" JSONB NOT NULL DEFAULT '[]',
ADD COLUMN     "note" TEXT;

-- AlterTable
ALTER TABLE "Facility" ADD COLUMN     "contacts" JSONB NOT NULL DEFAULT '[]';

ALTER TABLE "Camera" ADD CONSTRAINT "Camera_contacts_shown_values_check" CHECK (jsonb_typeof("contacts") = 'array') NOT VALID;
ALTER TABLE "Facility" ADD CONSTRAINT "Facility_contacts_shown_values_check" CHECK (jsonb_typeof("contacts") = 'array') NOT VALID;
