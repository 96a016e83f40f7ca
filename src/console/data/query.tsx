import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from "react";
import { type AnyVariables, type CombinedError, type UseQueryArgs, type UseQueryState, useQuery } from "urql";
import { useMessages } from "../language/language.js";
import { WarningIcon } from "../shell/icons.js";
import { Notice } from "../shell/notice/notice.js";
import { type FailureKind, failureKindOf } from "./failure.js";

export interface ResultProps<Data> {
  placeholder?: ReactNode;
  children: (data: Data) => ReactNode;
}

/** The data of a query, which is read again whenever a moment changes. */
export function Query<Data, Variables extends AnyVariables>(
  props: UseQueryArgs<Variables, Data> & ResultProps<Data> & { readAt?: number },
) {
  const { readAt = 0, placeholder, children } = props;
  const [result, readAgain] = useRepeatedQuery<Data, Variables>(props, readAt);
  return (
    <QueryResult result={result} onRetry={readAgain} placeholder={placeholder}>
      {children}
    </QueryResult>
  );
}

interface QueryResultProps<Data> extends ResultProps<Data> {
  result: { data?: Data | undefined; error?: CombinedError | undefined };
  onRetry: () => void;
}

/** Shows the data of a query, or why it failed. Earlier data stays if reading it again fails. */
export function QueryResult<Data>({
  result: { data, error },
  onRetry,
  placeholder,
  children,
}: QueryResultProps<Data>) {
  const messages = useMessages();
  if (data) return children(data);
  if (error) return <FailureNotice error={error} onRetry={onRetry} />;
  return placeholder ?? <p className="loading">{messages.common.loading}</p>;
}

export function FailureNotice({ error, onRetry }: { error: CombinedError; onRetry: () => void }) {
  const details = error.graphQLErrors.map(({ message }) => message).join("\n");
  return <FailureKindNotice kind={failureKindOf(error)} details={details} onRetry={onRetry} />;
}

interface FailureKindNoticeProps {
  kind: FailureKind;
  details?: string;
  onRetry: () => void;
}

export function FailureKindNotice({ kind, details, onRetry }: FailureKindNoticeProps) {
  const messages = useMessages();
  const { title, text } = messages.failures[kind];
  const retry = (
    <button type="button" className="primary" onClick={onRetry}>
      {messages.common.retry}
    </button>
  );
  return (
    <div role="alert">
      <Notice icon={<WarningIcon />} title={title} actions={retry}>
        {text}
        {details && <small className="notice-details">{details}</small>}
      </Notice>
    </div>
  );
}

/**
 * The result of a query that runs again whenever a moment changes, with a function that runs it at once. The earlier
 * result stays until then.
 */
export function useRepeatedQuery<Data, Variables extends AnyVariables>(
  query: UseQueryArgs<Variables, Data>,
  moment = 0,
): [UseQueryState<Data, Variables>, () => void] {
  const [result, reexecute] = useQuery(query);
  const readAgain = () => reexecute({ requestPolicy: "network-only" });
  const readLatest = useEffectEvent(readAgain);
  const readAt = useRef(moment);
  useEffect(() => {
    if (readAt.current !== moment) readLatest();
    readAt.current = moment;
  }, [moment]);
  return [result, readAgain];
}

interface NextPageProps {
  /** Whether coming near the end of the list asks for it, too. */
  isAutomatic?: boolean;
  children: ReactNode;
}

/** The next page of a list, which is read once the reader asks for it. */
export function NextPage({ isAutomatic = false, children }: NextPageProps) {
  const { common } = useMessages();
  const button = useRef<HTMLButtonElement>(null);
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    if (!isAutomatic || !button.current) return;
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && setShown(true),
      { rootMargin: "600px" },
    );
    observer.observe(button.current);
    return () => observer.disconnect();
  }, [isAutomatic]);
  if (isShown) return children;
  return (
    <button
      ref={button}
      type="button"
      className={isAutomatic ? "more" : "next-page"}
      onClick={() => setShown(true)}
    >
      {common.showMore}
    </button>
  );
}
