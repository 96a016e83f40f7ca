import { useState } from "react";
import { useMutation } from "urql";
import {
  type CameraRuleFragment,
  DeleteRuleDocument,
  type RulesCameraFragment,
  SnoozeAlertRuleDocument,
  TestRuleDocument,
} from "../../generated/console.js";
import { isolated } from "../../platform/text/text-direction.js";
import { MutationConfirmation } from "../form/confirmation.js";
import { Problem } from "../form/edit-form.js";
import { StoredText, useLanguage } from "../language/language.js";
import { Link } from "../navigation/location.js";
import { Menu } from "../shell/menu.js";
import { Snooze, SnoozedUntil } from "../snooze/snooze.js";
import { defaultColor } from "./areas.js";
import { RuleCopy } from "./copy/rule-copy.js";
import { RuleEvaluation } from "./evaluation/evaluation.js";
import { canTest, RuleRoutes } from "./rule-routes.js";
import { ruleName, useRuleTitle } from "./rule-title.js";
import { hoursOf, scheduleInWords } from "./schedule.js";
import { useTexts } from "./texts.js";
import { useRuleSentence } from "./use-rule-sentence.js";

interface RuleCardProps {
  rule: CameraRuleFragment;
  camera: RulesCameraFragment;
  channels: readonly string[];
  mayChange: boolean;
  isSelected: boolean;
  onSelect: () => void;
  tell: (outcome: string) => void;
}

/** A rule: its name, its conditions, the severity of its alerts, and its targets. */
export function RuleCard({ rule, camera, channels, mayChange, isSelected, onSelect, tell }: RuleCardProps) {
  const { formats, messages, words } = useLanguage();
  const rules = useTexts();
  const sentenceOf = useRuleSentence();
  const titleOf = useRuleTitle();
  const [isDeleting, setDeleting] = useState(false);
  const [isCopying, setCopying] = useState(false);
  const [test, sendTest] = useMutation(TestRuleDocument);
  const page = { view: "rules", camera: camera.id, rule: rule.id };
  const isActive = rule.status === "ACTIVE";
  const type = words.alertType(rule.name);
  const name = ruleName(rule);
  const hours = hoursOf(rule.timeRange, camera.facility.timeZoneId);
  return (
    <article
      className="rule-card"
      data-selected={isSelected}
      aria-label={name === undefined ? isolated(type) : `${isolated(name)}, ${isolated(type)}`}
    >
      <header>
        <h3>
          <button type="button" className="rule-name" aria-pressed={isSelected} onClick={onSelect}>
            <RuleColor rule={rule} />
            <StoredText>{name ?? type}</StoredText>
          </button>
        </h3>
        <span className="severity" data-severity={rule.severity}>
          <StoredText>{words.severity(rule.severity)}</StoredText>
        </span>
      </header>
      {name !== undefined && (
        <p className="hint">
          <StoredText>{type}</StoredText>
        </p>
      )}
      <p>{sentenceOf(rule.group)}</p>
      <p className="hint">{scheduleInWords(rule.dayRange, hours, { formats, rules })}</p>
      {(rule.observation || !isActive) && (
        <p className="hint">{isActive ? rules.observation : rules.inactive(isolated(rule.status))}</p>
      )}
      <RuleEvaluation camera={camera} ruleId={rule.id} />
      <RuleRoutes rule={rule} camera={camera} setUp={channels} />
      <Snooze
        kind="rule"
        document={SnoozeAlertRuleDocument}
        of={rule}
        name={titleOf(rule)}
        timeZone={camera.facility.timeZoneId}
        mayChange={mayChange}
      />
      <SnoozedUntil of={camera} whose="camera" timeZone={camera.facility.timeZoneId} />
      <SnoozedUntil of={camera.facility} whose="facility" timeZone={camera.facility.timeZoneId} />
      {mayChange && (
        <div className="rule-actions">
          <Link className="button" to={page}>
            {messages.forms.change}
          </Link>
          <Link className="button" to={{ ...page, area: rule.areas[0]?.id ?? "new" }}>
            {rule.areas.length > 0 ? rules.changeArea : rules.drawArea}
          </Link>
          <Menu label={messages.common.more} isBusy={test.fetching}>
            {canTest(rule, camera, channels) && (
              <button type="button" onClick={() => void sendTest({ id: rule.id })}>
                {rules.sendTest}
              </button>
            )}
            <button type="button" onClick={() => setCopying(true)}>
              {rules.copy}
            </button>
            <button type="button" onClick={() => setDeleting(true)}>
              {messages.forms.delete}
            </button>
          </Menu>
        </div>
      )}
      <Problem error={test.error} />
      {isDeleting && (
        <MutationConfirmation
          title={messages.forms.deleteTitle(titleOf(rule))}
          label={messages.forms.delete}
          mutation={DeleteRuleDocument}
          variables={{ id: rule.id }}
          onDone={() => tell(messages.forms.deleted(titleOf(rule)))}
          onClose={() => setDeleting(false)}
        >
          <p>{rules.deleteText}</p>
        </MutationConfirmation>
      )}
      {isCopying && (
        <RuleCopy rule={rule} camera={camera} onClose={() => setCopying(false)} onCopied={tell} />
      )}
    </article>
  );
}

function RuleColor({ rule: { areas } }: { rule: CameraRuleFragment }) {
  const [area] = areas;
  return (
    area && (
      <svg className="rule-color" viewBox="0 0 12 12" aria-hidden="true">
        <rect width="12" height="12" rx="3" fill={area.color ?? defaultColor} />
      </svg>
    )
  );
}
