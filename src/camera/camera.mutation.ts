import { Arg, Ctx, Mutation, Resolver } from "type-graphql";
import { z } from "zod";
import type { RequestContext } from "../access/request-context.js";
import { ArgumentRules } from "../platform/argument-rules.js";
import { Uuid } from "../platform/scalars.js";
import { StatusDetailInput, statusDetailInput } from "./camera.input.js";
import type { CameraRow } from "./camera.loader.js";
import { Camera } from "./camera.type.js";
import { deleteCamera, setStatusDetail } from "./camera-write.service.js";

@Resolver()
export class CameraMutations {
  @Mutation(() => Camera, {
    description: "Deletes a camera with its rules and alerts, and answers it as it was. It is gone from every view at once. Needs cameras:write.",
  })
  deleteCamera(@Ctx() context: RequestContext, @Arg("id", () => Uuid) id: string): Promise<CameraRow> {
    return deleteCamera(context, id);
  }

  @ArgumentRules(z.object({ input: statusDetailInput }))
  @Mutation(() => Camera, { description: "Sets a camera's status detail; change, source and time stay in its history. Needs cameras:write." })
  setCameraStatusDetail(
    @Ctx() context: RequestContext,
    @Arg("id", () => Uuid) id: string,
    @Arg("input", () => StatusDetailInput) input: StatusDetailInput,
  ): Promise<CameraRow> {
    return setStatusDetail(context, id, input);
  }
}
