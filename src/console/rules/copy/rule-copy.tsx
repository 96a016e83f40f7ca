import "./rule-copy.css";
import { useState } from "react";
import {
  type CameraRuleFragment,
  type CopyTargetFragment,
  CopyTargetsDocument,
  type RulesCameraFragment,
} from "../../../generated/console.js";
import { isolated } from "../../../platform/text-direction.js";
import { failedChange } from "../../data/failure.js";
import { Query } from "../../data/query.js";
import { Checkbox } from "../../form/field.js";
import { StoredText, useLanguage } from "../../language/language.js";
import { CopyableText } from "../../shell/copyable-text.js";
import { Dialog } from "../../shell/dialog.js";
import { SearchField } from "../../shell/search-field.js";
import { useRuleTitle } from "../rule-title.js";
import { useTexts } from "../texts.js";
import { useCopying } from "./use-copying.js";

interface RuleCopyProps {
  rule: CameraRuleFragment;
  camera: RulesCameraFragment;
  onClose: () => void;
  onCopied: (outcome: string) => void;
}

/** Chooses cameras that get a copy of a rule, and says which of them have got it. */
export function RuleCopy({ rule, camera, onClose, onCopied }: RuleCopyProps) {
  const { messages } = useLanguage();
  const { copies } = useTexts();
  const titleOf = useRuleTitle();
  const from = { imageDimensions: camera.imageDimensions ?? null, timeZone: camera.facility.timeZoneId };
  const { copied, failed, isRunning, secret, copy } = useCopying(rule, from);
  const [chosen, setChosen] = useState<readonly CopyTargetFragment[]>([]);
  const left = chosen.filter(({ id }) => !copied.has(id));
  const start = async () => {
    if (isRunning || !(await copy(chosen)) || secret !== undefined) return;
    onCopied(copies.copied(chosen.length));
    onClose();
  };
  const isDone = copied.size > 0 && left.length === 0;
  return (
    <Dialog title={copies.title(titleOf(rule))} onClose={onClose} mayClose={() => !isRunning}>
      <div className="edit-form rule-copy">
        {!isDone && (
          <>
            <p className="hint">{copies.text}</p>
            {secret !== undefined && <p className="hint">{copies.newSecret}</p>}
            <Targets
              source={camera.id}
              copied={copied}
              chosen={chosen}
              isRunning={isRunning}
              onChoose={setChosen}
            />
          </>
        )}
        {copied.size > 0 && <p role="status">{copies.copied(copied.size)}</p>}
        {failed.size > 0 && (
          <ul className="problem" role="alert">
            {[...failed].map(([{ id, name }, error]) => (
              <li key={id}>{copies.failed(isolated(name), failedChange(error, messages))}</li>
            ))}
          </ul>
        )}
        {copied.size > 0 && secret !== undefined && <CopyableText label={copies.secret} text={secret} />}
        <div className="form-actions">
          {!isDone && (
            <button
              type="button"
              className="primary"
              aria-busy={isRunning}
              disabled={left.length === 0}
              onClick={() => void start()}
            >
              {failed.size > 0 ? copies.again(left.length) : copies.copyTo(left.length)}
            </button>
          )}
          <button type="button" disabled={isRunning} onClick={onClose}>
            {isDone ? messages.common.close : messages.forms.cancel}
          </button>
        </div>
      </div>
    </Dialog>
  );
}

interface TargetsProps {
  /** The ID of the camera of the rule. */
  source: string;
  copied: ReadonlySet<string>;
  chosen: readonly CopyTargetFragment[];
  isRunning: boolean;
  onChoose: (chosen: readonly CopyTargetFragment[]) => void;
}

/** The cameras to choose from: the first ones that match the search. */
function Targets({ source, copied, chosen, isRunning, onChoose }: TargetsProps) {
  const { messages } = useLanguage();
  const rules = useTexts();
  const { copies } = rules;
  const [text, setText] = useState("");
  const isChosen = (target: CopyTargetFragment) => chosen.some(({ id }) => id === target.id);
  const choose = (targets: readonly CopyTargetFragment[]) =>
    onChoose([...chosen, ...targets.filter((target) => !isChosen(target))]);
  return (
    <>
      <SearchField label={messages.fleet.search} value={text} onChange={setText} />
      <Query query={CopyTargetsDocument} variables={{ filter: text === "" ? {} : { text } }}>
        {({ searchCameras: { nodes, totalCount } }) => {
          const others = nodes.filter(({ id }) => id !== source);
          const possible = others.filter(mayHaveRules);
          return (
            <fieldset className="choices copy-targets" disabled={isRunning}>
              <legend className="visually-hidden">{messages.fleet.cameras}</legend>
              {others.map((target) => (
                <Checkbox
                  key={target.id}
                  checked={isChosen(target)}
                  disabled={copied.has(target.id) || !mayHaveRules(target)}
                  onChange={({ currentTarget }) =>
                    currentTarget.checked
                      ? choose([target])
                      : onChoose(chosen.filter(({ id }) => id !== target.id))
                  }
                >
                  <span>
                    <StoredText>{target.name}</StoredText>{" "}
                    <span className="hint">
                      <StoredText>{target.facility.name}</StoredText>
                      {copied.has(target.id) && ` · ${copies.has}`}
                      {!mayHaveRules(target) && ` · ${copies.forbidden}`}
                      {!target.imageDimensions && ` · ${copies.unscaled}`}
                    </span>
                  </span>
                </Checkbox>
              ))}
              {others.length === 0 && <p className="hint">{messages.fleet.noMatch}</p>}
              {possible.some((target) => !isChosen(target)) && (
                <button type="button" onClick={() => choose(possible)}>
                  {copies.chooseAll(possible.length)}
                </button>
              )}
              {totalCount > nodes.length && (
                <p className="hint">{rules.moreCameras(totalCount - nodes.length)}</p>
              )}
            </fieldset>
          );
        }}
      </Query>
    </>
  );
}

/** Whether the viewer may add rules to a camera. */
const mayHaveRules = ({ facility }: CopyTargetFragment) =>
  facility.viewerPermissions.includes("alert-rules:write");
