// Needs no gateway.
import { readdirSync, readFileSync } from "node:fs";
import ts from "typescript";
import { expect, it } from "vitest";

/** Functions of the language whose calls have no effect but the exception they may throw. */
const withoutEffect =
  /^(?:(?:de|en)codeURI(?:Component)?|URL|RegExp|Intl\.\w+|Date|Headers|TextDecoder|(?:JSON|Math|Number|String)\.\w+|BigInt|Number|String|atob|parse(?:Int|Float)|structuredClone)$/;

/** The statements of a file that are nothing but a call of such a function. */
function unusedCallsIn(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(`src/${file}`, "utf8"), ts.ScriptTarget.Latest);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isExpressionStatement(node)) {
      const call = ts.isVoidExpression(node.expression) ? node.expression.expression : node.expression;
      if (
        (ts.isCallExpression(call) || ts.isNewExpression(call)) &&
        withoutEffect.test(call.expression.getText(source))
      )
        found.push(`${file}: ${node.getText(source)}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

// The bundler takes some of them for free of effects and drops them, so that nothing is
// checked in what is shipped.
it("no function of the language is called for its exception alone", () => {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((file) =>
    /\.(?:tsx?|mjs)$/.test(file),
  );
  expect(files.length).toBeGreaterThan(500);
  expect(files.flatMap(unusedCallsIn)).toEqual([]);
});
