// Runs once: both kinds of databases run the same statements.
// Takes long: it asks by each route as each caller.
import {
  ask,
  expectHidden,
  hiddenContent,
  hiddenRows,
  isolationFor,
  nameOf,
  openSites,
  outcomeOf,
  positions,
  withoutIds,
} from "./asking-by-rest.js";
import { askingCallers, callerOf, expectationOfRoute, groupsToWatch, senderOf } from "./expectations.js";

beforeAll(openSites);

it.each(positions)(
  "a hidden id is answered like one that never existed, and changes nothing, by %s",
  (_position, asked) => expectHidden(asked, groupsToWatch(expectationOfRoute(asked.route, asked).outcomes)),
);

it.each(withoutIds.map((route) => [nameOf(route), route] as const))(
  "without an id, each caller gets exactly the visible objects by %s",
  async (_name, route) => {
    const { outcomes } = expectationOfRoute(route);
    const isolation = isolationFor(route);
    for (const callerName of askingCallers) {
      const caller = callerOf(isolation, callerName);
      const rows = await hiddenRows.of(caller);
      const answer = await ask(route, senderOf(isolation, callerName), caller.sites[0] ?? isolation.near);
      expect({ callerName, outcome: outcomeOf(answer) }).toEqual({
        callerName,
        outcome: outcomes[callerName],
      });
      expect(hiddenContent.in(answer.text, caller)).toEqual([]);
      expect(await hiddenRows.of(caller)).toBe(rows);
    }
  },
);
