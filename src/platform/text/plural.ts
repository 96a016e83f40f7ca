const categories = ["zero", "one", "two", "few", "many", "other"] as const;

/**
 * Makes texts with a number, whose form follows the rules of a language. The forms are those that the language has, in
 * this order: zero, one, two, few, many, other. One form alone stands for all of them, and `#` for the number.
 */
export function plural(language: string): (...forms: string[]) => (value: number) => string {
  const number = new Intl.NumberFormat(language);
  const rules = new Intl.PluralRules(language);
  const { pluralCategories } = rules.resolvedOptions();
  const own = categories.filter((category) => pluralCategories.includes(category));
  return (...forms) =>
    (value) =>
      (forms[own.indexOf(rules.select(value))] ?? forms.at(-1) ?? "#").replace("#", number.format(value));
}

/** Makes texts with another one in them, such as a name, in place of `#`. */
export const withText =
  (form: string) =>
  (text: string): string =>
    form.replace("#", () => text);
