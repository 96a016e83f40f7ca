import {
  AdministeredFacilitiesDocument,
  type AdministeredFacilityFragment,
} from "../../../generated/console.js";
import { Query } from "../../data/query.js";
import { StoredText, useLanguage } from "../../language/language.js";
import { addressOf, changeQuery, Link, navigate, useAddress } from "../../navigation/location.js";
import { FleetIcon } from "../../shell/icons.js";
import { Notice } from "../../shell/notice.js";
import { Outcome, useOutcome } from "../../shell/outcome.js";
import { SearchField } from "../../shell/search-field.js";
import { useMay } from "../../viewer/viewer.js";
import { useAdding } from "../adding.js";
import { useTexts as useSettingTexts } from "../texts.js";
import { CameraImport } from "./camera-import.js";
import { Cameras } from "./cameras.js";
import { FacilityForm, newFacilityDraft } from "./facility-form.js";
import { useTexts } from "./texts.js";

/** The facilities with their cameras, or the way to add many cameras at once. */
export function Facilities() {
  return useAddress().has("import") ? <CameraImport /> : <AllFacilities />;
}

/** The facilities, and the cameras of the chosen one. */
function AllFacilities() {
  return (
    <Query query={AdministeredFacilitiesDocument}>
      {({ facilities }) => <FacilityList facilities={facilities} />}
    </Query>
  );
}

/** The address of a facility in the settings. */
const placeOf = (facility: string) => ({ view: "settings", facility });

function FacilityList({ facilities }: { facilities: readonly AdministeredFacilityFragment[] }) {
  const { messages } = useLanguage();
  const { adding } = useSettingTexts();
  const texts = useTexts();
  const mayAdd = useMay("facilities:write");
  const mayImport = facilities.some(({ viewerPermissions }) => viewerPermissions.includes("cameras:write"));
  const [isAdding, setAdding] = useAdding("facility", newFacilityDraft, mayAdd);
  const [outcome, tell] = useOutcome();
  const address = useAddress();
  const text = address.get("text") ?? "";
  const matching = facilities.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()));
  const chosen = facilities.find(({ id }) => id === address.get("facility")) ?? facilities[0];
  const add = (
    <button type="button" className="primary" onClick={() => setAdding(true)}>
      {adding.facility}
    </button>
  );
  return (
    <>
      {chosen ? (
        <div className="facility-settings">
          <nav className="facility-list" aria-label={messages.fleet.facilities}>
            {mayAdd && add}
            {mayImport && (
              <Link className="button" to={{ view: "settings", import: "cameras" }}>
                {adding.cameras}
              </Link>
            )}
            {facilities.length > 10 && (
              <SearchField
                label={texts.facilities.search}
                value={text}
                onChange={(value) => changeQuery({ text: value }, { replace: true })}
              />
            )}
            <ul>
              {matching.map(({ id, name, cameraCount }) => (
                <li key={id}>
                  <Link to={{ ...placeOf(id), text }} aria-current={id === chosen.id ? "true" : undefined}>
                    <StoredText>{name}</StoredText>
                    <span className="hint">{messages.fleet.cameraCount(cameraCount)}</span>
                  </Link>
                </li>
              ))}
            </ul>
            {matching.length === 0 && <p className="hint">{texts.facilities.noMatch}</p>}
          </nav>
          <Cameras key={chosen.id} facility={chosen} tell={tell} />
        </div>
      ) : (
        <Notice icon={<FleetIcon />} title={texts.facilities.empty} actions={mayAdd && add}>
          {texts.facilities.emptyText}
        </Notice>
      )}
      {isAdding && (
        <FacilityForm
          onClose={() => setAdding(false)}
          onSaved={({ id }, message) => {
            navigate(addressOf(placeOf(id)));
            tell(message);
          }}
        />
      )}
      <Outcome>{outcome}</Outcome>
    </>
  );
}
