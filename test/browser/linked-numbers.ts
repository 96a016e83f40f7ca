import { alertFilterOf, alertSelectionOf } from "../../src/console/alerts/filter/alert-filter.js";
import type { Gateway, Sender } from "../support/harness.js";

/** The last number in a text. */
export const numberIn = (text: string): number =>
  Number(text.match(/[\d,]+(?!.*\d)/s)?.[0].replaceAll(",", ""));

/** The number of alerts behind each address of the console. */
async function totalsOf(gateway: Gateway, addresses: readonly string[], as: Sender): Promise<number[]> {
  const totals: number[] = [];
  const batch = 12;
  for (let start = 0; start < addresses.length; start += batch) {
    const filters = addresses
      .slice(start, start + batch)
      .map((address) =>
        alertFilterOf(alertSelectionOf(new URL(address, gateway.url).searchParams), new Date()),
      );
    const variables = Object.fromEntries(filters.map((filter, index) => [`filter${index}`, filter]));
    const query = `query (${filters.map((_, index) => `$filter${index}: AlertFilter!`).join(", ")}) {
      ${filters.map((_, index) => `total${index}: alerts(filter: $filter${index}, first: 1) { totalCount }`).join(" ")} }`;
    const data = await gateway.data<Record<string, { totalCount: number }>>(query, { as, variables });
    totals.push(...filters.map((_, index) => data[`total${index}`]?.totalCount ?? Number.NaN));
  }
  return totals;
}

/** A number on a page, and the address behind it. */
export interface LinkedNumber {
  text: string;
  address: string;
}

/** Expects that each number leads to as many alerts. Returns how many there are. */
export async function expectTotals(
  gateway: Gateway,
  numbers: readonly LinkedNumber[],
  as: Sender,
): Promise<number> {
  const addresses = numbers.map(({ address }) => address);
  const totals = await totalsOf(gateway, addresses, as);
  expect(numbers.map(({ text, address }) => `${numberIn(text)} at ${address}`)).toEqual(
    addresses.map((address, index) => `${totals[index]} at ${address}`),
  );
  return numbers.length;
}
