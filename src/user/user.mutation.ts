import { Arg, Ctx, Mutation, Resolver } from "type-graphql";
import type { RequestContext } from "../operation/request-context.js";
import { existingId } from "../platform/descriptions.js";
import { type Upload, UploadScalar } from "../platform/incoming-file.js";
import { CheckedArgs } from "../platform/input-type.js";
import { DateTimeIso, Uuid } from "../platform/scalars.js";
import { acceptedPicture } from "../storage/picture.js";
import { FacilityAccess } from "./facility-access.type.js";
import {
  CreateUserInput,
  FacilityAccessArguments,
  LocaleArguments,
  PhoneNumberInput,
  UpdateMeInput,
  UpdateUserInput,
  UserRolesArguments,
} from "./user.input.js";
import type { FacilityAccessRow, UserRow } from "./user.loader.js";
import { User } from "./user.type.js";
import { updateMyPicture } from "./user-picture.service.js";
import {
  createUser,
  grantFacilityAccess,
  markSeen,
  removeFacilityAccess,
  removeUser,
  setUserRoles,
  updateMe,
  updateMyLocale,
  updateMyPhoneNumber,
  updateUser,
} from "./user-write.service.js";

@Resolver()
export class UserMutations {
  @Mutation(() => User, {
    description: "Changes the calling user's profile. FORBIDDEN if the caller is an API key.",
  })
  updateMe(
    @Ctx() context: RequestContext,
    @Arg("input", () => UpdateMeInput, { description: "The whole new profile." }) input: UpdateMeInput,
  ): Promise<UserRow> {
    return updateMe(context, input);
  }

  @Mutation(() => User, {
    description: "Changes the calling user's phone number. FORBIDDEN if the caller is an API key.",
  })
  updateMyPhoneNumber(
    @Ctx() context: RequestContext,
    @Arg("input", () => PhoneNumberInput, {
      description: "The new number, and the country in which it is valid.",
    })
    input: PhoneNumberInput,
  ): Promise<UserRow> {
    return updateMyPhoneNumber(context, input);
  }

  @Mutation(() => User, {
    description:
      "Changes the language in which the gateway writes mails to the calling user: German for German tags such as de-AT, otherwise English. FORBIDDEN if the caller is an API key.",
  })
  updateMyLocale(
    @Ctx() context: RequestContext,
    @CheckedArgs(LocaleArguments) { locale }: LocaleArguments,
  ): Promise<UserRow> {
    return updateMyLocale(context, locale);
  }

  @Mutation(() => User, {
    description:
      "Records the time up to which the calling user has seen what happened. A time before the recorded one changes nothing. BAD_REQUEST if it is in the future, FORBIDDEN if the caller is an API key. The audit log does not record it.",
  })
  markSeen(
    @Ctx() context: RequestContext,
    @Arg("at", () => DateTimeIso, { description: "The time up to which the user has seen what happened." })
    at: Date,
  ): Promise<UserRow> {
    return markSeen(context, at);
  }

  @Mutation(() => User, {
    description:
      "Replaces the calling user's picture, which is scaled down to at most 512 by 512 pixels and stored without its metadata. FORBIDDEN if the caller is an API key, PAYLOAD_TOO_LARGE if the picture is too large, UNSUPPORTED_MEDIA_TYPE if it is not a supported picture.",
  })
  updateMyPicture(
    @Ctx() context: RequestContext,
    @Arg("image", () => UploadScalar, { description: acceptedPicture }) image: Upload,
  ): Promise<UserRow> {
    return updateMyPicture(context, image);
  }

  @Mutation(() => User, {
    description:
      "Adds a user to the workspace. Requires users:write in the workspace and every role that the new user gets. CONFLICT if the `authId` is taken in any workspace.",
  })
  createUser(
    @Ctx() context: RequestContext,
    @Arg("input", () => CreateUserInput, { description: "The new user." }) input: CreateUserInput,
  ): Promise<UserRow> {
    return createUser(context, input);
  }

  @Mutation(() => User, {
    description:
      "Changes a user's email address or name. A new address ends the user's sessions. Requires users:write in the workspace. Because an email address lets its owner sign in, changing that of somebody else also requires all permissions that the user holds, or held in the last 30 days, otherwise FORBIDDEN.",
  })
  updateUser(
    @Ctx() context: RequestContext,
    @Arg("id", () => Uuid, { description: existingId("the user") }) id: string,
    @Arg("input", () => UpdateUserInput, { description: "The new values." }) input: UpdateUserInput,
  ): Promise<UserRow> {
    return updateUser(context, id, input);
  }

  @Mutation(() => User, {
    description:
      "Sets a user's roles. Requires users:write in the workspace, all roles that are added, and all that are taken from somebody else. CONFLICT if nobody would be left with users:write in the workspace.",
  })
  setUserRoles(
    @Ctx() context: RequestContext,
    @CheckedArgs(UserRolesArguments) { userId, roles }: UserRolesArguments,
  ): Promise<UserRow> {
    return setUserRoles(context, userId, roles);
  }

  @Mutation(() => User, {
    description:
      "Deletes a user with all permissions at facilities, and returns the user as before. CONFLICT if the user is the caller, or the last one with users:write in the workspace. Requires users:write in the workspace, and all permissions that the user holds.",
  })
  removeUser(
    @Ctx() context: RequestContext,
    @Arg("userId", () => Uuid, { description: existingId("the user") }) userId: string,
  ): Promise<UserRow> {
    return removeUser(context, userId);
  }

  @Mutation(() => FacilityAccess, {
    description:
      "Grants a user actions at a facility, in addition to those already granted. Requires users:write at the facility and every action that is granted.",
  })
  grantFacilityAccess(
    @Ctx() context: RequestContext,
    @CheckedArgs(FacilityAccessArguments) change: FacilityAccessArguments,
  ): Promise<FacilityAccessRow> {
    return grantFacilityAccess(context, change);
  }

  @Mutation(() => FacilityAccess, {
    description:
      "Revokes a user's actions at a facility; actions that are not granted are ignored. Requires users:write at the facility, and every action that somebody else loses; what the user also holds by role is not lost.",
  })
  removeFacilityAccess(
    @Ctx() context: RequestContext,
    @CheckedArgs(FacilityAccessArguments) change: FacilityAccessArguments,
  ): Promise<FacilityAccessRow> {
    return removeFacilityAccess(context, change);
  }
}
