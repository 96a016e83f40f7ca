import type { WriteAccess } from "../../engine/operation/write.js";

/** Ends all sessions of a user, and closes their sockets. */
export async function endSessions(write: WriteAccess, userId: string): Promise<void> {
  const { workspaceId } = write.caller;
  await write.transaction.session.deleteMany({ where: { workspaceId, userId } });
  write.emit({ topic: "accessChanged", ids: [userId] });
}
