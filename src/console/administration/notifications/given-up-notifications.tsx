import { useRef, useState } from "react";
import { type Client, useClient } from "urql";
import {
  type DeliveryFilter,
  GivenUpNotificationsDocument,
  type GivenUpNotificationsQuery,
  SendAllAgainDocument,
} from "../../../generated/console.js";
import { Confirmation } from "../../form/confirmation.js";
import { ActionButton } from "../../form/edit-form.js";
import { useMay, useMayAnywhere } from "../../viewer/viewer.js";
import { useTexts } from "./texts.js";

/** The maximum number of notifications that are sent again at once. */
const mostResent = 10_000;
/** The maximum number that the API takes, and lists, at once. */
const batchSize = 1_000;

interface Collection {
  ids: readonly string[];
  /** The number of others, at facilities where the viewer may not send them again. */
  refused: number;
  /** Whether even more match. */
  isCut: boolean;
}

type GivenUpPage = GivenUpNotificationsQuery["workspace"]["deliveries"];

async function readPage(client: Client, filter: DeliveryFilter, after: string | null) {
  const { data, error } = await client.query(
    GivenUpNotificationsDocument,
    { filter, first: batchSize, after },
    { requestPolicy: "network-only" },
  );
  if (!data) throw error;
  return data.workspace.deliveries;
}

/** Reads which notifications were given up and match a filter, newest first. */
async function collectGivenUp(
  client: Client,
  filter: DeliveryFilter,
  mayResendMails: boolean,
): Promise<Collection> {
  const ids: string[] = [];
  let refused = 0;
  let after: string | null = null;
  do {
    const { nodes, pageInfo }: GivenUpPage = await readPage(client, filter, after);
    const allowed = nodes.filter(({ facility }) =>
      facility ? facility.viewerPermissions.includes("alert-rules:write") : mayResendMails,
    );
    ids.push(...allowed.map(({ id }) => id));
    refused += nodes.length - allowed.length;
    after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
  } while (after !== null && ids.length + refused < mostResent);
  return { ids, refused, isCut: after !== null };
}

interface GivenUpNotificationsProps {
  facilities: readonly { viewerPermissions: readonly string[] }[];
  /** Matches notifications that were given up, and no others. */
  filter: DeliveryFilter;
  total: number;
  /** Called with the number of notifications that are sent again. */
  onResent: (count: number) => void;
}

/**
 * Sends all notifications again that were given up and match a filter. Offered to those who may send notifications
 * again at some facility at least, or mails to people.
 */
export function GivenUpNotifications({ facilities, filter, total, onResent }: GivenUpNotificationsProps) {
  const notifications = useTexts();
  const client = useClient();
  // Mails to people are about no facility.
  const mayResendMails = useMay("users:write");
  const mayResend = useMayAnywhere("alert-rules:write", facilities) || mayResendMails;
  const [collection, setCollection] = useState<Collection>();
  const collect = async () => {
    setCollection(await collectGivenUp(client, filter, mayResendMails));
    return undefined;
  };
  if (!mayResend) return null;
  return (
    <div className="setting-actions">
      <ActionButton run={collect}>{notifications.resendAll(total)}</ActionButton>
      {collection && (
        <Resending
          collection={collection}
          onClose={(sent) => {
            setCollection(undefined);
            if (sent > 0) onResent(sent);
          }}
        />
      )}
    </div>
  );
}

interface ResendingProps {
  collection: Collection;
  /** Called with the number of notifications that were sent again. */
  onClose: (sent: number) => void;
}

function Resending({ collection: { ids, refused, isCut }, onClose }: ResendingProps) {
  const notifications = useTexts();
  const client = useClient();
  const [sent, setSent] = useState(0);
  const [isBusy, setBusy] = useState(false);
  /** Whether the reader has closed the dialog, which stops after the current batch. */
  const isStopped = useRef(false);
  const send = async () => {
    setBusy(true);
    for (let start = sent; start < ids.length; start += batchSize) {
      const batch = ids.slice(start, start + batchSize);
      const { error } = await client.mutation(SendAllAgainDocument, { ids: batch });
      const done = error ? start : start + batch.length;
      if (isStopped.current || done === ids.length) {
        onClose(done);
        return undefined;
      }
      setSent(done);
      if (!error) continue;
      setBusy(false);
      return { error };
    }
    return undefined;
  };
  const close = () => {
    isStopped.current = true;
    if (!isBusy) onClose(sent);
  };
  return (
    <Confirmation
      title={notifications.resendTitle(ids.length)}
      label={sent > 0 ? notifications.resendRest(ids.length - sent) : notifications.resend}
      isDisabled={ids.length === 0}
      onConfirm={send}
      onClose={close}
    >
      <p>{notifications.resendText}</p>
      {isCut && <p>{notifications.resendCut}</p>}
      {refused > 0 && <p>{notifications.resendRefused(refused)}</p>}
      {(isBusy || sent > 0) && (
        <>
          <progress aria-label={notifications.resendProgress} max={ids.length} value={sent} />
          <p role="status">{notifications.resentSoFar(sent, ids.length)}</p>
        </>
      )}
    </Confirmation>
  );
}
