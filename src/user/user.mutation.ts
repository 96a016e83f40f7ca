import { Arg, Args, ArgsType, Ctx, Field, Mutation, Resolver } from "type-graphql";
import { z } from "zod";
import type { RequestContext } from "../access/request-context.js";
import { ArgumentRules } from "../platform/argument-rules.js";
import { type Upload, UploadScalar } from "../platform/incoming-file.js";
import { Uuid } from "../platform/scalars.js";
import { FacilityAccess } from "./facility-access.type.js";
import {
  accessInput,
  CreateUserInput,
  createUserInput,
  PhoneNumberInput,
  phoneNumberInput,
  rolesArguments,
  UpdateMeInput,
  updateMeInput,
} from "./user.input.js";
import type { FacilityAccessRow, UserRow } from "./user.service.js";
import { User } from "./user.type.js";
import { updateMyPicture } from "./user-picture.service.js";
import {
  createUser,
  grantFacilityAccess,
  removeFacilityAccess,
  removeUser,
  setUserRoles,
  updateMe,
  updateMyPhoneNumber,
} from "./user-write.service.js";

@ArgsType()
class AccessArguments {
  @Field(() => Uuid)
  facilityId!: string;

  @Field(() => [String], { description: "Permissions such as alerts:read; at least one." })
  actions!: string[];

  @Field(() => Uuid, { nullable: true, description: "A user of the workspace; without it the caller, who must be a user then." })
  userId?: string | null;
}

@Resolver()
export class UserMutations {
  @ArgumentRules(z.object({ input: updateMeInput }))
  @Mutation(() => User, { description: "Changes the calling user's own data. FORBIDDEN to an API key." })
  updateMe(@Ctx() context: RequestContext, @Arg("input", () => UpdateMeInput) input: UpdateMeInput): Promise<UserRow> {
    return updateMe(context, input);
  }

  @ArgumentRules(z.object({ input: phoneNumberInput }))
  @Mutation(() => User, { description: "Changes the calling user's telephone number. FORBIDDEN to an API key." })
  updateMyPhoneNumber(@Ctx() context: RequestContext, @Arg("input", () => PhoneNumberInput) input: PhoneNumberInput): Promise<UserRow> {
    return updateMyPhoneNumber(context, input);
  }

  @Mutation(() => User, {
    description:
      "Changes the calling user's picture: a JPEG, PNG or WebP picture, stored within 512 by 512 pixels and without its metadata. FORBIDDEN to an API key.",
  })
  updateMyPicture(@Ctx() context: RequestContext, @Arg("image", () => UploadScalar) image: Upload): Promise<UserRow> {
    return updateMyPicture(context, image);
  }

  @ArgumentRules(z.object({ input: createUserInput }))
  @Mutation(() => User, {
    description: "Adds a user to the workspace. Needs users:write in the workspace and every role that is given; CONFLICT for a taken authId.",
  })
  createUser(@Ctx() context: RequestContext, @Arg("input", () => CreateUserInput) input: CreateUserInput): Promise<UserRow> {
    return createUser(context, input);
  }

  @ArgumentRules(rolesArguments)
  @Mutation(() => User, { description: "Sets a user's roles. Needs users:write in the workspace and every role that is added." })
  setUserRoles(
    @Ctx() context: RequestContext,
    @Arg("userId", () => Uuid) userId: string,
    @Arg("roles", () => [String], { description: "All of the user's permissions in the whole workspace from now on." }) roles: string[],
  ): Promise<UserRow> {
    return setUserRoles(context, userId, roles);
  }

  @Mutation(() => User, { description: "Removes a user with all accesses, and answers it as it was. Needs users:write in the workspace." })
  removeUser(@Ctx() context: RequestContext, @Arg("userId", () => Uuid) userId: string): Promise<UserRow> {
    return removeUser(context, userId);
  }

  @ArgumentRules(accessInput)
  @Mutation(() => FacilityAccess, {
    description: "Gives a user actions at a facility; what is held already stays. Needs users:write there, and every action that is given.",
  })
  grantFacilityAccess(@Ctx() context: RequestContext, @Args(() => AccessArguments) change: AccessArguments): Promise<FacilityAccessRow> {
    return grantFacilityAccess(context, change);
  }

  @ArgumentRules(accessInput)
  @Mutation(() => FacilityAccess, { description: "Takes actions at a facility from a user; what is not held is no fault. Needs users:write there." })
  removeFacilityAccess(@Ctx() context: RequestContext, @Args(() => AccessArguments) change: AccessArguments): Promise<FacilityAccessRow> {
    return removeFacilityAccess(context, change);
  }
}
