import { useTexts } from "./texts.js";

interface RememberChoiceProps {
  isRemembered: boolean;
  onChange: (isRemembered: boolean) => void;
}

/** Asks whether a session by a link is to outlive the browser. */
export function RememberChoice({ isRemembered, onChange }: RememberChoiceProps) {
  const { signIn } = useTexts();
  return (
    <label className="choice">
      <input
        type="checkbox"
        checked={isRemembered}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      {signIn.remember}
    </label>
  );
}
