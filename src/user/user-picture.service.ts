import type { RequestContext } from "../access/request-context.js";
import { changedFields } from "../access/write.js";
import type { User } from "../generated/prisma/client.js";
import type { Upload } from "../platform/incoming-file.js";
import { scheduleRemoval } from "../storage/object-removal.js";
import { assertIsUser } from "./user.service.js";

/** The longer side of a user's picture, in pixels. */
const side = 512;

/** Changes the calling user's picture, and deletes the old one. */
export async function updateMyPicture(context: RequestContext, image: Upload): Promise<User> {
  assertIsUser(context.caller);
  const user = await context.services.pictures.store(image, ["users", { picture: { within: side } }], (stored) =>
    context.write(async (write) => {
      const before = await write.lock<User>("users", write.caller.id);
      await stored.keep(write.transaction);
      const picture = stored.pictures.picture.key;
      await scheduleRemoval(write.transaction, [before.picture], write.now);
      await write.audit({ action: "updateMyPicture", targetType: "User", targetId: before.id, changes: changedFields(before, { picture }) });
      return write.transaction.user.update({ where: { id: before.id }, data: { picture, updatedAt: write.now } });
    }),
  );
  context.services.wakeWorkers();
  return user;
}
