const clause = /^(SELECT|FROM|WHERE|GROUP BY|ORDER BY|LIMIT|JOIN|CROSS JOIN|UNION ALL|WITH)$/;
const token = /"[^"]*"|'[^']*'|GROUP BY|ORDER BY|CROSS JOIN|UNION ALL|\( ?|[^ ()"']+| ?\)| /g;

/**
 * Formats a statement with every clause on a separate line and every subquery indented.
 */
export function formatSql(sql: string): string {
  const text = sql.trim().replaceAll(/\s+/g, " ");
  let formatted = "";
  /** For each open parenthesis, whether it encloses a subquery. */
  const parentheses: boolean[] = [];
  const startLine = () => {
    formatted = `${formatted.trimEnd()}\n${"  ".repeat(parentheses.filter(Boolean).length)}`;
  };
  for (const { 0: part, index } of text.matchAll(token)) {
    const closesSubquery = part.trim() === ")" && parentheses.pop();
    const isClause = clause.test(part) && parentheses.at(-1) !== false;
    if (closesSubquery || isClause) startLine();
    if (part.startsWith("(")) parentheses.push(/^\( ?(SELECT|WITH)\b/.test(text.slice(index)));
    formatted += part === " " ? part : part.trim();
  }
  return formatted.trim();
}
