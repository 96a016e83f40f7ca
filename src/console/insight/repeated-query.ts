import { useEffect, useRef } from "react";
import { type AnyVariables, type UseQueryArgs, type UseQueryState, useQuery } from "urql";

/**
 * The result of a query that is read again whenever a moment is another, and how to read
 * it again at once. What was read before is shown until then.
 */
export function useRepeatedQuery<Data, Variables extends AnyVariables>(
  query: UseQueryArgs<Variables, Data>,
  moment: number,
): [UseQueryState<Data, Variables>, () => void] {
  const [result, reexecute] = useQuery(query);
  const readAgain = () => reexecute({ requestPolicy: "network-only" });
  const latest = useRef(readAgain);
  latest.current = readAgain;
  const readAt = useRef(moment);
  useEffect(() => {
    if (readAt.current !== moment) latest.current();
    readAt.current = moment;
  }, [moment]);
  return [result, readAgain];
}
