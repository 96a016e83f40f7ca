import { RulesCamerasDocument } from "../../generated/console.js";
import { Query } from "../data/query-result.js";
import { useLanguage } from "../language/language.js";
import { StoredText } from "../language/stored-text.js";
import { Link } from "../navigation/link.js";
import { changeQuery } from "../navigation/location.js";
import { SearchField } from "../shell/search-field.js";
import { useTexts } from "./texts.js";

interface CameraListProps {
  text: string;
  selected: string | undefined;
  search: React.RefObject<HTMLInputElement | null>;
}

/** The cameras to choose from: the first ones that match the search. */
export function CameraList({ text, selected, search }: CameraListProps) {
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
