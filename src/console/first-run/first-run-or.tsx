import type { ReactNode } from "react";
import { useMessages } from "../language/language.js";
import { FleetIcon } from "../shell/icons.js";
import { Notice } from "../shell/notice/notice.js";
import { part } from "../shell/part.js";
import { useMay } from "../viewer/viewer.js";
import { useHasLeftFirstRun } from "./progress.js";

const FirstRun = part(() => import("./first-run.js"), "FirstRun");

/** The maximum number of cameras of a workspace that is being set up. */
const mostCameras = 5;

interface FirstRunOrProps {
  facilities: readonly object[];
  cameras: readonly { count: number }[];
  children: ReactNode;
}

/** What is shown of facilities, below the first steps as long as some are left; without any, why. */
export function FirstRunOr({ facilities, cameras, children }: FirstRunOrProps) {
  const { fleet } = useMessages();
  const mayAdd = useMay("facilities:write");
  const hasLeft = useHasLeftFirstRun();
  const isEmpty = facilities.length === 0;
  const isSmall = cameras.reduce((sum, { count }) => sum + count, 0) <= mostCameras;
  return (
    <>
      {mayAdd && (isEmpty || (isSmall && !hasLeft)) && <FirstRun />}
      {!isEmpty && children}
      {isEmpty && !mayAdd && (
        <Notice icon={<FleetIcon />} title={fleet.nothingVisible}>
          {fleet.nothingVisibleText}
        </Notice>
      )}
    </>
  );
}
