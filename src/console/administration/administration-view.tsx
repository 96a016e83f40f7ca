import "./administration.css";
import type { ComponentType } from "react";
import { Link } from "../navigation/link.js";
import { useQuery as useAddress } from "../navigation/location.js";
import { useMay } from "../viewer/viewer.js";
import { ApiKeys } from "./api-keys.js";
import { AuditLog } from "./audit-log.js";
import type { AdministrationTexts } from "./english.js";
import { Facilities } from "./facilities.js";
import { Notifications } from "./notifications.js";
import { People } from "./people.js";
import { Profile } from "./profile.js";
import { useTexts } from "./texts.js";
import { WorkspaceSettings } from "./workspace-settings.js";

/** A part of the settings. */
interface Part {
  title: (parts: AdministrationTexts["parts"]) => string;
  /** The permission in the workspace without which the part is not offered. */
  permission?: string;
  component: ComponentType;
}

/** All parts by their names in the address, such as `/?view=settings&part=keys`. */
const parts: Record<string, Part> = {
  facilities: { title: ({ facilities }) => facilities, component: Facilities },
  people: { title: ({ people }) => people, permission: "users:read", component: People },
  keys: { title: ({ apiKeys }) => apiKeys, permission: "api-keys:write", component: ApiKeys },
  notifications: { title: ({ notifications }) => notifications, component: Notifications },
  audit: { title: ({ auditLog }) => auditLog, permission: "users:read", component: AuditLog },
  workspace: {
    title: ({ workspace }) => workspace,
    permission: "facilities:write",
    component: WorkspaceSettings,
  },
  profile: { title: ({ profile }) => profile, component: Profile },
};

const firstPart = "facilities";

/** The settings of the workspace, of its facilities and cameras, and of the viewer. */
export function AdministrationView() {
  const texts = useTexts();
  const may: Record<string, boolean> = {
    "api-keys:write": useMay("api-keys:write"),
    "users:read": useMay("users:read"),
    "facilities:write": useMay("facilities:write"),
  };
  const offered = Object.entries(parts).filter(([, { permission }]) => !permission || may[permission]);
  const chosen = useAddress().get("part") ?? firstPart;
  const [current, part] = offered.find(([name]) => name === chosen) ?? (offered[0] as [string, Part]);
  return (
    <div className="administration">
      <nav className="administration-parts" aria-label={texts.parts.label}>
        {offered.map(([name, { title }]) => (
          <Link
            key={name}
            to={{ view: "settings", ...(name !== firstPart && { part: name }) }}
            aria-current={name === current ? "page" : undefined}
          >
            {title(texts.parts)}
          </Link>
        ))}
      </nav>
      <section className="administration-part" aria-labelledby="administration-part">
        <h2 id="administration-part" className="visually-hidden">
          {part.title(texts.parts)}
        </h2>
        <part.component key={current} />
      </section>
    </div>
  );
}
