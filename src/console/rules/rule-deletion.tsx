import { useMutation } from "urql";
import { DeleteRuleDocument } from "../../generated/console.js";
import { Confirmation } from "../form/confirmation.js";
import { useTexts } from "./texts.js";

interface RuleDeletionProps {
  ruleId: string;
  /** The name of the rule for people, isolated from the text around it. */
  title: string;
  onClose: () => void;
  onDeleted: (outcome: string) => void;
}

/** Asks before a rule is deleted. */
export function RuleDeletion({ ruleId, title, onClose, onDeleted }: RuleDeletionProps) {
  const rules = useTexts();
  const [{ error, fetching }, remove] = useMutation(DeleteRuleDocument);
  const confirm = async () => {
    const { data } = await remove({ id: ruleId });
    if (!data) return;
    onClose();
    onDeleted(rules.deleted(title));
  };
  return (
    <Confirmation
      title={rules.deleteTitle(title)}
      label={rules.delete}
      isBusy={fetching}
      error={error}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <p>{rules.deleteText}</p>
    </Confirmation>
  );
}
