// Needs no gateway.
import { z } from "zod";
import { satisfies } from "../../src/platform/input/rule-check.js";
import { emailAddress, optionalText, printableText } from "../../src/platform/input/text-rules.js";

const person = z.object({ name: printableText(5), age: z.int().min(0).nullish() });

const rules: Record<string, z.ZodType> = {
  "a text": printableText(5),
  "a text that may be empty": optionalText(3),
  "an integer": z.int().min(-1).max(3),
  "a number": z.number().positive(),
  "a date": z.date(),
  "a truth value": z.boolean(),
  "an enum": z.enum(["LOW", "HIGH"]),
  "an email address": emailAddress,
  "an optional value": z.boolean().optional(),
  "a value or null": z.boolean().nullable(),
  "a list": z.array(z.int()).min(1).max(2),
  "an object": person,
  "an object without others": z.strictObject({ age: z.int() }),
  "an object with others of a type": z.object({ age: z.int() }).catchall(z.int()),
  "an object as a whole": person.refine(({ name, age }) => name !== "Child" || (age ?? 0) < 18, {
    path: ["age"],
  }),
  "a list as a whole": z.array(z.string()).superRefine((names, { addIssue }) => {
    if (new Set(names).size < names.length) addIssue({ code: "custom", message: "are not unique" });
  }),
  "a custom type": z.custom<unknown[]>((value) => Array.isArray(value) && value.length < 2),
  "a value of several types": z.union([z.int(), printableText(5)]),
  "a text without the space around it": z.string().trim().min(1),
  "a text that becomes a number": z.string().transform(Number).pipe(z.number()),
};

const date = new Date("2026-11-20T09:30:00.000Z");
const values: unknown[] = [
  ...[undefined, null, true, 0, -1, 3, 4, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60],
  ...[
    "",
    " ",
    "Ann",
    "Child",
    "Longer",
    "a\u0001",
    "LOW",
    "7",
    "ann@site.example",
    date,
    new Date(Number.NaN),
  ],
  ...[
    [],
    [1],
    [1, 2, 3],
    [0.5],
    ["a", "a"],
    ["a", "b"],
    {},
    { name: "Ann" },
    { name: "Ann", age: null },
    { name: "Child", age: 17 },
  ],
  ...[
    { name: "Child", age: 18 },
    { name: "Child", age: -1 },
    { name: " " },
    { name: 1 },
    { age: 1 },
    { age: 1, size: 2 },
    { age: 1, size: "2" },
  ],
];

it.each(Object.entries(rules))("%s is checked as Zod does", (_name, rule) => {
  const accepted = (check: (value: unknown) => boolean) => values.filter(check);
  const byZod = accepted((value) => rule.safeParse(value).success);
  expect(byZod).not.toEqual([]);
  expect(accepted((value) => satisfies(rule, value))).toEqual(byZod);
});
