import "./administration.css";
import { type ComponentType, useLayoutEffect, useRef } from "react";
import { Connectors } from "../connectors/connectors.js";
import { useMessages } from "../language/language.js";
import { Link, useAddress } from "../navigation/location.js";
import { AuditLog } from "./audit/audit-log.js";
import { Facilities } from "./facilities/facilities.js";
import { ApiKeys } from "./keys/api-keys.js";
import { Notifications } from "./notifications/notifications.js";
import { firstPart, type PartName, useOfferedParts } from "./offered-parts.js";
import { People } from "./people/people.js";
import { Profile } from "./profile/profile.js";
import { WorkspaceSettings } from "./workspace/workspace-settings.js";

const parts: Record<PartName, ComponentType> = {
  facilities: Facilities,
  people: People,
  keys: ApiKeys,
  connectors: Connectors,
  notifications: Notifications,
  audit: AuditLog,
  workspace: WorkspaceSettings,
  profile: Profile,
};

export function AdministrationView() {
  const { settings, views } = useMessages();
  const offered = useOfferedParts();
  const chosen = useAddress().get("part") ?? firstPart;
  const current = offered.find((name) => name === chosen) ?? firstPart;
  const Part = parts[current];
  const navigation = useRef<HTMLElement>(null);
  // In a narrow window, the links are a row that is longer than the window.
  // biome-ignore lint/correctness/useExhaustiveDependencies: other parts move the links.
  useLayoutEffect(() => {
    const link = navigation.current?.querySelector("[aria-current]");
    link?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [current, offered.length]);
  return (
    <div className="administration">
      {/* The profile belongs to the account, whose menu leads there. */}
      <nav
        ref={navigation}
        hidden={current === "profile"}
        className="administration-parts"
        aria-label={views.settings}
      >
        {offered
          .filter((name) => name !== "profile")
          .map((name) => (
            <Link
              key={name}
              to={{ view: "settings", ...(name !== firstPart && { part: name }) }}
              aria-current={name === current ? "page" : undefined}
            >
              {settings[name]}
            </Link>
          ))}
      </nav>
      <section className="administration-part" aria-labelledby="administration-part">
        <h2 id="administration-part" className={current === "profile" ? undefined : "visually-hidden"}>
          {settings[current]}
        </h2>
        <Part key={current} />
      </section>
    </div>
  );
}
