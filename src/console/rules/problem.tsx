import type { CombinedError } from "urql";
import { failureKindOf } from "../data/failure.js";
import { useLanguage } from "../language/language.js";

interface ErrorDetail {
  path: string;
  message: string;
}

/** Why a change was refused, next to what should have changed. */
export function Problem({ error }: { error: CombinedError }) {
  const { messages } = useLanguage();
  const details = error.graphQLErrors.flatMap(({ message, extensions }) => {
    const given = extensions.details as ErrorDetail[] | undefined;
    return given?.map(({ path, message: why }) => `${path.replace(/^input\./, "")}: ${why}`) ?? [message];
  });
  return (
    <p className="problem" role="alert">
      {details.join("\n") || messages.failures[failureKindOf(error)].title}
    </p>
  );
}
