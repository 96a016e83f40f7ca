// Needs no gateway.
import { parsePhoneNumber } from "../../src/features/user/phone-number.js";

it.each([
  ["0532 123 45 67", "TR", "+90 5321234567"],
  ["+90 (532) 123-45-67", "tr", "+90 5321234567"],
  ["020-6241111", "NL", "+31 206241111"],
  ["(11) 96123-4567", "BR", "+55 11961234567"],
  ["984-1234567", "NP", "+977 9841234567"],
  ["(201) 555-0123", "US", "+1 2015550123"],
  ["506 234 5678", "CA", "+1 5062345678"],
  // A zero that belongs to the number.
  ["02 1234 5678", "IT", "+39 0212345678"],
])("%s in %s is %s", (phoneNumber, region, expected) => {
  const [code, national] = expected.split(" ") as [string, string];
  expect(parsePhoneNumber({ phoneNumber, region })).toEqual({
    nationalNumber: Number(national),
    region: region.toUpperCase(),
    countryCode: Number(code),
    e164Format: code + national,
  });
});

it.each(["call me", "123", "+49 151 23456789", "my number is 0532 123 45 67", "0532 123 45 67 89 01"])(
  "%s is no number in Turkey",
  (phoneNumber) => {
    expect(() => parsePhoneNumber({ phoneNumber, region: "TR" })).toThrow(
      /^input.phoneNumber: is not a valid/,
    );
  },
);

it("a region without phone numbers has none", () => {
  const parse = () => parsePhoneNumber({ phoneNumber: "123", region: "XX" });
  expect(parse).toThrow(/^input.region: is not the code/);
});
