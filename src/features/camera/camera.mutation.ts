import { Ctx, Field, FieldResolver, Mutation, ObjectType, Resolver, Root } from "type-graphql";
import { assertCan } from "../../engine/access/permissions.js";
import { assertCanRun, strictRemark } from "../../engine/access/strict-permissions.js";
import { assertExpectedVersion } from "../../engine/operation/expected-version.js";
import type { RequestContext } from "../../engine/operation/request-context.js";
import { changedFields, type WriteAccess } from "../../engine/operation/write.js";
import { RequiresColumns } from "../../engine/reading/annotations.js";
import { columnsOnly } from "../../engine/reading/selection/selection.js";
import type { Prisma, Camera as StoredCamera } from "../../generated/prisma/client.js";
import { badRequest, notFound, orNotFound } from "../../platform/errors/errors.js";
import { IdArg, InputArg } from "../../platform/input/input-type.js";
import { Uuid } from "../../platform/input/scalars.js";
import { keepSecrets, withoutSecrets } from "../../platform/network/url-secrets.js";
import { later } from "../../platform/time.js";
import { contactColumns } from "../facility/contact.js";
import { CreateCameraInput, StatusDetailInput, UpdateCameraInput } from "./camera.input.js";
import { cameraById } from "./camera.loader.js";
import { Camera } from "./camera.type.js";
import { isOpenedByGateway } from "./camera-feed.js";
import { assertRoomForCamera } from "./camera-limit.js";
import { restorableForDays, restorableForMs } from "./restoring.js";
import { type RequestedStream, requestStream } from "./stream/stream-request.service.js";
import { requestIdDescription, StreamProbePayload } from "./stream/stream-request.type.js";

@ObjectType({
  description: "The camera that was added, and the request to open its stream.",
  simpleResolvers: true,
})
class CreateCameraPayload extends StreamProbePayload {
  @Field(() => Camera, { description: "The new camera." })
  camera!: Camera;
}

@Resolver(() => CreateCameraPayload)
export class CreateCameraPayloadResolver {
  @RequiresColumns()
  @FieldResolver(() => Uuid, { description: requestIdDescription })
  requestId(@Root() { streamRequest }: RequestedStream): string {
    return streamRequest.requestId;
  }
}

@Resolver()
export class CameraMutations {
  @Mutation(() => CreateCameraPayload, {
    description: `Adds a camera with a stream URL to a facility that is visible to the caller, and requests its stream. ${strictRemark("createCamera")}`,
  })
  createCamera(
    @Ctx() context: RequestContext,
    @IdArg("the facility", "facilityId") facilityId: string,
    @InputArg(CreateCameraInput, "The new camera.") input: CreateCameraInput,
  ) {
    return context.write(async (write) => {
      const facility = await write.lock("Facility", facilityId);
      const { settings } = context.services;
      assertCanRun(write.caller, "createCamera", facilityId, settings);
      await assertRoomForCamera(write, facility.workspaceId, settings.maxCameras);
      if (keepSecrets(input.url, "") === undefined) throw hasNoSecret();
      const { workspaceId } = facility;
      const times = { createdAt: write.now, updatedAt: write.now };
      const { contacts, ...columns } = input;
      const data = { ...columns, ...contactColumns(contacts), workspaceId, facilityId, ...times };
      const camera = await write.transaction.camera.create({ data });
      write.auditChange("Camera", camera, changedFields<object>({}, masked({ ...input })));
      return { camera, streamRequest: await requestStream(context, write, camera) };
    });
  }

  @Mutation(() => Camera, {
    description:
      "Updates a camera. A changed URL creates a new stream request. Requires cameras:write at its facility.",
  })
  updateCamera(
    @Ctx() context: RequestContext,
    @IdArg("the camera") id: string,
    @InputArg(UpdateCameraInput, "The fields to change.") input: UpdateCameraInput,
  ) {
    return updateCamera(context, id, input);
  }

  @Mutation(() => Camera, {
    description: `Deletes a camera with its rules and alerts, and returns the camera as it was, but without rules and alerts. The camera disappears from every view immediately. Its alerts are purged at once, the rest after ${restorableForDays} days: until then, \`restoreCamera\` brings it back. Requires cameras:write at its facility.`,
  })
  async deleteCamera(@Ctx() context: RequestContext, @IdArg("the camera") id: string) {
    // Nobody can read it afterwards.
    const before = await cameraById(context, columnsOnly(["id", "state"])).load(id);
    return context.write(async (write) => {
      const camera = await write.lock("Camera", id);
      assertCan(write.caller, "cameras:write", camera.facilityId);
      await write.transaction.camera.update({ where: write.key(id), data: { removedAt: write.now } });
      write.emit({ topic: "workQueued" });
      write.auditChange("Camera", camera, changedFields<object>({ name: camera.name }, { name: null }));
      return { ...camera, ...before, alertRuleIds: [], openAlertCount: 0 };
    });
  }

  @Mutation(() => Camera, {
    description: `Restores a camera that was deleted in the last ${restorableForDays} days, with its rules, and requests its stream. Of its alerts, those come back that were not yet purged. NOT_FOUND if its facility was deleted, CONFLICT if the workspace has as many cameras as it may have. Requires cameras:write at its facility.`,
  })
  restoreCamera(@Ctx() context: RequestContext, @IdArg("the camera") id: string) {
    return restoreCamera(context, id);
  }

  @Mutation(() => Camera, {
    description:
      "Sets a camera's status detail and adds it to the camera's status history. Requires cameras:write at its facility.",
  })
  setCameraStatusDetail(
    @Ctx() context: RequestContext,
    @IdArg("the camera") id: string,
    @InputArg(StatusDetailInput, "The status detail, and who reports it.")
    input: StatusDetailInput,
  ) {
    return setStatusDetail(context, id, input);
  }
}

/** Updates a camera. Another URL requests the stream again, and so does a type of stream that the gateway opens itself. */
export function updateCamera(context: RequestContext, id: string, input: UpdateCameraInput) {
  const update = async (write: WriteAccess) => {
    const before = await write.lock("Camera", id);
    assertCan(write.caller, "cameras:write", before.facilityId);
    assertExpectedVersion(before, input);
    const after = updatedColumns(before, input);
    const isUrlChanged = after.url !== undefined && after.url !== before.url;
    const changes = auditedChanges(before, after, isUrlChanged);
    const camera = await write.update("Camera", before, after, { changes });
    const isOpenedNow =
      context.services.settings.hasBuiltinFeed && !isOpenedByGateway(before) && isOpenedByGateway(camera);
    if (isUrlChanged || isOpenedNow) await requestStream(context, write, camera);
    return camera;
  };
  return context.write(update, { action: "updateCamera" });
}

function restoreCamera(context: RequestContext, id: string): Promise<StoredCamera> {
  return context.write(async (write) => {
    const where = { workspaceId: write.caller.workspaceId, id, removedAt: { not: null } };
    const { facilityId } = orNotFound(await write.transaction.camera.findFirst({ where }));
    await write.lock("Facility", facilityId);
    assertCan(write.caller, "cameras:write", facilityId);
    await assertRoomForCamera(write, where.workspaceId, context.services.settings.maxCameras);
    const removedAt = { gt: later(write.now, -restorableForMs) };
    const { count } = await write.transaction.camera.updateMany({
      where: { ...where, removedAt },
      data: { removedAt: null, keptUntil: null, updatedAt: write.now },
    });
    if (count === 0) throw notFound();
    const camera = await write.lock("Camera", id);
    write.auditChange("Camera", camera, changedFields<object>({ name: null }, { name: camera.name }));
    if (camera.url !== null) await requestStream(context, write, camera);
    return camera;
  });
}

const hasNoSecret = () =>
  badRequest([
    {
      path: "input.url",
      message: "has *** in a place where the stored URL has no secret: in a password, write **%2A",
    },
  ]);

function updatedColumns(before: StoredCamera, input: UpdateCameraInput) {
  const { url: sent, imageDimensions, contacts, expectedUpdatedAt: _expected, ...others } = input;
  const url = sent === undefined ? undefined : keepSecrets(sent, before.url ?? "");
  if (sent !== undefined && url === undefined) throw hasNoSecret();
  return {
    ...others,
    ...contactColumns(contacts),
    ...(imageDimensions && { imageDimensions: { ...imageDimensions } }),
    ...(url !== undefined && { url }),
  };
}

/** The audit log's record of an update. It masks secrets, but still shows that the URL changed if only a secret did. */
function auditedChanges(
  before: StoredCamera,
  after: { url?: string },
  isUrlChanged: boolean,
): Prisma.InputJsonObject {
  const changes = changedFields<object>(masked(before), masked(after));
  if (!isUrlChanged || "url" in changes) return changes;
  return { ...changes, url: { from: withoutSecrets(before.url ?? ""), to: withoutSecrets(after.url ?? "") } };
}

function masked<Row extends { url?: string | null }>(row: Row): Row {
  return row.url ? { ...row, url: withoutSecrets(row.url) } : row;
}

/** Sets the status detail of a camera, and adds it to the history. Requires cameras:write. */
export function setStatusDetail(
  context: RequestContext,
  id: string,
  { statusDetail, source }: StatusDetailInput,
) {
  return context.write(
    async (write) => {
      const before = await write.lock("Camera", id);
      assertCan(write.caller, "cameras:write", before.facilityId);
      const isChanged = statusDetail !== before.statusDetail;
      const changed = isChanged ? { statusDetailChangedAt: write.now } : {};
      const data = { statusDetail, ...changed, updatedAt: write.now };
      const camera = await write.transaction.camera.update({ where: write.key(id), data });
      await write.transaction.statusChange.create({
        data: { workspaceId: before.workspaceId, cameraId: id, statusDetail, source, createdAt: write.now },
      });
      const { facilityId } = before;
      if (isChanged) {
        const subject = { before, after: camera };
        write.emit({ topic: "cameraStatusChanged", facilityId, cameraId: id, ids: [id], subject });
      }
      const changes = {
        ...changedFields(before, { statusDetail }),
        ...changedFields<object>({}, { source }),
      };
      write.auditChange("Camera", camera, changes);
      return camera;
    },
    { action: "setCameraStatusDetail", keepsAccess: true },
  );
}
