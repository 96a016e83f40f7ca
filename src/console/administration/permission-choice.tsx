import type { ReactNode } from "react";
import { useWorkspace } from "../viewer/viewer.js";
import { useTexts } from "./texts.js";

interface PermissionChoiceProps {
  /** The name of the field of a permission. */
  nameOf?: (permission: string) => string;
  isChosen: (permission: string) => boolean;
  /** A remark on a chosen permission. */
  remarkOn?: (permission: string) => ReactNode;
}

/**
 * The permissions to choose from, in words: those that the viewer holds, as nobody hands
 * out others, and those that are chosen, as they may be taken back.
 */
export function PermissionChoice({
  nameOf = (permission) => permission,
  isChosen,
  remarkOn,
}: PermissionChoiceProps) {
  const { permissions } = useTexts();
  const held = useWorkspace()?.viewerPermissions ?? [];
  return Object.entries(permissions)
    .filter(([permission]) => held.includes(permission) || isChosen(permission))
    .map(([permission, words]) => (
      <label key={permission} className="choice">
        <input type="checkbox" name={nameOf(permission)} defaultChecked={isChosen(permission)} />
        <span>
          {words} <span className="hint">{permission}</span>
          {isChosen(permission) && <> {remarkOn?.(permission)}</>}
        </span>
      </label>
    ));
}
