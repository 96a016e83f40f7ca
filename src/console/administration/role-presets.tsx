import { type ReactNode, useState } from "react";
import { useForm } from "../form/field.js";
import { useWorkspace } from "../viewer/viewer.js";
import type { english } from "./english.js";
import { PermissionChoice, type PermissionChoiceProps } from "./permission-choice.js";
import { useTexts } from "./texts.js";

type Permission = keyof (typeof english)["permissions"];
type Role = keyof (typeof english)["roles"]["names"];

const reading: readonly Permission[] = ["facilities:read", "cameras:read", "alerts:read"];
const triage: readonly Permission[] = [...reading, "alerts:write"];
const safety: readonly Permission[] = [...triage, "alert-rules:write", "users:read"];
const site: readonly Permission[] = [...safety, "facilities:write", "cameras:write", "alerts:delete"];

/** What people and programs of a role may do; the gateway itself knows permissions alone. */
export const permissionsOf: Readonly<Record<Role, readonly Permission[]>> = {
  guard: triage,
  safetyManager: safety,
  siteAdministrator: site,
  administrator: [...site, "users:write", "api-keys:write"],
  detector: ["facilities:read", "cameras:read", "alerts:write"],
  readOnly: reading,
};

export const rolesOfPeople = ["guard", "safetyManager", "siteAdministrator", "administrator"] as const;
export const rolesOfKeys = ["detector", "readOnly"] as const;

/** The role whose permissions these are, no more and no less. */
export const roleOf = (held: readonly string[], roles: readonly Role[]): Role | undefined =>
  roles.find(
    (role) =>
      permissionsOf[role].length === held.length && permissionsOf[role].every((each) => held.includes(each)),
  );

interface PermissionSetProps extends Pick<PermissionChoiceProps, "remarkOn"> {
  legend: string;
  roles: readonly Role[];
  /** Told of what is ticked after each change. */
  onTick?: (ticked: readonly string[]) => void;
  children?: ReactNode;
}

/** A choice of permissions, with buttons for those of a role. Nobody is offered a role beyond what they hold. */
export function PermissionSet({ legend, roles, remarkOn, onTick, children }: PermissionSetProps) {
  const { permissions, roles: texts } = useTexts();
  const { start } = useForm();
  const [ticked, setTicked] = useState(Object.keys(permissions).filter((each) => each in start));
  const held: readonly string[] = useWorkspace()?.viewerPermissions ?? [];
  const offered = roles.filter((role) => permissionsOf[role].every((each) => held.includes(each)));
  return (
    <fieldset
      className="choices"
      onChange={({ currentTarget }) => {
        const boxes = currentTarget.querySelectorAll<HTMLInputElement>(":checked");
        const names = Array.from(boxes, ({ name }) => name);
        setTicked(names);
        onTick?.(names);
      }}
    >
      <legend>{legend}</legend>
      {offered.length > 0 && (
        <div className="role-presets">
          <span className="hint">{texts.label}</span>
          {offered.map((role) => (
            <button
              key={role}
              type="button"
              aria-pressed={role === roleOf(ticked, offered)}
              onClick={({ currentTarget }) => {
                const wanted: readonly string[] = permissionsOf[role];
                const boxes = currentTarget
                  .closest("fieldset")
                  ?.querySelectorAll<HTMLInputElement>("input[type=checkbox][name]");
                // The form is told, as it is of ticks by hand.
                for (const box of boxes ?? []) if (box.checked !== wanted.includes(box.name)) box.click();
              }}
            >
              {texts.names[role]}
            </button>
          ))}
        </div>
      )}
      <PermissionChoice remarkOn={remarkOn} />
      {children}
    </fieldset>
  );
}
