import { useState } from "react";
import { useMutation } from "urql";
import {
  type CameraRuleFragment,
  type CameraRulesQuery,
  type DeliveryChannel,
  TestRuleDocument,
} from "../../generated/console.js";
import { isolated } from "../../platform/text-direction.js";
import { useAlertTexts } from "../alerts/texts.js";
import { Problem } from "../form/problem.js";
import { useLanguage } from "../language/language.js";
import { Moment } from "../language/moment.js";
import { StoredText } from "../language/stored-text.js";
import { defaultColor } from "./areas.js";
import { RuleDeletion } from "./rule-deletion.js";
import { isRuleBeingWritten, RuleForm } from "./rule-form.js";
import { useRuleSentence } from "./sentence/use-rule-sentence.js";
import { useTexts } from "./texts.js";

type Camera = NonNullable<CameraRulesQuery["camera"]>;

interface RuleCardProps {
  rule: CameraRuleFragment;
  camera: Camera;
  channels: readonly string[];
  mayChange: boolean;
  isSelected: boolean;
  onSelect: () => void;
  onDraw: () => void;
  onSaved: (outcome: string) => void;
  title: string;
}

/** A rule: its conditions, the severity of its alerts, and its targets. */
export function RuleCard({
  rule,
  camera,
  channels,
  mayChange,
  isSelected,
  onSelect,
  onDraw,
  onSaved,
  title,
}: RuleCardProps) {
  const { words } = useLanguage();
  const rules = useTexts();
  const sentenceOf = useRuleSentence();
  const [isChanging, setChanging] = useState(
    () => mayChange && isRuleBeingWritten({ cameraId: camera.id, rule }),
  );
  const [isDeleting, setDeleting] = useState(false);
  const [test, sendTest] = useMutation(TestRuleDocument);
  const routes = routesOf(rule, camera);
  const canTest = routes.some(({ channel, ofRule }) => ofRule && channels.includes(channel));
  const isActive = rule.status === "ACTIVE";
  return (
    <article className="rule-card" data-selected={isSelected} aria-label={isolated(title)}>
      <header>
        <h3>
          <button type="button" className="rule-name" aria-pressed={isSelected} onClick={onSelect}>
            <svg className="rule-color" viewBox="0 0 12 12" aria-hidden="true">
              <rect width="12" height="12" rx="3" fill={rule.areas[0]?.color ?? defaultColor} />
            </svg>
            <StoredText>{title}</StoredText>
          </button>
        </h3>
        <span className="severity" data-severity={rule.severity}>
          <StoredText>{words.severity(rule.severity)}</StoredText>
        </span>
      </header>
      <p>{sentenceOf(rule.group)}</p>
      {(rule.observation || !isActive) && (
        <p className="hint">{isActive ? rules.observation : rules.inactive(isolated(rule.status))}</p>
      )}
      <dl className="routes">
        {routes.map(({ channel, targets }) => (
          <Route
            key={channel}
            channel={channel}
            targets={targets}
            isSetUp={channels.includes(channel)}
            isSilent={!isActive || (rule.observation && channel !== "WEBHOOK")}
            last={rule.deliveries.nodes.find((delivery) => delivery.channel === channel)}
            timeZone={camera.facility.timeZoneId}
          />
        ))}
      </dl>
      {routes.length === 0 && <p className="hint">{rules.tellsNobody}</p>}
      {mayChange && (
        <div className="rule-actions">
          <button type="button" onClick={() => setChanging(true)}>
            {rules.change}
          </button>
          <button type="button" onClick={onDraw}>
            {rule.areas.length > 0 ? rules.changeArea : rules.drawArea}
          </button>
          {canTest && (
            <button type="button" aria-busy={test.fetching} onClick={() => void sendTest({ id: rule.id })}>
              {rules.sendTest}
            </button>
          )}
          <button type="button" onClick={() => setDeleting(true)}>
            {rules.delete}
          </button>
        </div>
      )}
      {test.error && <Problem error={test.error} />}
      {isDeleting && (
        <RuleDeletion
          ruleId={rule.id}
          title={isolated(title)}
          onClose={() => setDeleting(false)}
          onDeleted={onSaved}
        />
      )}
      {isChanging && (
        <RuleForm rule={rule} cameraId={camera.id} onClose={() => setChanging(false)} onSaved={onSaved} />
      )}
    </article>
  );
}

interface TargetsOfChannel {
  channel: DeliveryChannel;
  targets: readonly string[];
  /** Whether the rule itself names some targets, which then get its tests. */
  ofRule: boolean;
}

/** The targets of a rule by channel: its own targets, and the addresses of its camera. */
function routesOf(
  { emails, phoneNumbers, apiNotification }: CameraRuleFragment,
  { emailAddresses }: Camera,
): TargetsOfChannel[] {
  const addresses = new Map(
    [...emails, ...emailAddresses].map((address) => [address.toLowerCase(), address]),
  );
  const routes: TargetsOfChannel[] = [
    { channel: "EMAIL", targets: [...addresses.values()], ofRule: emails.length > 0 },
    { channel: "SMS", targets: phoneNumbers, ofRule: phoneNumbers.length > 0 },
    { channel: "WEBHOOK", targets: apiNotification?.enabled ? [apiNotification.url] : [], ofRule: true },
  ];
  return routes.filter(({ targets }) => targets.length > 0);
}

interface RouteProps {
  channel: DeliveryChannel;
  targets: readonly string[];
  isSetUp: boolean;
  isSilent: boolean;
  last: CameraRuleFragment["deliveries"]["nodes"][number] | undefined;
  timeZone: string;
}

/** One channel of a rule, with its targets and its state. */
function Route({ channel, targets, isSetUp, isSilent, last, timeZone }: RouteProps) {
  const alertTexts = useAlertTexts();
  const rules = useTexts();
  return (
    <div>
      <dt>{alertTexts.delivery.channels[channel]}</dt>
      <dd>
        {targets.map(isolated).join(", ")}
        {!isSetUp && (
          <span className="route-state" data-state="PARKED">
            {rules.notSetUp}
          </span>
        )}
        {isSetUp && isSilent && <span className="route-state">{rules.silent}</span>}
        {isSetUp && !isSilent && !last && <span className="route-state">{rules.nothingSent}</span>}
        {isSetUp && last && (
          <span
            className="route-state"
            data-state={last.state}
            role={last.kind === "TEST" ? "status" : undefined}
          >
            {last.kind === "TEST" ? rules.testStates[last.state] : rules.states[last.state]}{" "}
            <Moment instant={last.sentAt ?? last.createdAt} timeZone={timeZone} relative />
            {last.state !== "SENT" && last.lastError && `: ${isolated(last.lastError)}`}
          </span>
        )}
      </dd>
    </div>
  );
}
