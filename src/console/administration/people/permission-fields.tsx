import type { ReactNode } from "react";
import type { PeopleQuery } from "../../../generated/console.js";
import { isolated } from "../../../platform/text-direction.js";
import { type Texts, useForm } from "../../form/field.js";
import { PermissionChoice } from "../permission-choice.js";
import { useTexts } from "./texts.js";

/** Permissions at single facilities, by the ID of the facility. */
export type Accesses = Readonly<Record<string, readonly string[]>>;

/** The name of the field of a permission: at a facility, or else in the workspace. */
export const permissionField = (facility: string | null, permission: string): string =>
  facility === null ? permission : `${facility} ${permission}`;

interface PermissionFieldsProps {
  facilities: readonly { id: string; name: string }[];
  /** A remark on a permission that is held, by its field. */
  remarkOn?: (field: string) => ReactNode;
}

/** The permissions in the workspace, and those at each facility in addition. */
export function PermissionFields({ facilities, remarkOn }: PermissionFieldsProps) {
  const people = useTexts();
  const { start } = useForm();
  return (
    <>
      <fieldset className="choices">
        <legend>{people.inWorkspace}</legend>
        <PermissionChoice remarkOn={remarkOn} />
      </fieldset>
      {facilities.map(({ id, name }) => (
        <details key={id} open={Object.keys(start).some((field) => field.startsWith(`${id} `))}>
          <summary>{people.atFacility(isolated(name))}</summary>
          <fieldset className="choices" aria-label={people.atFacility(isolated(name))}>
            <PermissionChoice nameOf={(permission) => permissionField(id, permission)} remarkOn={remarkOn} />
          </fieldset>
        </details>
      ))}
    </>
  );
}

/** What a person may do at single facilities. */
export const accessesOf = ({ id }: { id: string }, facilities: PeopleQuery["facilities"]): Accesses =>
  Object.fromEntries(
    facilities.flatMap(({ id: facilityId, access }) => {
      const own = access?.find(({ user }) => user?.id === id);
      return own ? [[facilityId, own.actions]] : [];
    }),
  );

/** The texts of the fields for permissions that somebody holds. */
export const permissionTexts = (roles: readonly string[], accesses: Accesses): Texts =>
  Object.fromEntries(
    [
      ...roles,
      ...Object.entries(accesses).flatMap(([facility, actions]) =>
        actions.map((permission) => permissionField(facility, permission)),
      ),
    ].map((field) => [field, "on"]),
  );

/** The permissions that were chosen. */
export function chosenPermissions(
  texts: Record<string, string>,
  permissions: Readonly<Record<string, string>>,
  facilities: readonly { id: string }[],
): { roles: string[]; accesses: Accesses } {
  const known = Object.keys(permissions);
  const accesses = facilities.flatMap(({ id }): [string, string[]][] => {
    const actions = known.filter((permission) => permissionField(id, permission) in texts);
    return actions.length > 0 ? [[id, actions]] : [];
  });
  return {
    roles: known.filter((permission) => permission in texts),
    accesses: Object.fromEntries(accesses),
  };
}
