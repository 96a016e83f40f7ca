import { Field, ObjectType } from "type-graphql";
import { permissionNames } from "../access/permissions.js";
import { BackedBy } from "../reading/annotations.js";
import { facilityAccesses } from "./user.loader.js";

@BackedBy(() => facilityAccesses)
@ObjectType({
  description: "What a user may do at a facility in addition to their roles.",
  simpleResolvers: true,
})
export class FacilityAccess {
  @Field(() => [String], { description: `The user's permissions at the facility: ${permissionNames}.` })
  actions!: string[];
}
