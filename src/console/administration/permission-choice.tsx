import { useWorkspace } from "../viewer/viewer.js";
import { useTexts } from "./texts.js";

interface PermissionChoiceProps {
  /** The name of the field of a permission. */
  nameOf?: (permission: string) => string;
  isChosen: (permission: string) => boolean;
}

/**
 * The permissions to choose from, in words: those that the viewer holds, as nobody hands
 * out others.
 */
export function PermissionChoice({ nameOf = (permission) => permission, isChosen }: PermissionChoiceProps) {
  const { permissions } = useTexts();
  const held = useWorkspace()?.viewerPermissions ?? [];
  return Object.entries(permissions)
    .filter(([permission]) => held.includes(permission))
    .map(([permission, words]) => (
      <label key={permission} className="choice">
        <input type="checkbox" name={nameOf(permission)} defaultChecked={isChosen(permission)} />
        <span>
          {words} <span className="hint">{permission}</span>
        </span>
      </label>
    ));
}
