import type { ReactNode } from "react";
import { useMessages } from "../language/language.js";
import { FleetIcon } from "../shell/icons.js";
import { Notice } from "../shell/notice/notice.js";
import { part } from "../shell/part.js";
import { useMay } from "../viewer/viewer.js";
import { useIsFirstRun } from "./progress.js";

const FirstRun = part(() => import("./first-run.js"), "FirstRun");

interface FirstRunOrProps {
  facilities: readonly object[];
  children: ReactNode;
}

/** What is shown of facilities, below the first steps as long as they are taken; without any, why. */
export function FirstRunOr({ facilities, children }: FirstRunOrProps) {
  const { fleet } = useMessages();
  const mayAdd = useMay("facilities:write");
  const isFirstRun = useIsFirstRun();
  const isEmpty = facilities.length === 0;
  return (
    <>
      {mayAdd && (isFirstRun || isEmpty) && <FirstRun />}
      {!isEmpty && children}
      {isEmpty && !mayAdd && (
        <Notice icon={<FleetIcon />} title={fleet.nothingVisible}>
          {fleet.nothingVisibleText}
        </Notice>
      )}
    </>
  );
}
