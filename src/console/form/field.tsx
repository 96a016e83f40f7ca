import "./form.css";
import { type ComponentProps, createContext, createElement, type ReactNode, use, useId } from "react";
import type { FieldProblems } from "./field-problems.js";

export type Texts = Record<string, string | undefined>;

interface Form {
  /** The texts at the start; a box that is ticked has one. */
  start: Texts;
  /** The present texts. */
  texts: Texts;
  problems: FieldProblems;
}

export const FormContext = createContext<Form>({ start: {}, texts: {}, problems: {} });

export const useForm = (): Form => use(FormContext);

interface FieldAttributes {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": boolean | undefined;
}

interface Label {
  label: string;
  hint?: string | undefined;
}

interface FieldProps extends Label {
  problem?: string | undefined;
  children: (attributes: FieldAttributes) => ReactNode;
}

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

interface NamedFieldProps extends Label {
  name: string;
  /** The name under which the form has its problem, if that is another one. */
  problemOf?: string | undefined;
  /** A problem that is known before anything is sent. */
  problem?: string | undefined;
}

/** A field under its name: the form knows the text at the start, and the problem with it. */
function NamedField({
  tag,
  label,
  hint,
  problemOf,
  problem,
  ...element
}: NamedFieldProps & { tag: string; [attribute: string]: unknown }) {
  const { start, problems } = useForm();
  const { name } = element;
  return (
    <Field label={label} hint={hint} problem={problem ?? problems[problemOf ?? name] ?? problems[name]}>
      {(attributes) => createElement(tag, { ...attributes, defaultValue: start[name], ...element })}
    </Field>
  );
}

/** A field for numbers, which browsers would read in their own language alone. */
const numberField = { type: "text", inputMode: "decimal", pattern: "-?[0-9]*[.,]?[0-9]*" };

/** A field of a form for a text, which may have several rows, or for a number. */
export const TextField = (props: NamedFieldProps & ComponentProps<"input"> & { rows?: number }) => (
  <NamedField
    tag={props.rows ? "textarea" : "input"}
    {...props}
    {...(props.type === "number" && numberField)}
  />
);

type Choices = readonly (readonly [value: string, text: string])[];

export const Options = ({ of }: { of: Choices }) =>
  of.map(([value, text]) => (
    <option key={value} value={value}>
      {text}
    </option>
  ));

/** A field of a form for a choice. */
export const SelectField = ({
  options,
  ...select
}: NamedFieldProps & ComponentProps<"select"> & { options: Choices }) => (
  <NamedField tag="select" {...select}>
    <Options of={options} />
  </NamedField>
);

/** The problem with what has no field of its own, such as a list of boxes. */
export function FieldProblem({ of }: { of: string }) {
  const problem = useForm().problems[of];
  return problem && <p className="problem">{problem}</p>;
}

/** A box to tick: by its name in a form, or by itself. */
export function Checkbox({ children, hidden, ...input }: ComponentProps<"input">) {
  const { start } = useForm();
  return (
    <label className="choice" hidden={hidden}>
      <input type="checkbox" {...(input.name && { defaultChecked: input.name in start })} {...input} />
      {children}
    </label>
  );
}

interface SingleChoiceProps<Value extends string> {
  /** The name of the field, with which its form is sent; absent outside of forms. */
  name?: string;
  label: string;
  options: readonly (readonly [value: Value, text: string])[];
  /** Nothing is chosen if no option has this value. */
  chosen: string;
  onChange: (value: Value) => void;
}

/** A list for exactly one choice. */
export function SingleChoice<Value extends string>({
  name,
  label,
  options,
  chosen,
  onChange,
}: SingleChoiceProps<Value>) {
  const id = useId();
  return (
    <fieldset className="choices">
      <legend>{label}</legend>
      {options.map(([value, text]) => (
        <label key={value} className="choice">
          <input
            type="radio"
            name={name ?? id}
            value={value}
            checked={value === chosen}
            onChange={() => onChange(value)}
          />
          {text}
        </label>
      ))}
    </fieldset>
  );
}
