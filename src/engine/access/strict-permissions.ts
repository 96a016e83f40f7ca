import { assertCan, type Caller, type Permission } from "./permissions.js";

interface Reading {
  /** What the interface specification asks for; null for visibility alone. */
  usual: Permission | null;
  /** What is needed instead with STRICT_PERMISSIONS=on. */
  strict: Permission;
}

/** The mutations for which the interface specification asks for less than it might. */
const readings = {
  createCamera: { usual: null, strict: "cameras:write" },
  createClientCamera: { usual: null, strict: "cameras:write" },
  renameFacility: { usual: "facilities:read", strict: "facilities:write" },
  recordHeartbeat: { usual: null, strict: "cameras:write" },
} as const satisfies Record<string, Reading>;

export type LenientMutation = keyof typeof readings;

/** Throws FORBIDDEN unless the caller may run the mutation at a visible facility, as STRICT_PERMISSIONS says. */
export function assertCanRun(
  caller: Caller,
  mutation: LenientMutation,
  facilityId: string,
  { strictPermissions }: { strictPermissions: boolean },
): void {
  const needed = readings[mutation][strictPermissions ? "strict" : "usual"];
  if (needed) assertCan(caller, needed, facilityId);
}

/** What the description of a mutation says about it. */
export const strictRemark = (mutation: LenientMutation): string =>
  `With STRICT_PERMISSIONS=on, requires ${readings[mutation].strict} at the facility.`;
