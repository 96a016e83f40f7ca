// Needs no gateway.
import { csvOf } from "../../src/console/administration/csv.js";

test("a text that a spreadsheet program would take for a formula gets an apostrophe", () => {
  const rows = [
    ["=1", "+1", "-1", "@1", "\t1", "\r1"],
    ["1-1", 'a, "b"'],
  ];
  expect(csvOf(rows)).toBe(`\ufeff'=1,'+1,'-1,'@1,'\t1,"'\r1"\r\n1-1,"a, ""b"""\r\n`);
});
