import { Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import type { CameraRow } from "../camera/camera.loader.js";
import { Camera } from "../camera/camera.type.js";
import type { RequestContext } from "../operation/request-context.js";
import { DateTimeIso } from "../platform/scalars.js";
import { RequiresColumns, ReturnsLoaded } from "../reading/annotations.js";
import { Selected } from "../reading/selected-fields.js";
import type { Selection } from "../reading/selection.js";
import type { UserRow } from "../user/user.loader.js";
import { actingUser } from "../user/user.service.js";
import { User } from "../user/user.type.js";
import type { AlertRuleRow } from "./alert-rule.loader.js";
import { AlertRule } from "./alert-rule.type.js";
import { endOfSnooze, type ReadSnooze, startOfSnooze } from "./snooze.service.js";

const from = (what: string) =>
  `From when on nobody is notified of the ${what}'s alerts: when it was snoozed. What happened before is told, even if it arrives later. Null unless it is snoozed.`;

const until = (what: string, mutation: string) =>
  `Until when nobody is notified of the ${what}'s alerts, as \`${mutation}\` says; null unless it is snoozed.`;

const by = (what: string) =>
  `The user who snoozed the ${what}, or last changed until when; null unless it is snoozed. Also null for an API key, for a user who has been removed, and for a user whom \`Query.node\` would not return to the caller.`;

@Resolver(() => Camera)
export class CameraSnoozeResolver {
  @RequiresColumns("snoozedAt", "snoozedUntil")
  @FieldResolver(() => DateTimeIso, { nullable: true, description: from("camera") })
  snoozedFrom(@Ctx() { services }: RequestContext, @Root() camera: CameraRow): Date | null {
    return startOfSnooze(camera, services.now());
  }

  @RequiresColumns("snoozedUntil")
  @FieldResolver(() => DateTimeIso, { nullable: true, description: until("camera", "snoozeCamera") })
  snoozedUntil(@Ctx() { services }: RequestContext, @Root() camera: CameraRow): Date | null {
    return endOfSnooze(camera, services.now());
  }

  @ReturnsLoaded()
  @RequiresColumns("snoozedUntil", "snoozedById")
  @FieldResolver(() => User, { nullable: true, description: by("camera") })
  snoozedBy(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Root() camera: CameraRow,
  ): Promise<UserRow | null> {
    return snoozingUser(context, selection, camera);
  }
}

@Resolver(() => AlertRule)
export class AlertRuleSnoozeResolver {
  @RequiresColumns("snoozedAt", "snoozedUntil")
  @FieldResolver(() => DateTimeIso, { nullable: true, description: from("rule") })
  snoozedFrom(@Ctx() { services }: RequestContext, @Root() rule: AlertRuleRow): Date | null {
    return startOfSnooze(rule, services.now());
  }

  @RequiresColumns("snoozedUntil")
  @FieldResolver(() => DateTimeIso, { nullable: true, description: until("rule", "snoozeAlertRule") })
  snoozedUntil(@Ctx() { services }: RequestContext, @Root() rule: AlertRuleRow): Date | null {
    return endOfSnooze(rule, services.now());
  }

  @ReturnsLoaded()
  @RequiresColumns("snoozedUntil", "snoozedById")
  @FieldResolver(() => User, { nullable: true, description: by("rule") })
  snoozedBy(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Root() rule: AlertRuleRow,
  ): Promise<UserRow | null> {
    return snoozingUser(context, selection, rule);
  }
}

function snoozingUser(
  context: RequestContext,
  selection: Selection,
  snoozed: ReadSnooze,
): Promise<UserRow | null> {
  const isSnoozed = endOfSnooze(snoozed, context.services.now()) !== null;
  return actingUser(context, selection, isSnoozed ? snoozed.snoozedById : null);
}
