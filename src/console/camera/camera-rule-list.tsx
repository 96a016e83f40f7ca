import type { ShownCameraFragment } from "../../generated/console.js";
import { useLanguage } from "../language/language.js";
import { StoredText } from "../language/stored-text.js";
import { Link } from "../navigation/link.js";
import { useRuleSentence } from "../rules/sentence/use-rule-sentence.js";
import { SnoozedUntil } from "../snooze/snoozed-until.js";
import { useTexts } from "./texts.js";

/** The rules of a camera, in short. */
export function CameraRuleList({ camera: { id, alertRules, facility } }: { camera: ShownCameraFragment }) {
  const { words } = useLanguage();
  const texts = useTexts();
  const sentenceOf = useRuleSentence();
  return (
    <section className="insight-panel" aria-labelledby="camera-rules">
      <header>
        <h2 id="camera-rules">{texts.rules}</h2>
      </header>
      {alertRules.length === 0 && <p className="hint">{texts.noRules}</p>}
      <ul className="camera-rule-list">
        {alertRules.map(({ name, severity, status, observation, group, ...rule }) => (
          <li key={rule.id}>
            <p>
              <strong>
                <StoredText>{words.alertType(name)}</StoredText>
              </strong>
              <span className="severity" data-severity={severity}>
                <StoredText>{words.severity(severity)}</StoredText>
              </span>
            </p>
            <p className="hint">{sentenceOf(group)}</p>
            {(observation || status !== "ACTIVE") && (
              <p className="hint">{status === "ACTIVE" ? texts.observation : texts.inactive}</p>
            )}
            <SnoozedUntil of={rule} timeZone={facility.effectiveTimeZoneId} />
          </li>
        ))}
      </ul>
      <p>
        <Link to={{ view: "rules", camera: id }}>{texts.changeRules}</Link>
      </p>
    </section>
  );
}
