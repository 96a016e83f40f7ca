import { z } from "zod";

export const optionalList = <Item extends z.ZodType>(item: Item, maxLength: number) =>
  z.array(item).max(maxLength, `must list at most ${maxLength}`).nullish();
