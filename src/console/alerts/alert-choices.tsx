import type { ReactNode } from "react";
import { AlertFilterChoicesDocument, type AlertFilterChoicesQuery } from "../../generated/console.js";
import { Query } from "../data/query.js";
import { ForbiddenNotice } from "../shell/notice/notice.js";
import { useMayAnywhere } from "../viewer/viewer.js";

interface AlertChoicesProps {
  children: (choices: AlertFilterChoicesQuery) => ReactNode;
}

export const AlertChoices = ({ children }: AlertChoicesProps) => (
  <Query query={AlertFilterChoicesDocument}>
    {(choices) => <IfAllowed choices={choices}>{children}</IfAllowed>}
  </Query>
);

function IfAllowed({ choices, children }: AlertChoicesProps & { choices: AlertFilterChoicesQuery }) {
  return useMayAnywhere("alerts:read", choices.facilities) ? children(choices) : <ForbiddenNotice />;
}
