import { hasTexts } from "../storage.js";
import "./form.css";
import { type ComponentProps, type ReactNode, type SubmitEvent, useEffect, useRef, useState } from "react";
import { CombinedError } from "urql";
import { codeOf, failedChange } from "../data/failure.js";
import { useMessages } from "../language/language.js";
import { useLeaveQuestion } from "../navigation/location.js";
import { keepDraft, keptDraft } from "../session/drafts.js";
import { Dialog } from "../shell/dialog.js";
import type { english } from "./english.js";
import { FormContext, type Texts } from "./field.js";
import {
  errorDetails,
  type FieldProblems,
  type FieldRules,
  fieldProblems,
  isAllIn,
} from "./field-problems.js";
import { useTexts } from "./texts.js";

/** Whether the reader was filling in a form when the session ended or the view changed. */
export const isBeingWritten = (draftKey: string): boolean => keptDraft(draftKey) !== undefined;

export const textsIn = (form: HTMLFormElement): Record<string, string> =>
  Object.fromEntries(
    Array.from(new FormData(form), ([name, value]) => {
      const text = String(value).trim();
      const isNumber = form.querySelector(`[name="${CSS.escape(name)}"][inputmode=decimal]`) !== null;
      return [name, isNumber ? numberText(text) : text];
    }),
  );

const numberText = (text: string) => text.replace(",", ".");

/** The texts of an unfinished form; those at the start if nothing was written. */
export function initialTexts(draftKey: string, start: Texts): Texts {
  const draft = keptDraft(draftKey);
  return hasTexts(draft, Object.keys(draft ?? {})) ? draft : start;
}

/** Whether the problems of fields say all that an error says. */
const isShownIn = (problems: FieldProblems, error: CombinedError | undefined) =>
  error !== undefined &&
  (isAllIn(problems, error) || (hasEntries(problems) && errorDetails(error).length === 0));

const hasEntries = (problems: FieldProblems) => Object.keys(problems).length > 0;

/** What is missing in a form, or is not of the kind that is asked for: browsers would say so in words of their own. */
function unfitFields(form: HTMLFormElement, words: typeof english): FieldProblems {
  const problems: Record<string, string> = {};
  for (const field of form.querySelectorAll<HTMLInputElement>(":is(input, select, textarea)")) {
    const problem = problemWith(field, words);
    if (problem === undefined) continue;
    problems[field.name] = problem;
    field.closest("details")?.setAttribute("open", "");
  }
  return problems;
}

function problemWith(field: HTMLInputElement, words: typeof english) {
  const { validity, inputMode, value, min, max, step } = field;
  if (!validity.valid) return validity.valueMissing ? words.missing : words.unfit;
  // Browsers compare only what they themselves read as numbers.
  if (inputMode !== "decimal" || value.trim() === "") return undefined;
  const number = Number(numberText(value));
  if (step === "any" ? Number.isNaN(number) : !Number.isInteger(number)) return words.unfit;
  if (min !== "" && number < Number(min)) return words.atLeast(min);
  return max !== "" && number > Number(max) ? words.atMost(max) : undefined;
}

/** The name of the hidden field with the version, so that drafts keep it, too. */
const versionField = "version";

interface FormState {
  isSaving?: boolean;
  error?: CombinedError | undefined;
  /** Whether somebody else has changed the object since the form was opened. */
  isOutdated?: boolean;
}

export interface Outcome {
  error?: CombinedError | undefined;
}

/** What a change expects of its object: that nobody has changed it since this version. */
type Expected = { expectedUpdatedAt?: string };

interface EditFormProps<Saved extends Outcome> {
  /** The title of the dialog. */
  title: string;
  /** The purpose of the form, under which what is typed is kept until it is saved. */
  draftKey: string;
  start: Texts;
  /**
   * The version of what the form changes, such as its `updatedAt`; absent if it is new. The form keeps the one it was
   * opened with, as what it shows may be read again.
   */
  version?: string | undefined;
  /** Reads the present version, where the API does not compare versions; undefined if it cannot be read. */
  readVersion?: () => Promise<string | undefined>;
  rules?: FieldRules;
  /** The problems of fields that errors with certain codes mean. */
  refusals?: Readonly<Record<string, FieldProblems>>;
  /** Finds the problems that no single field has. */
  check?: (texts: Texts) => FieldProblems;
  /** Whether the form is a page of its own rather than in a dialog. */
  isPage?: boolean;
  /** The label of the button that saves, unless it is “Save”. */
  submitLabel?: string | undefined;
  /** Saves the trimmed texts; undefined if there is nothing to send yet. */
  onSubmit: (texts: Record<string, string>, expected: Expected) => Promise<Saved | undefined>;
  onSaved?: (saved: Saved) => void;
  onClose: () => void;
  children: ReactNode;
}

/**
 * A form in a dialog, or on a page. Keeps what is typed until it is saved or discarded, also when the session ends.
 * Asks before closing the dialog, or leaving the page, discards anything.
 */
export function EditForm<Saved extends Outcome>({
  title,
  draftKey,
  start,
  version,
  readVersion,
  rules = {},
  refusals = {},
  check,
  isPage = false,
  submitLabel,
  onSubmit,
  onSaved,
  onClose,
  children,
}: EditFormProps<Saved>) {
  const messages = useMessages();
  const words = useTexts();
  const [initial] = useState(() =>
    initialTexts(draftKey, { ...start, ...(version !== undefined && { [versionField]: version }) }),
  );
  const [texts, setTexts] = useState(initial);
  const [{ isSaving = false, error, isOutdated = false }, setState] = useState<FormState>({});
  const isSending = useRef(false);
  /** What the reader does next, once what is entered may be discarded. */
  const [next, setNext] = useState<() => void>();
  const form = useRef<HTMLFormElement>(null);
  const [unfit, setUnfit] = useState<FieldProblems>({});
  const problems = hasEntries(unfit)
    ? unfit
    : (refusals[(error && codeOf(error)) ?? ""] ?? fieldProblems(error, rules));
  const isExplained = hasEntries(unfit) || isShownIn(problems, error);
  const isCompared = version !== undefined && readVersion === undefined;
  const isConflict =
    isOutdated || (isCompared && error !== undefined && !isExplained && codeOf(error) === "CONFLICT");
  useEffect(() => {
    if (error || hasEntries(unfit)) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [error, unfit]);
  const end = () => {
    const dialog = form.current?.closest("dialog");
    // Closed rather than removed, the dialog returns the focus to what opened it.
    if (dialog) dialog.close();
    else onClose();
  };
  const close = (then = end) => {
    keepDraft(draftKey, undefined);
    then();
  };
  const requestClose = (then = end) => {
    if (!isBeingWritten(draftKey)) return true;
    setNext(() => then);
    return false;
  };
  const send = async (overwrites: boolean) => {
    if (isSending.current || !form.current) return;
    isSending.current = true;
    try {
      const { [versionField]: opened, ...given } = textsIn(form.current);
      const present = overwrites ? undefined : await readVersion?.();
      if (present !== undefined && present !== opened) return setState({ isOutdated: true });
      setState({ isSaving: true });
      const saved = await onSubmit(
        given,
        opened === undefined || overwrites ? {} : { expectedUpdatedAt: opened },
      );
      setState({ error: saved?.error });
      if (!saved || saved.error) return;
      onSaved?.(saved);
      close();
    } finally {
      isSending.current = false;
    }
  };
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const found = {
      ...unfitFields(event.currentTarget, words),
      ...check?.(textsIn(event.currentTarget)),
    };
    setUnfit(found);
    if (!hasEntries(found)) void send(false);
  };
  return (
    <Frame title={title} isPage={isPage} onClose={onClose} mayClose={requestClose}>
      <form
        ref={form}
        className="edit-form"
        noValidate
        onSubmit={submit}
        onInput={({ currentTarget }) => {
          keepDraft(draftKey, Object.fromEntries(new FormData(currentTarget)));
          setTexts(textsIn(currentTarget));
        }}
      >
        {initial[versionField] !== undefined && (
          <input type="hidden" name={versionField} defaultValue={initial[versionField]} />
        )}
        <FormContext value={{ start: initial, texts, problems }}>{children}</FormContext>
        {isExplained && (
          <p className="problem" role="alert">
            {words.look}
          </p>
        )}
        {isConflict && (
          <div className="form-question" role="alert">
            <p className="problem">{words.changedMeanwhile}</p>
            <button type="button" onClick={() => void send(true)}>
              {words.overwrite}
            </button>
          </div>
        )}
        {error && !isExplained && !isConflict && <Problem error={error} />}
        {next ? (
          <div className="form-question" role="alert">
            <p>{words.discardQuestion}</p>
            <button type="button" className="danger" onClick={() => close(next)}>
              {words.discard}
            </button>
            {/* biome-ignore lint/a11y/noAutofocus: The question replaces the focused buttons. */}
            <button type="button" autoFocus onClick={() => setNext(undefined)}>
              {words.keepEditing}
            </button>
          </div>
        ) : (
          <div className="form-actions">
            <button type="submit" className="primary" aria-busy={isSaving}>
              {submitLabel ?? messages.forms.save}
            </button>
            <button type="button" onClick={() => requestClose() && close()}>
              {messages.forms.cancel}
            </button>
          </div>
        )}
      </form>
    </Frame>
  );
}

interface FrameProps extends ComponentProps<typeof Dialog> {
  isPage: boolean;
  mayClose: (leave?: () => void) => boolean;
}

function Frame({ isPage, mayClose, ...dialog }: FrameProps) {
  useLeaveQuestion(isPage ? mayClose : undefined);
  return isPage ? dialog.children : <Dialog {...dialog} mayClose={() => mayClose()} />;
}

/** The reason for refusing a change, next to the unchanged value; nothing without an error. */
export function Problem({ error }: { error: CombinedError | undefined }) {
  const messages = useMessages();
  if (!error) return null;
  const details = errorDetails(error).map(({ path, message }) => `${path}: ${message}`);
  return (
    <p className="problem" role="alert">
      {[failedChange(error, messages), ...details].join("\n")}
    </p>
  );
}

/** Does something that takes a while. If it fails, returns or throws why. */
export type Action<Given extends unknown[] = []> = (...given: Given) => Promise<Outcome | undefined>;

interface RunningAction<Given extends unknown[]> {
  isBusy: boolean;
  /** Why it failed when it ran last. */
  error: CombinedError | undefined;
  start: (...given: Given) => void;
}

/** An action that does nothing when it is started again meanwhile. */
export function useAction<Given extends unknown[]>(run: Action<Given>): RunningAction<Given> {
  const [{ isBusy, error }, setState] = useState<{ isBusy: boolean } & Outcome>({ isBusy: false });
  const start = async (...given: Given) => {
    setState({ isBusy: true });
    const outcome = await run(...given).catch((error: unknown) => {
      if (error instanceof CombinedError) return { error };
      throw error;
    });
    setState({ isBusy: false, error: outcome?.error });
  };
  return { isBusy, error, start: (...given) => isBusy || void start(...given) };
}

/** A button for an action. */
export function ActionButton({ run, children }: { run: Action; children: ReactNode }) {
  const { isBusy, error, start } = useAction(run);
  return (
    <>
      <button type="button" aria-busy={isBusy} onClick={start}>
        {children}
      </button>
      <Problem error={error} />
    </>
  );
}
