import { useWorkspace } from "../viewer/viewer.js";
import { useTexts } from "./texts.js";

/**
 * The permissions to choose from, in words: those that the viewer holds, as nobody hands
 * out others.
 */
export function PermissionChoice({ isChosen }: { isChosen: (permission: string) => boolean }) {
  const { permissions } = useTexts();
  const held = useWorkspace()?.viewerPermissions ?? [];
  return Object.entries(permissions)
    .filter(([permission]) => held.includes(permission))
    .map(([permission, words]) => (
      <label key={permission} className="choice">
        <input type="checkbox" name={permission} defaultChecked={isChosen(permission)} />
        <span>
          {words} <span className="hint">{permission}</span>
        </span>
      </label>
    ));
}
