import { useEffect, useState } from "react";
import { findOwnRecords, type OwnRecords } from "../../../console/api-calls/own-records.js";
import { authorization } from "../../../console/session/session.js";
import { fetchWithSession } from "../../../console/session/session-fetch.js";
import { type ExampleOperation, exampleOperations } from "./examples.js";

/** How long the page waits for the records of the examples, in milliseconds. */
const timeout = 5_000;

/** The examples for the records that a person may see; undefined until known. */
export function useExamples(person: number): ExampleOperation[] | undefined {
  const [found, setFound] = useState<{ person: number; examples: ExampleOperation[] }>();
  useEffect(() => {
    let isCurrent = true;
    void ownRecords().then((records) => {
      if (isCurrent) setFound({ person, examples: exampleOperations(new Date(), records) });
    });
    return () => {
      isCurrent = false;
    };
  }, [person]);
  return found?.person === person ? found.examples : undefined;
}

/** The records of whoever is signed in; undefined if they are not known soon. */
async function ownRecords(): Promise<OwnRecords | undefined> {
  if (authorization() === undefined) return undefined;
  const signal = AbortSignal.timeout(timeout);
  try {
    return await findOwnRecords((path) => fetchWithSession(path, { signal }));
  } catch {
    return undefined;
  }
}
