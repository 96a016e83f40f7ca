import type { WriteAccess } from "../../engine/operation/write.js";

export async function endSessions(write: WriteAccess, userId: string): Promise<void> {
  const { workspaceId } = write.caller;
  await write.transaction.session.deleteMany({ where: { workspaceId, userId } });
  write.emit({ topic: "accessChanged", ids: [userId] });
}
