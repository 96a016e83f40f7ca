import type { ReactNode } from "react";
import { Checkbox, useForm } from "../form/field.js";
import { useWorkspace } from "../viewer/viewer.js";
import { useTexts } from "./texts.js";

export interface PermissionChoiceProps {
  nameOf?: (permission: string) => string;
  /** A remark on a chosen permission, by its field. */
  remarkOn?: ((field: string) => ReactNode) | undefined;
  /** The permissions that are not shown, as they are held anyway. A chosen one stays chosen. */
  without?: readonly string[];
}

/** The permissions that the viewer holds, as nobody hands out others, and chosen ones, as they may be taken back. */
export function PermissionChoice({
  nameOf = (permission) => permission,
  remarkOn,
  without = [],
}: PermissionChoiceProps) {
  const { permissions } = useTexts();
  const { start } = useForm();
  const held = useWorkspace()?.viewerPermissions ?? [];
  return Object.entries(permissions)
    .map(([permission, words]) => ({ permission, words, name: nameOf(permission) }))
    .filter(({ permission, name }) => held.includes(permission) || name in start)
    .map(({ permission, words, name }) => (
      <div key={permission} hidden={without.includes(permission)}>
        <Checkbox name={name}>
          <span>
            {words} <span className="hint">{permission}</span>
            {name in start && <> {remarkOn?.(name)}</>}
          </span>
        </Checkbox>
      </div>
    ));
}
