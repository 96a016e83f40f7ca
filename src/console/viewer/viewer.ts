import { createContext, use } from "react";
import type { ViewerQuery } from "../../generated/console.js";

/**
 * The workspace of whoever is signed in, and what they may do in all of it; undefined
 * until it is known.
 */
export const ViewerContext = createContext<ViewerQuery["workspace"] | undefined>(undefined);

/** The workspace of whoever is signed in; undefined until it is known. */
export const useWorkspace = () => use(ViewerContext);

/**
 * Whether the viewer may do something at a facility, given what
 * `Facility.viewerPermissions` says, or else in the whole workspace. What they may not do
 * is not offered.
 */
export function useMay(permission: string, facility?: { viewerPermissions: readonly string[] }): boolean {
  const workspace = use(ViewerContext);
  return (facility ?? workspace)?.viewerPermissions.includes(permission) ?? false;
}

/**
 * Whether the viewer may do something in the workspace, or at one of the facilities at
 * least; until it is known, they may.
 */
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
