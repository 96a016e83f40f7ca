import { z } from "zod";

/** An optional list with a maximum number of items. */
export const optionalList = <Item extends z.ZodType>(item: Item, maxLength: number) =>
  z.array(item).max(maxLength, `must list at most ${maxLength}`).nullish();
