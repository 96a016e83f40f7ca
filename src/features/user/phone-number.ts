import { isSupportedCountry, parsePhoneNumberFromString } from "libphonenumber-js/max";
import { badRequest } from "../../platform/errors/errors.js";
import type { PhoneNumberInput } from "./user.input.js";
import type { PhoneNumber } from "./user.type.js";

/** Parses a phone number. BAD_REQUEST unless the number is valid in its region. */
export function parsePhoneNumber({ phoneNumber, region }: PhoneNumberInput): PhoneNumber {
  const country = region.toUpperCase();
  if (!isSupportedCountry(country))
    throw badRequest([{ path: "input.region", message: "is not the code of a country with phone numbers" }]);
  const parsed = parsePhoneNumberFromString(phoneNumber, {
    defaultCountry: country,
    extract: false,
  });
  if (!parsed?.isValid() || parsed.country !== country) {
    throw badRequest([{ path: "input.phoneNumber", message: `is not a valid phone number in ${country}` }]);
  }
  return {
    nationalNumber: Number(parsed.nationalNumber),
    region: country,
    countryCode: Number(parsed.countryCallingCode),
    e164Format: parsed.number,
  };
}
