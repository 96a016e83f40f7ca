const categories = ["zero", "one", "two", "few", "many", "other"] as const;

/** Forms are those of the language, in this order: zero, one, two, few, many, other. `#` stands for the number. */
export function plural(language: string): (value: number, ...forms: string[]) => string {
  const number = new Intl.NumberFormat(language);
  const rules = new Intl.PluralRules(language);
  const { pluralCategories } = rules.resolvedOptions();
  const own = categories.filter((category) => pluralCategories.includes(category));
  return (value, ...forms) =>
    (forms[own.indexOf(rules.select(value))] ?? forms.at(-1) ?? "#").replace("#", number.format(value));
}
