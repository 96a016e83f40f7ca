// Needs no gateway.
import { byName, newestFirst } from "../../src/engine/reading/list-order.js";

const id = "00000000-0000-4000-8000-000000000001";
const cursor = newestFirst.encodeCursor({ createdAt: new Date("2026-01-01T00:00:00Z"), id });
const encoded = (text: string) => Buffer.from(text, "latin1").toString("base64url");

it.each([
  ...["", "  ", "////++++====", "%%%", "１７６７２２５６０００００", "🎥".repeat(20)],
  // Of another kind of list, and out of the range of times.
  ...["arrayconnection:3", `253402300800000.${id}`, `-99999999999999.${id}`].map(encoded),
  ...[`${"9".repeat(15)}.${id}`, `${"9".repeat(100)}.${id}`].map(encoded),
  // Not as the gateway writes numbers and ids.
  ...[`0x10.${id}`, `1e12.${id}`, `0001767225600000.${id}`, `1767225600000.${id}\n`].map(encoded),
  ...["1767225600000.", "1767225600000.' OR true --"].map(encoded),
  encoded("1767225600000.AAAAAAAA-0000-4000-8000-000000000001"),
  ...[`${cursor}x`, `${cursor}==`, `${cursor} `, `${cursor}\0`, `${cursor}\udfff`],
  byName.encodeCursor({ name: "Gate", id }),
])("%j is no cursor of a list by time", (text) => {
  expect(newestFirst.decodeCursor(text)).toBeUndefined();
});

it.each([...["Gate", `${id}.Gate\0`, `${id}.Gate\xff`, `${id}.${"x".repeat(1000)}`].map(encoded), cursor])(
  "%j is no cursor of a list by name",
  (text) => {
    expect(byName.decodeCursor(text)).toBeUndefined();
  },
);

it("a cursor is read back as the position that it is of", () => {
  for (const createdAt of ["1960-01-03T00:00:00Z", "2026-01-01T00:00:00Z"].map((time) => new Date(time)))
    expect(newestFirst.decodeCursor(newestFirst.encodeCursor({ createdAt, id }))).toEqual({
      value: createdAt,
      id,
    });
  expect(byName.decodeCursor(byName.encodeCursor({ name: "Ğ.鎌", id }))).toEqual({ value: "Ğ.鎌", id });
});
