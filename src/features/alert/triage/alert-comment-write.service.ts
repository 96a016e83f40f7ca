import { assertCan } from "../../../engine/access/permissions.js";
import type { RequestContext } from "../../../engine/operation/request-context.js";
import { changedFields, type WriteAccess } from "../../../engine/operation/write.js";
import type { AlertComment, User } from "../../../generated/prisma/client.js";
import { orNotFound, ServiceError } from "../../../platform/errors/errors.js";
import { assertIsUser, fullNameOf } from "../../user/user.service.js";
import { emitChange, lockAlerts } from "./alert-write.service.js";

/** The maximum number of comments on an alert. They are deleted together with it. */
export const maxComments = 500;

/** Adds a comment to an alert in the calling user's name. Requires alerts:write at the alert's facility. */
export function commentAlert(context: RequestContext, alertId: string, text: string): Promise<AlertComment> {
  return context.write(async (write) => {
    const { transaction, caller, now } = write;
    const alert = orNotFound((await lockAlerts(write, [alertId], "alerts:write"))[0]);
    assertIsUser(caller);
    await assertTakesComment(write, alertId);
    const author = orNotFound(await write.visible.findById<User>("users", caller.id));
    const { facilityId, cameraId } = alert;
    const keys = { workspaceId: caller.workspaceId, facilityId, cameraId, alertId };
    const comment = await transaction.alertComment.create({
      data: { ...keys, authorId: caller.id, authorName: fullNameOf(author), text, createdAt: now },
    });
    write.auditChange("AlertComment", comment, changedFields<object>({}, { alertId, text }));
    emitCommented(write, comment);
    return comment;
  });
}

async function assertTakesComment(
  { transaction, caller: { workspaceId } }: WriteAccess,
  alertId: string,
): Promise<void> {
  const comments = await transaction.alertComment.count({ where: { workspaceId, alertId } });
  if (comments >= maxComments)
    throw new ServiceError("CONFLICT", `The alert has ${comments} comments: no more can be added`);
}

/**
 * Changes the text of a comment that the calling user wrote. Requires alerts:write at the facility of its
 * alert.
 */
export function editAlertComment(context: RequestContext, id: string, text: string): Promise<AlertComment> {
  return context.write(async (write) => {
    const before = await lockComment(write, id);
    if (before.authorId !== write.caller.id)
      throw new ServiceError("FORBIDDEN", "Only the author can change the text of a comment");
    const editedAt = write.now;
    const comment = await write.update("AlertComment", before, { text }, { unrecorded: { editedAt } });
    if (comment !== before) emitCommented(write, comment);
    return comment;
  });
}

/** Deletes a comment. Requires alerts:write at its facility and, unless the calling user wrote it, alerts:delete. */
export function deleteAlertComment(context: RequestContext, id: string): Promise<AlertComment> {
  return context.write(async (write) => {
    const { transaction, caller } = write;
    const comment = await lockComment(write, id);
    const { facilityId, alertId, authorId, text } = comment;
    if (authorId !== caller.id) assertCan(caller, "alerts:delete", facilityId);
    await transaction.alertComment.delete({ where: write.key(id) });
    const changes = changedFields<object>({ alertId, text }, { alertId: null, text: null });
    write.auditChange("AlertComment", comment, changes);
    emitCommented(write, comment);
    return comment;
  });
}

/** Locks a comment, not its alert: a transaction that deletes the alert holds that lock, and waits for the comment. */
async function lockComment(write: WriteAccess, id: string): Promise<AlertComment> {
  const comment = await write.lock("AlertComment", id);
  assertCan(write.caller, "alerts:write", comment.facilityId);
  assertIsUser(write.caller);
  return comment;
}

function emitCommented(write: WriteAccess, { alertId, facilityId, cameraId }: AlertComment): void {
  emitChange(write, "COMMENTED", [{ id: alertId, facilityId, cameraId }]);
}
