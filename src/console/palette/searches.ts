import { useEffect, useState } from "react";
import { type CombinedError, useClient, useQuery } from "urql";
import {
  type PaletteCameraFragment,
  PaletteCamerasDocument,
  type PaletteRuleFragment,
  PaletteRulesDocument,
} from "../../generated/console.js";
import { leastText } from "./entries.js";

/** The pause in typing before cameras are searched, in milliseconds. */
const pause = 150;

interface Found {
  cameras: readonly PaletteCameraFragment[];
  totalCount: number;
  isSearching: boolean;
  error: CombinedError | undefined;
}

/** The first cameras with a text in their names. Cancels an unwanted search, and returns none of another text. */
export function useCameraSearch(text: string): Found {
  const [settled, setSettled] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pause);
    return () => clearTimeout(timer);
  }, [text]);
  const isWanted = text.length >= leastText;
  const isSettled = settled === text;
  const [{ data, error, fetching, operation }] = useQuery({
    query: PaletteCamerasDocument,
    variables: { text: settled },
    pause: !isWanted || !isSettled,
  });
  const isAnswered = isWanted && isSettled && operation?.variables.text === text;
  const found = isAnswered ? data?.searchCameras : undefined;
  return {
    cameras: found?.nodes ?? [],
    totalCount: found?.totalCount ?? 0,
    isSearching: isWanted && (!isAnswered || fetching),
    error: isAnswered ? error : undefined,
  };
}

export interface RuleOfCamera {
  rule: PaletteRuleFragment;
  camera: PaletteCameraFragment;
}

/**
 * All rules, once they are wanted, as far as they are read. They have the names of their types in the
 * reader's language, by which the gateway cannot search.
 */
export function useRules(isWanted: boolean) {
  const client = useClient();
  const [rules, setRules] = useState<readonly RuleOfCamera[]>([]);
  const [error, setError] = useState<CombinedError>();
  const [isComplete, setComplete] = useState(false);
  useEffect(() => {
    if (!isWanted) return;
    let hasLeft = false;
    const read = async (after: string | null) => {
      const result = await client.query(PaletteRulesDocument, { after }, { requestPolicy: "network-only" });
      if (hasLeft) return;
      setError(result.error);
      if (!result.data) return;
      const { nodes, pageInfo } = result.data.searchCameras;
      const read = nodes.flatMap((camera) => camera.alertRules.map((rule) => ({ rule, camera })));
      setRules((before) => [...before, ...read]);
      if (pageInfo.hasNextPage) return readOn(pageInfo.endCursor);
      setComplete(true);
    };
    const readOn = read;
    void read(null);
    return () => {
      hasLeft = true;
    };
  }, [client, isWanted]);
  return { rules, error, isSearching: isWanted && !isComplete && !error };
}
