import type { User } from "../generated/prisma/client.js";
import type { RequestContext } from "../operation/request-context.js";
import { changedFields } from "../operation/write.js";
import type { Upload } from "../platform/incoming-file.js";
import { scheduleRemoval } from "../storage/object-removal.js";
import { assertIsUser } from "./user.service.js";

/** The length of the longer side of a user's picture, in pixels. */
const maxSide = 512;

/** Replaces the calling user's picture and deletes the previous one. */
export async function updateMyPicture(context: RequestContext, image: Upload): Promise<User> {
  assertIsUser(context.caller);
  const user = await context.services.pictures.store(
    context,
    image,
    ["users", { picture: { maxSide } }],
    (stored) =>
      context.write(async (write) => {
        const before = await write.lock<User>("users", write.caller.id);
        await stored.keep(write.transaction);
        const picture = stored.pictures.picture.key;
        await scheduleRemoval(write.transaction, before.workspaceId, [before.picture], write.now);
        write.audit({
          action: "updateMyPicture",
          targetType: "User",
          targetId: before.id,
          changes: changedFields(before, { picture }),
        });
        return write.transaction.user.update({
          where: write.key(before.id),
          data: { picture, updatedAt: write.now },
        });
      }),
  );
  context.services.wakeWorkers();
  return user;
}
