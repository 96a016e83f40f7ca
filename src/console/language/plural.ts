const categories = ["zero", "one", "two", "few", "many", "other"] as const;

/**
 * Chooses the form of a text for a number by the rules of a language. The forms are those that the language has, in
 * this order: zero, one, two, few, many, other. One form alone stands for all of them, and `#` for the number.
 */
export function plural(language: string): (value: number, ...forms: string[]) => string {
  const number = new Intl.NumberFormat(language);
  const rules = new Intl.PluralRules(language);
  const { pluralCategories } = rules.resolvedOptions();
  const own = categories.filter((category) => pluralCategories.includes(category));
  return (value, ...forms) =>
    (forms[own.indexOf(rules.select(value))] ?? forms.at(-1) ?? "#").replace("#", number.format(value));
}
