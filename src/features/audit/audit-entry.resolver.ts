import { FieldResolver, Resolver, Root } from "type-graphql";
import { RequiresColumns } from "../../engine/reading/annotations.js";
import { JsonObject } from "../../platform/input/scalars.js";
import { textWithoutSecrets } from "../../platform/network/url-secrets.js";
import { isRecord } from "../../platform/record.js";
import type { AuditEntryRow } from "./audit-entry.loader.js";
import { AuditEntry } from "./audit-entry.type.js";

type NamedRow = AuditEntryRow & { targetName: string | null; cameraName: string | null };

@Resolver(() => AuditEntry)
export class AuditEntryResolver {
  @RequiresColumns("targetName")
  @FieldResolver(() => String, {
    nullable: true,
    description:
      "The name of the changed object, also of one that was deleted: the name that the change set or ended, or else the present or last one. Null for objects without a name, or if it is not known.",
  })
  targetName(@Root() { targetName }: NamedRow): string | null {
    return targetName;
  }

  @RequiresColumns("cameraName")
  @FieldResolver(() => String, {
    nullable: true,
    description: "The name of the camera of a changed rule, as far as it is known; null for other objects.",
  })
  cameraName(@Root() { cameraName }: NamedRow): string | null {
    return cameraName;
  }

  @RequiresColumns("changes", "targetType")
  @FieldResolver(() => JsonObject, {
    nullable: true,
    description:
      "The fields that changed, each with its values `from` and `to`; null if the action changes none. Passwords and secrets are masked.",
  })
  changes(@Root() { changes, targetType }: AuditEntryRow): object | null {
    return targetType === "Camera" ? withoutUrlSecrets(changes) : isRecord(changes) ? changes : null;
  }
}

/** The changes of a camera. They are stored without the secrets of URLs, but older entries may contain some. */
function withoutUrlSecrets(changes: unknown): object | null {
  return JSON.parse(JSON.stringify(changes), (_name, value) =>
    typeof value === "string" ? textWithoutSecrets(value) : value,
  );
}
