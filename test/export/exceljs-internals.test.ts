// Needs no gateway.
import { PassThrough } from "node:stream";
import exceljs from "exceljs";
import { expect, it } from "vitest";

it("exceljs still has the private fields that the spreadsheet writer relies on", async () => {
  const target = new PassThrough();
  const workbook = new exceljs.stream.xlsx.WorkbookWriter({ stream: target, useStyles: true });
  const sheet = workbook.addWorksheet("Sheet");
  expect(workbook).toMatchObject({
    zip: {
      abort: expect.any(Function),
      unpipe: expect.any(Function),
      on: expect.any(Function),
      _readableState: { highWaterMark: expect.any(Number) },
    },
    _definedNames: { model: [] },
  });
  const { stream } = sheet as unknown as { stream: { pipes: object[] } };
  expect(stream.pipes).toEqual([
    expect.objectContaining({ _writableState: expect.objectContaining({ needDrain: false, length: expect.any(Number) }) }),
  ]);
  // exceljs reads only the model of the defined names, so replacing the object must be enough.
  (workbook as unknown as { _definedNames: object })._definedNames = { model: [{ name: "Range", localSheetId: 0, ranges: ["Sheet!$A$1"] }] };
  sheet.addRow(["text"]).commit();
  sheet.commit();
  const [chunks] = await Promise.all([target.toArray(), workbook.commit()]);
  const written = new exceljs.Workbook();
  await written.xlsx.load(Buffer.concat(chunks) as unknown as exceljs.Buffer);
  expect(written.definedNames.getRanges("Range").ranges).toEqual(["Sheet!$A$1"]);
});
