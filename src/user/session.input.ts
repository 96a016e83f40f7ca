import { z } from "zod";
import { argumentsType } from "../platform/input-type.js";
import { emailAddress } from "../platform/text-rules.js";

export type RequestSignInLinkArguments = InstanceType<typeof RequestSignInLinkArguments>;
export const RequestSignInLinkArguments = argumentsType(
  z.object({ email: emailAddress.describe("The email address, at most 320 characters, in any case.") }),
);
