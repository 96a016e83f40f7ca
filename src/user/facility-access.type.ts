import { Field, ObjectType } from "type-graphql";
import { BackedBy } from "../reading/annotations.js";
import { facilityAccesses } from "./user.loader.js";

@BackedBy(() => facilityAccesses)
@ObjectType({ description: "What a user may do at a facility in addition to their roles.", simpleResolvers: true })
export class FacilityAccess {
  @Field(() => [String], { description: "Permissions, such as alerts:read." })
  actions!: string[];
}
