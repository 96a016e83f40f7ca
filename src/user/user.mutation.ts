import { Arg, Args, ArgsType, Ctx, Field, Mutation, Resolver } from "type-graphql";
import { z } from "zod";
import { ArgumentRules } from "../platform/argument-rules.js";
import { type Upload, UploadScalar } from "../platform/incoming-file.js";
import { Uuid } from "../platform/scalars.js";
import type { RequestContext } from "../request/request-context.js";
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
import type { FacilityAccessRow, UserRow } from "./user.loader.js";
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

  @Field(() => [String], { description: "Permissions, such as alerts:read; at least one." })
  actions!: string[];

  @Field(() => Uuid, { nullable: true, description: "A user of the workspace; by default the caller, unless that is an API key." })
  userId?: string | null;
}

@Resolver()
export class UserMutations {
  @ArgumentRules(z.object({ input: updateMeInput }))
  @Mutation(() => User, { description: "Changes the calling user's profile. FORBIDDEN if the caller is an API key." })
  updateMe(@Ctx() context: RequestContext, @Arg("input", () => UpdateMeInput) input: UpdateMeInput): Promise<UserRow> {
    return updateMe(context, input);
  }

  @ArgumentRules(z.object({ input: phoneNumberInput }))
  @Mutation(() => User, { description: "Changes the calling user's phone number. FORBIDDEN if the caller is an API key." })
  updateMyPhoneNumber(@Ctx() context: RequestContext, @Arg("input", () => PhoneNumberInput) input: PhoneNumberInput): Promise<UserRow> {
    return updateMyPhoneNumber(context, input);
  }

  @Mutation(() => User, {
    description:
      "Replaces the calling user's picture by a JPEG, PNG or WebP picture, which is scaled down to at most 512 by 512 pixels and stored without its metadata. FORBIDDEN if the caller is an API key.",
  })
  updateMyPicture(@Ctx() context: RequestContext, @Arg("image", () => UploadScalar) image: Upload): Promise<UserRow> {
    return updateMyPicture(context, image);
  }

  @ArgumentRules(z.object({ input: createUserInput }))
  @Mutation(() => User, {
    description:
      "Adds a user to the workspace. Requires users:write in the workspace and every role that the new user gets. CONFLICT if the authId is taken.",
  })
  createUser(@Ctx() context: RequestContext, @Arg("input", () => CreateUserInput) input: CreateUserInput): Promise<UserRow> {
    return createUser(context, input);
  }

  @ArgumentRules(rolesArguments)
  @Mutation(() => User, { description: "Sets a user's roles. Requires users:write in the workspace and all roles that are added." })
  setUserRoles(
    @Ctx() context: RequestContext,
    @Arg("userId", () => Uuid) userId: string,
    @Arg("roles", () => [String], { description: "The user's permissions in the whole workspace; they replace the current ones." }) roles: string[],
  ): Promise<UserRow> {
    return setUserRoles(context, userId, roles);
  }

  @Mutation(() => User, { description: "Deletes a user with all accesses, and returns the user as it was. Requires users:write in the workspace." })
  removeUser(@Ctx() context: RequestContext, @Arg("userId", () => Uuid) userId: string): Promise<UserRow> {
    return removeUser(context, userId);
  }

  @ArgumentRules(accessInput)
  @Mutation(() => FacilityAccess, {
    description:
      "Grants a user actions at a facility, in addition to those already granted. Requires users:write at the facility and every action that is granted.",
  })
  grantFacilityAccess(@Ctx() context: RequestContext, @Args(() => AccessArguments) change: AccessArguments): Promise<FacilityAccessRow> {
    return grantFacilityAccess(context, change);
  }

  @ArgumentRules(accessInput)
  @Mutation(() => FacilityAccess, {
    description: "Revokes a user's actions at a facility; actions that are not granted are ignored. Requires users:write at the facility.",
  })
  removeFacilityAccess(@Ctx() context: RequestContext, @Args(() => AccessArguments) change: AccessArguments): Promise<FacilityAccessRow> {
    return removeFacilityAccess(context, change);
  }
}
