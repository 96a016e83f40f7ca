import { useWorkspace } from "../viewer/viewer.js";
import type { english } from "./english.js";
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

/** Buttons that tick the permissions of a role in their fieldset. Nobody is offered a role beyond what they hold. */
export function RolePresets({ roles }: { roles: readonly Role[] }) {
  const texts = useTexts().roles;
  const held: readonly string[] = useWorkspace()?.viewerPermissions ?? [];
  const offered = roles.filter((role) => permissionsOf[role].every((each) => held.includes(each)));
  if (offered.length === 0) return null;
  return (
    <p>
      <span className="hint">{texts.label}</span>{" "}
      {offered.map((role) => (
        <button
          key={role}
          type="button"
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
    </p>
  );
}
