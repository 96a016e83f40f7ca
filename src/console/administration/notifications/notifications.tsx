import { useState } from "react";
import { useMutation } from "urql";
import {
  type DeliveryFilter,
  type DeliveryState,
  NotificationOverviewDocument,
  SendAgainDocument,
  type SentNotificationFragment,
  SentNotificationsDocument,
} from "../../../generated/console.js";
import { useAlertTexts } from "../../alerts/texts.js";
import { NextPage, Query, QueryResult, useRepeatedQuery } from "../../data/query.js";
import { ActionButton } from "../../form/edit-form.js";
import { Moment, StoredText } from "../../language/language.js";
import { useAddress } from "../../navigation/location.js";
import { channelNames } from "../../rules/channels.js";
import { Notice, useOutcome } from "../../shell/notice/notice.js";
import { useMay } from "../../viewer/viewer.js";
import { ChannelList } from "./channel-list.js";
import { GivenUpNotifications } from "./given-up-notifications.js";
import { SettingChoice } from "./setting-choice.js";
import { useTexts } from "./texts.js";

const states: readonly DeliveryState[] = ["PENDING", "SENT", "PARKED"];

const among = <Value extends string>(values: readonly Value[], text: string | null) =>
  values.find((value) => value === text);

export function Notifications() {
  const alertTexts = useAlertTexts();
  const notifications = useTexts();
  const address = useAddress();
  const channel = among(channelNames, address.get("channel"));
  const state = among(states, address.get("state"));
  const ofChannel = { ...(channel && { channels: [channel] }) };
  const filter = { ...ofChannel, ...(state && { states: [state] }) };
  const [result, readAgain] = useRepeatedQuery({
    query: NotificationOverviewDocument,
    variables: { givenUp: { ...ofChannel, states: ["PARKED" as const] } },
  });
  // The cache learns little of deliveries that were sent again, so this number has their list read anew.
  const [timesResent, setTimesResent] = useState(0);
  const [outcome, tell] = useOutcome();
  return (
    <>
      <div className="setting-toolbar">
        <SettingChoice
          name="channel"
          label={notifications.channel}
          options={channelNames.map((each) => [each, alertTexts.delivery.channels[each]])}
        />
        <SettingChoice
          name="state"
          label={notifications.state}
          options={states.map((each) => [each, notifications.states[each] ?? each])}
        />
      </div>
      <QueryResult result={result} onRetry={readAgain}>
        {({ facilities, workspace: { deliveryChannels, givenUp } }) => (
          <>
            {(state ?? "PARKED") === "PARKED" && givenUp.totalCount > 0 && (
              <GivenUpNotifications
                facilities={facilities}
                filter={{ ...ofChannel, states: ["PARKED"] }}
                total={givenUp.totalCount}
                onResent={(count) => {
                  readAgain();
                  setTimesResent(timesResent + 1);
                  tell(notifications.resent(count));
                }}
              />
            )}
            <div>
              <NotificationPage
                key={`${JSON.stringify(filter)} ${timesResent}`}
                filter={filter}
                after={null}
                tell={tell}
              />
            </div>
            <ChannelList setUp={deliveryChannels} />
          </>
        )}
      </QueryResult>
      {outcome}
    </>
  );
}

interface NotificationPageProps {
  filter: DeliveryFilter;
  after: string | null;
  tell: (message: string) => void;
}

function NotificationPage({ filter, after, tell }: NotificationPageProps) {
  const notifications = useTexts();
  return (
    <Query query={SentNotificationsDocument} variables={{ filter, after }}>
      {({
        workspace: {
          deliveries: { nodes, pageInfo },
        },
      }) => (
        <>
          {nodes.length === 0 &&
            after === null &&
            (Object.keys(filter).length > 0 ? (
              <Notice title={notifications.noMatch} />
            ) : (
              <Notice title={notifications.empty}>{notifications.emptyText}</Notice>
            ))}
          <ul className="setting-rows">
            {nodes.map((notification) => (
              <NotificationRow key={notification.id} notification={notification} tell={tell} />
            ))}
          </ul>
          {pageInfo.hasNextPage && (
            <NextPage>
              <NotificationPage filter={filter} after={pageInfo.endCursor} tell={tell} />
            </NextPage>
          )}
        </>
      )}
    </Query>
  );
}

interface NotificationRowProps {
  notification: SentNotificationFragment;
  tell: (message: string) => void;
}

function NotificationRow({ notification, tell }: NotificationRowProps) {
  const alertTexts = useAlertTexts();
  const notifications = useTexts();
  const [, sendAgain] = useMutation(SendAgainDocument);
  const {
    id,
    channel,
    kind,
    state,
    target,
    attempts,
    createdAt,
    nextAttemptAt,
    lastError,
    camera,
    facility,
  } = notification;
  const mayResend = useMay(facility ? "alert-rules:write" : "users:write", facility);
  const place = camera?.name ?? facility?.name;
  const resend = async () => {
    const outcome = await sendAgain({ ids: [id] });
    if (outcome.data) tell(notifications.resent(1));
    return outcome;
  };
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
          {alertTexts.delivery.channels[channel]} <StoredText>{target}</StoredText> ·{" "}
          <Moment instant={createdAt} />
        </p>
        <p className="hint" data-state={state}>
          {notifications.states[state] ?? state} · {notifications.attempts(attempts)}
          {nextAttemptAt && (
            <>
              {" · "}
              <Moment instant={nextAttemptAt} form="relative" />
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
          <ActionButton run={resend}>{notifications.resend}</ActionButton>
        </div>
      )}
    </li>
  );
}
