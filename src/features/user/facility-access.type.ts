import { Field, ObjectType } from "type-graphql";
import { permissionNames } from "../../engine/access/permissions.js";
import { BackedBy } from "../../engine/reading/annotations.js";
import { facilityAccesses } from "./user.loader.js";

@BackedBy(() => facilityAccesses)
@ObjectType({
  description: "A user's permissions at a facility, in addition to the user's roles.",
  simpleResolvers: true,
})
export class FacilityAccess {
  @Field(() => [String], { description: `The user's permissions at the facility: ${permissionNames}.` })
  actions!: string[];
}
