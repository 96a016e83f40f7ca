/**
 * The forms of a text with a number, by the categories of `Intl.PluralRules`. `#` stands
 * for the number.
 */
type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };

/** Chooses the form of a text for a number by the rules of the language. */
export function plural(language: string, number: Intl.NumberFormat): (value: number, forms: Forms) => string {
  const rules = new Intl.PluralRules(language);
  return (value, forms) => (forms[rules.select(value)] ?? forms.other).replace("#", number.format(value));
}
