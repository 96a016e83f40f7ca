import type { CombinedError } from "urql";
import { failedChange } from "../data/failure.js";
import { useLanguage } from "../language/language.js";
import { errorDetails } from "./field-problems.js";

/** The reason for refusing a change, next to the unchanged value. */
export function Problem({ error }: { error: CombinedError }) {
  const { messages } = useLanguage();
  const details = errorDetails(error).map(({ path, message }) => `${path}: ${message}`);
  return (
    <p className="problem" role="alert">
      {[failedChange(error, messages), ...details].join("\n")}
    </p>
  );
}
