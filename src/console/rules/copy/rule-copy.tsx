import "./rule-copy.css";
import { useEffect, useState } from "react";
import { type CombinedError, useClient } from "urql";
import {
  AddRuleDocument,
  type CameraRuleFragment,
  type CopyTargetFragment,
  CopyTargetsDocument,
  type CreateAlertRuleInput,
  type RulesCameraFragment,
} from "../../../generated/console.js";
import type { Size } from "../../../platform/geometry.js";
import { randomUuid } from "../../../platform/ids/random-uuid.js";
import { isolated } from "../../../platform/text/text-direction.js";
import { codeOf, failedChange } from "../../data/failure.js";
import { Query } from "../../data/query.js";
import { serverTime } from "../../data/server-time.js";
import { Checkbox } from "../../form/field.js";
import { StoredText, useMessages } from "../../language/language.js";
import { CopyableText } from "../../shell/copyable-text.js";
import { Dialog } from "../../shell/dialog.js";
import { SearchField } from "../../shell/search-field.js";
import { within } from "../areas.js";
import { type RuleNode, ruleNode, withChanges } from "../rule-node.js";
import { useRuleTitle } from "../rule-title.js";
import { hoursOf, timeRangeOf } from "../schedule.js";
import { useTexts } from "../texts.js";
import { newSecret } from "../webhook/new-secret.js";

interface RuleCopyProps {
  rule: CameraRuleFragment;
  camera: RulesCameraFragment;
  /** The cameras to which it is copied at once. */
  targets?: readonly CopyTargetFragment[];
  /** The secret of the rule's webhook, if that is known. */
  knownSecret?: string | undefined;
  onClose: () => void;
  onCopied: (outcome: string) => void;
}

/** Chooses cameras that get a copy of a rule, and says which of them have got it. */
export function RuleCopy({ rule, camera, targets = [], knownSecret, onClose, onCopied }: RuleCopyProps) {
  const messages = useMessages();
  const { copies } = useTexts();
  const titleOf = useRuleTitle();
  const from = { imageDimensions: camera.imageDimensions ?? null, timeZone: camera.facility.timeZoneId };
  const { copied, failed, isRunning, secret, copy } = useCopying(rule, from, knownSecret);
  const [chosen, setChosen] = useState(targets);
  const hasNewSecret = secret !== undefined && knownSecret === undefined;
  const left = chosen.filter(({ id }) => !copied.has(id));
  const start = async () => {
    if (isRunning || !(await copy(chosen)) || hasNewSecret) return;
    onCopied(copies.copied(chosen.length));
    onClose();
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what was chosen before is copied at once.
  useEffect(() => {
    if (targets.length > 0) void start();
  }, []);
  const isDone = copied.size > 0 && left.length === 0;
  return (
    <Dialog title={copies.title(titleOf(rule))} onClose={onClose} mayClose={() => !isRunning}>
      <div className="edit-form rule-copy">
        {!isDone && (
          <>
            <p className="hint">{copies.text}</p>
            {hasNewSecret && <p className="hint">{copies.newSecret}</p>}
            <CopyTargets
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
          <div className="problem" role="alert">
            <ul>
              {[...failed].map(([{ id, name }, error]) => (
                <li key={id}>{copies.failed(isolated(name), failedChange(error, messages))}</li>
              ))}
            </ul>
          </div>
        )}
        {copied.size > 0 && hasNewSecret && <CopyableText label={copies.secret} text={secret} />}
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

interface CopyTargetsProps {
  source: string;
  copied?: ReadonlySet<string>;
  chosen: readonly CopyTargetFragment[];
  isRunning?: boolean;
  onChoose: (chosen: readonly CopyTargetFragment[]) => void;
}

/** The cameras to choose from: the first ones that match the search. */
export function CopyTargets({
  source,
  copied = new Set(),
  chosen,
  isRunning = false,
  onChoose,
}: CopyTargetsProps) {
  const messages = useMessages();
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

interface Copying {
  copied: ReadonlySet<string>;
  /** The cameras that do not have it, and why. */
  failed: ReadonlyMap<CopyTargetFragment, CombinedError>;
  isRunning: boolean;
}

/** Failures that concern one camera only; after others, the rest would fail, too. */
const aboutOneCamera = new Set(["BAD_REQUEST", "FORBIDDEN", "NOT_FOUND", "CONFLICT"]);

/**
 * Copies a rule to other cameras, one after the other. A repetition sends the same under the same key, so that no
 * camera gets a second copy, whatever happened to the first answer.
 */
function useCopying(rule: CameraRuleFragment, from: CopyContext, knownSecret: string | undefined) {
  const client = useClient();
  const [run] = useState(() => ({
    key: randomUuid(),
    rule,
    from,
    now: new Date(serverTime()),
    secret: rule.apiNotification?.hasSecret ? (knownSecret ?? newSecret()) : undefined,
  }));
  const [copying, setCopying] = useState<Copying>({ copied: new Set(), failed: new Map(), isRunning: false });
  const copyTo = async (target: CopyTargetFragment) => {
    const context = { imageDimensions: target.imageDimensions ?? null, timeZone: target.facility.timeZoneId };
    const { error } = await client.mutation(
      AddRuleDocument,
      { camera: target.id, input: copyFor(run.rule, context, run) },
      { fetchOptions: { headers: { "Idempotency-Key": `${run.key} ${target.id}` } } },
    );
    return error;
  };
  /** Copies to those of the cameras that have no copy. Returns whether all have one then. */
  const copy = async (targets: readonly CopyTargetFragment[]) => {
    const copied = new Set(copying.copied);
    const failed = new Map<CopyTargetFragment, CombinedError>();
    const show = (isRunning: boolean) =>
      setCopying({ copied: new Set(copied), failed: new Map(failed), isRunning });
    for (const target of targets) {
      if (copied.has(target.id)) continue;
      show(true);
      const error = await copyTo(target);
      if (!error) copied.add(target.id);
      else {
        failed.set(target, error);
        if (!aboutOneCamera.has(codeOf(error) ?? "")) break;
      }
    }
    show(false);
    return targets.every(({ id }) => copied.has(id));
  };
  return { ...copying, secret: run.secret, copy };
}

/** What a copy depends on: the picture of a camera, and the clock of its facility. */
interface CopyContext {
  imageDimensions?: Size | null;
  timeZone: string;
}

interface Copies {
  from: CopyContext;
  now: Date;
  /** A new secret for the webhook, as nobody can read the rule's own. */
  secret: string | undefined;
}

/**
 * A rule for another camera: with new IDs, its areas scaled to the other picture, and at the same hours by
 * the clock of the other facility.
 */
function copyFor(
  rule: CameraRuleFragment,
  to: CopyContext,
  { from, now, secret }: Copies,
): CreateAlertRuleInput {
  const { name, severity, status, observation, evaluated, dayRange, emails, phoneNumbers } = rule;
  const hours = hoursOf(rule.timeRange, from.timeZone);
  const { url, enabled } = rule.apiNotification ?? {};
  return {
    name,
    severity,
    status,
    observation,
    evaluated,
    dayRange,
    emails,
    phoneNumbers,
    timeRange: hours ? timeRangeOf(hours, to.timeZone, now) : null,
    apiNotification:
      url === undefined ? null : { url, enabled: enabled ?? true, ...(secret !== undefined && { secret }) },
    group: copiedTree(ruleNode(rule.group), from.imageDimensions, to.imageDimensions),
  };
}

/** A tree without IDs, scaled from one picture to another if both sizes are known. */
function copiedTree(node: RuleNode, from: Size | null | undefined, to: Size | null | undefined): RuleNode {
  const points =
    from && to
      ? node.points?.map(({ x, y }) =>
          within(to, { x: (x * to.width) / from.width, y: (y * to.height) / from.height }),
        )
      : node.points;
  const children = node.children?.map((child) => copiedTree(child, from, to));
  return withChanges(node, { id: undefined, points, children });
}
