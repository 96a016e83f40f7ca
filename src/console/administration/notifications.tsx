import type { ComponentProps } from "react";
import { useMutation, useQuery } from "urql";
import {
  type DeliveryState,
  SendAgainDocument,
  type SentNotificationFragment,
  SentNotificationsDocument,
} from "../../generated/console.js";
import { QueryResult } from "../data/query-result.js";
import { Problem } from "../form/problem.js";
import { useLanguage } from "../language/language.js";
import { Moment } from "../language/moment.js";
import { StoredText } from "../language/stored-text.js";
import { readersTimeZone } from "../language/time-zones.js";
import { changeQuery, useQuery as useAddress } from "../navigation/location.js";
import { Notice } from "../shell/notice.js";
import { Outcome, useOutcome } from "../shell/outcome.js";
import { useMay, useMayAnywhere } from "../viewer/viewer.js";
import { ChannelList, channels } from "./channel-list.js";
import { GivenUpNotifications } from "./given-up-notifications.js";
import { SettingChoice } from "./setting-choice.js";
import { useTexts } from "./texts.js";

const states: readonly DeliveryState[] = ["PENDING", "SENT", "PARKED"];

const among = <Value extends string>(values: readonly Value[], text: string | null): Value | undefined =>
  values.find((value) => value === text);

/** What was sent to whom, why it failed, and what the gateway can send at all. */
export function Notifications() {
  const { messages } = useLanguage();
  const { notifications } = useTexts();
  const address = useAddress();
  const channel = among(channels, address.get("channel"));
  const state = among(states, address.get("state"));
  const ofChannel = { ...(channel && { channels: [channel] }) };
  const filter = { ...ofChannel, ...(state && { states: [state] }) };
  const givenUp = { ...ofChannel, states: ["PARKED" as const] };
  const [result, reexecute] = useQuery({ query: SentNotificationsDocument, variables: { filter, givenUp } });
  const readAgain = () => reexecute({ requestPolicy: "network-only" });
  const [outcome, tell] = useOutcome();
  return (
    <>
      <div className="setting-toolbar">
        <SettingChoice
          label={notifications.channel}
          value={channel}
          options={channels.map((each) => [each, messages.rules.channels[each]])}
          onChange={(chosen) => changeQuery({ channel: chosen })}
        />
        <SettingChoice
          label={notifications.state}
          value={state}
          options={states.map((each) => [each, notifications.states[each] ?? each])}
          onChange={(chosen) => changeQuery({ state: chosen })}
        />
      </div>
      <QueryResult result={result} onRetry={readAgain}>
        {({ workspace: { deliveries, deliveryChannels, givenUp: parked } }) => (
          <>
            {(state ?? "PARKED") === "PARKED" && parked.totalCount > 0 && (
              <ResendIfAllowed
                facilities={deliveries.nodes.flatMap(({ facility }) => facility ?? [])}
                filter={givenUp}
                total={parked.totalCount}
                onResent={(count) => {
                  readAgain();
                  tell(notifications.resent(count));
                }}
              />
            )}
            <NotificationList
              found={deliveries.nodes}
              isFiltered={channel !== undefined || state !== undefined}
              tell={tell}
            />
            <ChannelList setUp={deliveryChannels} />
          </>
        )}
      </QueryResult>
      <Outcome>{outcome}</Outcome>
    </>
  );
}

interface ResendIfAllowedProps extends ComponentProps<typeof GivenUpNotifications> {
  /** Some of the facilities of the notifications. */
  facilities: readonly { viewerPermissions: readonly string[] }[];
}

/**
 * Offered to those who may send notifications again at some facility at least, or mails
 * to people.
 */
function ResendIfAllowed({ facilities, ...resending }: ResendIfAllowedProps) {
  const mayResendMails = useMay("users:write");
  const mayResend = useMayAnywhere("alert-rules:write", facilities) || mayResendMails;
  return mayResend && <GivenUpNotifications {...resending} />;
}

interface NotificationListProps {
  found: readonly SentNotificationFragment[];
  isFiltered: boolean;
  tell: (message: string) => void;
}

function NotificationList({ found, isFiltered, tell }: NotificationListProps) {
  const { notifications } = useTexts();
  const [sent, sendAgain] = useMutation(SendAgainDocument);
  const resend = async (id: string) => {
    const { data } = await sendAgain({ ids: [id] });
    if (data) tell(notifications.resent(1));
  };
  if (found.length === 0)
    return (
      <Notice title={isFiltered ? notifications.noMatch : notifications.empty}>
        {!isFiltered && notifications.emptyText}
      </Notice>
    );
  return (
    <>
      {sent.error && <Problem error={sent.error} />}
      <ul className="setting-rows">
        {found.map((notification) => (
          <NotificationRow
            key={notification.id}
            notification={notification}
            onResend={() => void resend(notification.id)}
          />
        ))}
      </ul>
    </>
  );
}

interface NotificationRowProps {
  notification: SentNotificationFragment;
  onResend: () => void;
}

function NotificationRow({ notification, onResend }: NotificationRowProps) {
  const { messages } = useLanguage();
  const { notifications } = useTexts();
  const { channel, kind, state, target, attempts, createdAt, nextAttemptAt, lastError, camera, facility } =
    notification;
  const mayResend = useMay(facility ? "alert-rules:write" : "users:write", facility);
  const zone = facility?.timeZoneId ?? readersTimeZone;
  const place = camera?.name ?? facility?.name;
  return (
    <li>
      <div>
        <h3>
          {notifications.kinds[kind] ?? kind}
          {place !== undefined && (
            <>
              {" · "}
              <StoredText>{place}</StoredText>
            </>
          )}
        </h3>
        <p className="hint">
          {messages.rules.channels[channel]} <StoredText>{target}</StoredText> ·{" "}
          <Moment instant={createdAt} timeZone={zone} />
        </p>
        <p className="hint" data-state={state}>
          {notifications.states[state] ?? state} · {notifications.attempts(attempts)}
          {nextAttemptAt && (
            <>
              {" · "}
              <Moment instant={nextAttemptAt} timeZone={zone} relative />
            </>
          )}
        </p>
        {lastError && (
          <p className="problem" lang="en">
            <StoredText>{lastError}</StoredText>
          </p>
        )}
      </div>
      {mayResend && state !== "PENDING" && (
        <div className="setting-actions">
          <button type="button" onClick={onResend}>
            {notifications.resend}
          </button>
        </div>
      )}
    </li>
  );
}
