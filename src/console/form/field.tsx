import "./form.css";
import { type ReactNode, useId } from "react";

interface FieldAttributes {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": boolean | undefined;
}

interface FieldProps {
  label: string;
  hint?: string | undefined;
  /** The problem with the entered text. */
  problem?: string | undefined;
  children: (attributes: FieldAttributes) => ReactNode;
}

/** A labelled field of a form, with the problem of its text below. */
export function Field({ label, hint, problem, children }: FieldProps) {
  const id = useId();
  const isInvalid = problem !== undefined;
  const problemId = `${id}-problem`;
  return (
    <div className="field">
      <label htmlFor={id}>
        {label} {hint && <span className="hint">{hint}</span>}
      </label>
      {children({
        id,
        "aria-describedby": isInvalid ? problemId : undefined,
        "aria-invalid": isInvalid || undefined,
      })}
      {isInvalid && (
        <p id={problemId} className="problem">
          {problem}
        </p>
      )}
    </div>
  );
}
