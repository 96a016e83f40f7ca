import "./rules.css";
import { useRef } from "react";
import { useQuery } from "urql";
import { RulesCamerasDocument } from "../../generated/console.js";
import { Query } from "../data/query.js";
import { useShortcuts } from "../keyboard/shortcuts.js";
import { StoredText, useLanguage } from "../language/language.js";
import { changeQuery, Link, useAddress } from "../navigation/location.js";
import { RulesIcon } from "../shell/icons.js";
import { Notice } from "../shell/notice.js";
import { SearchField } from "../shell/search-field.js";
import { useMay } from "../viewer/viewer.js";
import { CameraRules } from "./camera-rules.js";
import { useTexts } from "./texts.js";

/** The rules of each camera: conditions, areas in the picture, and targets. */
export function RulesView() {
  const { messages } = useLanguage();
  const address = useAddress();
  const text = address.get("text") ?? "";
  const search = useRef<HTMLInputElement>(null);
  useShortcuts(messages.views.rules, [
    { keys: "/", label: messages.fleet.keySearch, run: () => search.current?.focus() },
  ]);
  const [{ data }] = useQuery({ query: RulesCamerasDocument, variables: { filter: {} } });
  const mayAdd = useMay("cameras:write");
  const camera = address.get("camera") ?? data?.searchCameras.nodes[0]?.id;
  if (data?.searchCameras.totalCount === 0)
    return (
      <Notice
        icon={<RulesIcon />}
        title={messages.fleet.noCameras}
        actions={mayAdd && <Link to={{ view: "settings" }}>{messages.views.settings}</Link>}
      >
        {mayAdd ? messages.fleet.noCamerasText : messages.fleet.noCamerasYet}
      </Notice>
    );
  return (
    <div className="rules">
      <CameraList text={text} selected={camera} search={search} />
      {camera && <CameraRules key={camera} id={camera} />}
    </div>
  );
}

interface CameraListProps {
  text: string;
  selected: string | undefined;
  search: React.RefObject<HTMLInputElement | null>;
}

/** The cameras to choose from: the first ones that match the search. */
function CameraList({ text, selected, search }: CameraListProps) {
  const { messages } = useLanguage();
  const rules = useTexts();
  const { fleet } = messages;
  return (
    <nav className="rules-cameras" aria-label={fleet.cameras}>
      <SearchField
        ref={search}
        label={fleet.search}
        value={text}
        onChange={(value) => changeQuery({ text: value }, { replace: true })}
      />
      <Query query={RulesCamerasDocument} variables={{ filter: text === "" ? {} : { text } }}>
        {({ searchCameras: { nodes, totalCount } }) => (
          <>
            <ul>
              {nodes.map(({ id, name, facility }) => (
                <li key={id}>
                  <Link
                    to={{ view: "rules", text, camera: id }}
                    aria-current={id === selected ? "true" : undefined}
                  >
                    <span>
                      <StoredText>{name}</StoredText>
                    </span>
                    <span className="hint">
                      <StoredText>{facility.name}</StoredText>
                    </span>
                  </Link>
                </li>
              ))}
            </ul>
            {totalCount === 0 && <p className="hint">{fleet.noMatch}</p>}
            {totalCount > nodes.length && (
              <p className="hint">{rules.moreCameras(totalCount - nodes.length)}</p>
            )}
          </>
        )}
      </Query>
    </nav>
  );
}
