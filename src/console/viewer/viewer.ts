import { createContext, use } from "react";
import type { ViewerQuery } from "../../generated/console.js";

/** The viewer's workspace, with the viewer's permissions in the whole workspace; undefined until loaded. */
export const ViewerContext = createContext<ViewerQuery["workspace"] | undefined>(undefined);

export const useWorkspace = () => use(ViewerContext);

/**
 * Whether the viewer has a permission: at a facility, given its `Facility.viewerPermissions`, or else in the whole
 * workspace. The console offers no action without permission, not even those that the gateway allows to everybody while
 * STRICT_PERMISSIONS is off.
 */
export function useMay(
  permission: string,
  facility?: { viewerPermissions: readonly string[] } | null,
): boolean {
  const workspace = use(ViewerContext);
  return (facility ?? workspace)?.viewerPermissions.includes(permission) ?? false;
}

/** Whether the viewer has a permission in the workspace or at least at one facility. True until loaded. */
export function useMayAnywhere(
  permission: string,
  facilities: readonly { viewerPermissions: readonly string[] }[],
): boolean {
  const workspace = use(ViewerContext);
  return (
    !workspace ||
    [workspace, ...facilities].some(({ viewerPermissions }) => viewerPermissions.includes(permission))
  );
}
