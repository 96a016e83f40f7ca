/** Texts for names of the API, which may have others: a later gateway knows more. */
export const byName = <Text>(texts: Record<string, Text>): Record<string, Text> => texts;
