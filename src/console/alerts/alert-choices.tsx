import type { ReactNode } from "react";
import { AlertFilterChoicesDocument, type AlertFilterChoicesQuery } from "../../generated/console.js";
import { Query } from "../data/query.js";
import { ForbiddenNotice } from "../shell/notice/notice.js";
import { useMayAnywhere } from "../viewer/viewer.js";
import type { AlertSelection } from "./filter/alert-filter.js";

interface AlertChoicesProps {
  children: (choices: AlertFilterChoicesQuery) => ReactNode;
}

/** The time zones of the facilities of a selection. */
export function timeZonesOf(
  { facilities }: AlertFilterChoicesQuery,
  { facilityIds }: Pick<AlertSelection, "facilityIds">,
): string[] {
  const chosen = facilities.filter(({ id }) => facilityIds.length === 0 || facilityIds.includes(id));
  return [...new Set(chosen.map(({ timeZoneId }) => timeZoneId))];
}

export const AlertChoices = ({ children }: AlertChoicesProps) => (
  <Query query={AlertFilterChoicesDocument}>
    {(choices) => <IfAllowed choices={choices}>{children}</IfAllowed>}
  </Query>
);

function IfAllowed({ choices, children }: AlertChoicesProps & { choices: AlertFilterChoicesQuery }) {
  return useMayAnywhere("alerts:read", choices.facilities) ? children(choices) : <ForbiddenNotice />;
}
