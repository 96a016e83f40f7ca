/**
 * The forms of a text with a number, in which `#` stands for it; by the categories of
 * `Intl.PluralRules`.
 */
type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };

/** Chooses the form of a text by a number, as the language does. */
export function plural(language: string, number: Intl.NumberFormat): (value: number, forms: Forms) => string {
  const rules = new Intl.PluralRules(language);
  return (value, forms) => (forms[rules.select(value)] ?? forms.other).replace("#", number.format(value));
}
