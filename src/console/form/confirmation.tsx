import "./form.css";
import type { ReactNode } from "react";
import { type AnyVariables, type DocumentInput, useMutation } from "urql";
import { useMessages } from "../language/language.js";
import { Dialog } from "../shell/dialog.js";
import { type Action, Problem, useAction } from "./edit-form.js";

interface Question {
  title: string;
  label: string;
  /** Whether something is still missing before it can be confirmed. */
  isDisabled?: boolean;
  onClose: () => void;
  /** What will be lost. */
  children: ReactNode;
}

interface ConfirmationProps extends Question {
  onConfirm: Action;
}

/** Asks before something is lost. The button that changes nothing has the focus. */
export function Confirmation({
  title,
  label,
  isDisabled = false,
  onConfirm,
  onClose,
  children,
}: ConfirmationProps) {
  const messages = useMessages();
  const { isBusy, error, start } = useAction(onConfirm);
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="edit-form">
        {children}
        <Problem error={error} />
        <div className="form-actions">
          <button type="button" className="danger" disabled={isDisabled} aria-busy={isBusy} onClick={start}>
            {label}
          </button>
          {/* biome-ignore lint/a11y/noAutofocus: Enter must not confirm by accident. */}
          <button type="button" autoFocus onClick={onClose}>
            {messages.forms.cancel}
          </button>
        </div>
      </div>
    </Dialog>
  );
}

interface MutationConfirmationProps<Data, Variables extends AnyVariables> extends Question {
  mutation: DocumentInput<Data, Variables>;
  variables: Variables;
  /** Called when it is done, after {@link Question.onClose}. */
  onDone: (data: Data) => void;
}

export function MutationConfirmation<Data, Variables extends AnyVariables>({
  mutation,
  variables,
  onDone,
  ...question
}: MutationConfirmationProps<Data, Variables>) {
  const [, execute] = useMutation(mutation);
  const confirm = async () => {
    const { data, error } = await execute(variables);
    if (!data) return { error };
    question.onClose();
    onDone(data);
  };
  return <Confirmation {...question} onConfirm={confirm} />;
}
