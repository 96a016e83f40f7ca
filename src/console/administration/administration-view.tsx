import "./administration.css";
import { type ComponentType, useLayoutEffect, useRef } from "react";
import { Connectors } from "../connectors/connectors.js";
import { Link, useAddress } from "../navigation/location.js";
import { AuditLog } from "./audit/audit-log.js";
import type { AdministrationTexts } from "./english.js";
import { Facilities } from "./facilities/facilities.js";
import { ApiKeys } from "./keys/api-keys.js";
import { Notifications } from "./notifications/notifications.js";
import { firstPart, type PartName, useOfferedParts } from "./offered-parts.js";
import { People } from "./people/people.js";
import { Profile } from "./profile/profile.js";
import { useTexts } from "./texts.js";
import { WorkspaceSettings } from "./workspace/workspace-settings.js";

/** A part of the settings. */
interface Part {
  title: (parts: AdministrationTexts["parts"]) => string;
  component: ComponentType;
}

const parts: Record<PartName, Part> = {
  facilities: { title: ({ facilities }) => facilities, component: Facilities },
  people: { title: ({ people }) => people, component: People },
  keys: { title: ({ apiKeys }) => apiKeys, component: ApiKeys },
  connectors: { title: ({ connectors }) => connectors, component: Connectors },
  notifications: { title: ({ notifications }) => notifications, component: Notifications },
  audit: { title: ({ auditLog }) => auditLog, component: AuditLog },
  workspace: { title: ({ workspace }) => workspace, component: WorkspaceSettings },
  profile: { title: ({ profile }) => profile, component: Profile },
};

/** The settings of the workspace, of its facilities and cameras, and of the viewer. */
export function AdministrationView() {
  const texts = useTexts();
  const offered = useOfferedParts().map((name): [PartName, Part] => [name, parts[name]]);
  const chosen = useAddress().get("part") ?? firstPart;
  const [current, part] = offered.find(([name]) => name === chosen) ?? (offered[0] as [PartName, Part]);
  const navigation = useRef<HTMLElement>(null);
  // In a narrow window, the links are a row that is longer than the window.
  // biome-ignore lint/correctness/useExhaustiveDependencies: other parts move the links.
  useLayoutEffect(() => {
    const link = navigation.current?.querySelector("[aria-current]");
    link?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [current, offered.length]);
  return (
    <div className="administration">
      <nav ref={navigation} className="administration-parts" aria-label={texts.parts.label}>
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
