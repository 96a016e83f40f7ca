import { Field, ObjectType } from "type-graphql";

@ObjectType({ description: "What a user may do at a facility beyond the roles.", simpleResolvers: true })
export class FacilityAccess {
  @Field(() => [String], { description: "Permissions such as alerts:read." })
  actions!: string[];
}
