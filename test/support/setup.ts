import { takeLeaks } from "./log-scan.js";
import { takeStatementsWithoutWorkspace } from "./workspace-statements.js";

// After the hooks of the file itself, which close its gateways.
afterAll(() => {
  const [leaks, statements] = [takeLeaks(), takeStatementsWithoutWorkspace()];
  expect(leaks, "logged lines with secrets or personal data").toEqual([]);
  expect(statements, "statements that do not name the workspace").toEqual([]);
});
