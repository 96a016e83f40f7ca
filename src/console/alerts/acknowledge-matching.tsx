import { useState } from "react";
import { type AnyVariables, type DocumentInput, useClient } from "urql";
import { type AlertFilter, AlertsPageDocument, AlertsTotalDocument } from "../../generated/console.js";
import { serverTime } from "../data/server-time.js";
import { Confirmation } from "../form/confirmation.js";
import { Problem, useAction } from "../form/edit-form.js";
import { useMessages } from "../language/language.js";
import { MoreIcon } from "../shell/icons.js";
import { Menu } from "../shell/menu.js";
import type { AlertActions } from "./alert-actions.js";
import { type AlertSelection, alertFilterOf } from "./filter/alert-filter.js";
import { useAlertTexts } from "./texts.js";

/** The maximum number of alerts that the API marks at once by a filter. */
const mostMarked = 10_000;

interface Matches {
  filter: AlertFilter;
  count: number;
  isCut: boolean;
}

interface AcknowledgeMatchingProps {
  selection: AlertSelection;
  actions: AlertActions;
}

/** Acknowledges all alerts that match the selection, after naming their number. */
export function AcknowledgeMatching({ selection, actions }: AcknowledgeMatchingProps) {
  const messages = useMessages();
  const { acknowledgeAll } = useAlertTexts();
  const client = useClient();
  const [matches, setMatches] = useState<Matches>();
  const read = async <Data, Variables extends AnyVariables>(
    query: DocumentInput<Data, Variables>,
    variables: Variables,
  ): Promise<Data> => {
    const { data, error } = await client.query(query, variables, { requestPolicy: "network-only" });
    if (!data) throw error;
    return data;
  };
  const count = async (filter: AlertFilter) =>
    (await read(AlertsTotalDocument, { filter })).alerts.totalCount;
  const find = async (): Promise<Matches> => {
    const filter = unacknowledged(selection, serverTime());
    const total = await count(filter);
    if (total <= mostMarked) return { filter, count: total, isCut: false };
    const { alerts } = await read(AlertsPageDocument, { filter, first: 1, offset: mostMarked });
    const next = alerts.edges[0]?.node.createdAt;
    // Fewer match by now.
    if (next === undefined) return { filter, count: await count(filter), isCut: false };
    const newest = { ...filter, start: new Date(Date.parse(next) + 1).toISOString() };
    return { filter: newest, count: await count(newest), isCut: true };
  };
  const confirm = async ({ filter }: Matches) => {
    await actions.acknowledgeMatching(filter);
    setMatches(undefined);
    return undefined;
  };
  const { isBusy, error, start } = useAction(async () => {
    if (actions.mayAct([])) setMatches(await find());
    return undefined;
  });
  return (
    <>
      <Menu label={<MoreIcon />} name={messages.common.more} isBusy={isBusy}>
        <button type="button" onClick={start}>
          {acknowledgeAll.button}
        </button>
      </Menu>
      <Problem error={error} />
      {matches && (
        <Confirmation
          title={acknowledgeAll.title(matches.count)}
          label={acknowledgeAll.confirm}
          isDisabled={matches.count === 0}
          onConfirm={() => confirm(matches)}
          onClose={() => setMatches(undefined)}
        >
          <p>{acknowledgeAll.text}</p>
          {matches.isCut && <p>{acknowledgeAll.cut}</p>}
        </Confirmation>
      )}
    </>
  );
}

/** Matches unacknowledged alerts, but none that are raised from now on: nobody has seen them. */
function unacknowledged(selection: AlertSelection, now: number): AlertFilter {
  const filter = alertFilterOf(selection, new Date(now));
  const end = filter.end && Date.parse(filter.end) < now ? filter.end : new Date(now).toISOString();
  const start = filter.start && filter.start > end ? end : filter.start;
  return { ...filter, ...(start && { start }), end, acknowledged: false };
}
