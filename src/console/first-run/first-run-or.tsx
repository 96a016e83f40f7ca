import type { ReactNode } from "react";
import { useMessages, useNow } from "../language/language.js";
import { FleetIcon } from "../shell/icons.js";
import { Notice } from "../shell/notice/notice.js";
import { part, ViewBoundary } from "../shell/part.js";
import { useMay, useWorkspace } from "../viewer/viewer.js";
import { hasLeftFirstRun } from "./progress.js";

const FirstRun = part(() => import("./first-run.js"), "FirstRun");

/** A workspace with cameras is being set up while it is not older, in milliseconds, and has at most so many. */
const longest = 14 * 86_400_000;
const mostCameras = 10;

interface FirstRunOrProps {
  facilities: readonly object[];
  cameras: readonly { count: number }[];
  children: ReactNode;
}

/** What is shown of facilities, below the first steps as long as some are left; without any, why. */
export function FirstRunOr({ facilities, cameras, children }: FirstRunOrProps) {
  const { fleet } = useMessages();
  const mayAdd = useMay("facilities:write");
  const isEmpty = facilities.length === 0;
  const age = useNow().getTime() - Date.parse(useWorkspace()?.createdAt ?? "");
  const cameraCount = cameras.reduce((sum, { count }) => sum + count, 0);
  const isBegun = cameraCount === 0 || (cameraCount <= mostCameras && age < longest);
  const showsSteps = mayAdd && (isEmpty || (isBegun && !hasLeftFirstRun()));
  return (
    <>
      {showsSteps && (
        <ViewBoundary>
          <FirstRun />
        </ViewBoundary>
      )}
      {/* Without cameras there is nothing to say of them beside the steps. */}
      {!(isEmpty || (showsSteps && cameraCount === 0)) && children}
      {isEmpty && !mayAdd && (
        <Notice icon={<FleetIcon />} title={fleet.nothingVisible}>
          {fleet.nothingVisibleText}
        </Notice>
      )}
    </>
  );
}
