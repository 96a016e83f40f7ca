import { z } from "zod";
import { PageArguments } from "../../engine/reading/connection.js";
import { argumentsType, idField, inputType } from "../../platform/input/input-type.js";
import { optionalList } from "../../platform/input/list-rule.js";
import { DeliveryChannel, DeliveryState } from "./outbox/delivery-state.js";

const maxListLength = 10;
const list = <Item extends z.ZodType>(item: Item) => optionalList(item, maxListLength);

const deliveryFilter = z.object({
  states: list(z.enum(DeliveryState)).describe("Only deliveries in one of these states."),
  channels: list(z.enum(DeliveryChannel)).describe("Only deliveries through one of these channels."),
});

export type DeliveryFilter = InstanceType<typeof DeliveryFilter>;
export const DeliveryFilter = inputType(
  "DeliveryFilter",
  "Selects the deliveries that match all given conditions. Conditions that are omitted or null are ignored. An empty list matches no delivery.",
  deliveryFilter,
);

export type DeliveryListArguments = InstanceType<typeof DeliveryListArguments>;
export const DeliveryListArguments = argumentsType(
  PageArguments.rules.extend({
    filter: deliveryFilter.nullish().describe("The deliveries to list; all by default."),
  }),
);

export type RedeliverArguments = InstanceType<typeof RedeliverArguments>;
export const RedeliverArguments = argumentsType(
  z.object({
    ids: z
      .array(idField)
      .min(1, "must not be empty")
      .max(1000, "must list at most 1000")
      .describe("The IDs of the deliveries, 1 to 1000; an ID that is given twice counts once."),
  }),
);
