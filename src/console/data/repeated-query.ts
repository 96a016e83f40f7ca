import { useEffect, useRef } from "react";
import { type AnyVariables, type UseQueryArgs, type UseQueryState, useQuery } from "urql";

/**
 * The result of a query that runs again whenever a moment changes, with a function that
 * runs it at once. The earlier result stays until then.
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
