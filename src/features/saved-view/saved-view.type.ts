import { Field, ObjectType } from "type-graphql";
import { BackedBy } from "../../engine/reading/annotations.js";
import { assignedId, chosenName } from "../../platform/input/descriptions.js";
import { Uuid } from "../../platform/input/scalars.js";
import { savedViews } from "./saved-view.loader.js";

@BackedBy(() => savedViews)
@ObjectType({
  description: "A view that a user saved to come back to. Only that user sees it.",
  simpleResolvers: true,
})
export class SavedView {
  @Field(() => Uuid, { description: assignedId })
  id!: string;

  @Field(() => String, { description: chosenName })
  name!: string;

  @Field(() => String, {
    description:
      "What the view shows, as the client that saved it writes it: the console keeps the query of its address, such as `severities=HIGH&open=true`.",
  })
  query!: string;
}
