import { type ReactNode, useState } from "react";
import { useMutation } from "urql";
import {
  type AdministeredCameraFragment,
  AdministeredCamerasDocument,
  AdministeredFacilitiesDocument,
  type AdministeredFacilityFragment,
  MonitorFacilityDocument,
  RemoveFacilityDocument,
} from "../../../generated/console.js";
import { isolated } from "../../../platform/text/text-direction.js";
import { Query } from "../../data/query.js";
import { StateName } from "../../fleet/camera-state.js";
import { MutationConfirmation } from "../../form/confirmation.js";
import { DialogButton } from "../../form/dialog-button.js";
import { ActionButton } from "../../form/edit-form.js";
import { Checkbox, Field } from "../../form/field.js";
import { StoredText, useMessages } from "../../language/language.js";
import { addressOf, Link, navigate, useAddress } from "../../navigation/location.js";
import { FleetIcon } from "../../shell/icons.js";
import { Notice, type TellOutcome, useOutcome } from "../../shell/notice/notice.js";
import { AddressSearch, SearchField } from "../../shell/search-field.js";
import { CameraIcon } from "../../shell/view-icons.js";
import { SnoozedUntil } from "../../snooze/snooze.js";
import { useMay } from "../../viewer/viewer.js";
import { useAdding } from "../adding.js";
import { useTexts as useSettingTexts } from "../texts.js";
import { CameraDeletion } from "./camera-deletion.js";
import { cameraDraft } from "./camera-draft.js";
import { CameraExport } from "./camera-export.js";
import { CameraForm } from "./camera-form.js";
import { CameraImport } from "./camera-import.js";
import { FacilityForm, facilityDraft, newFacilityDraft } from "./facility-form.js";
import { StreamUrl } from "./stream-url.js";
import { useTexts } from "./texts.js";

export function Facilities() {
  return useAddress().has("import") ? <CameraImport /> : <AllFacilities />;
}

function AllFacilities() {
  return (
    <Query query={AdministeredFacilitiesDocument}>
      {({ facilities }) => <FacilityList facilities={facilities} />}
    </Query>
  );
}

/** The address of a facility in the settings. */
const parametersOf = (facility: string) => ({ view: "settings", facility });

function FacilityList({ facilities }: { facilities: readonly AdministeredFacilityFragment[] }) {
  const { adding, fleet } = useMessages();
  const texts = useTexts();
  const mayAdd = useMay("facilities:write");
  const mayImport = facilities.some(({ viewerPermissions }) => viewerPermissions.includes("cameras:write"));
  const [isAdding, setAdding] = useAdding("facility", newFacilityDraft, mayAdd);
  const [isExporting, setExporting] = useState(false);
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
          <nav className="facility-list" aria-label={fleet.facilities}>
            {mayAdd && add}
            {mayImport && (
              <>
                <Link className="button" to={{ view: "settings", import: "cameras" }}>
                  {adding.cameras}
                </Link>
                <button type="button" onClick={() => setExporting(true)}>
                  {texts.cameraExport.title}
                </button>
              </>
            )}
            {facilities.length > 10 && <AddressSearch label={texts.facilities.search} />}
            <ul>
              {matching.map(({ id, name, cameraCount }) => (
                <li key={id}>
                  <Link
                    to={{ ...parametersOf(id), text }}
                    aria-current={id === chosen.id ? "true" : undefined}
                  >
                    <StoredText>{name}</StoredText>
                    <span className="hint">{fleet.cameraCount(cameraCount)}</span>
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
      {isExporting && <CameraExport onClose={() => setExporting(false)} />}
      {isAdding && (
        <FacilityForm
          onClose={() => setAdding(false)}
          onSaved={({ id }, message) => {
            navigate(addressOf(parametersOf(id)));
            tell(message);
          }}
        />
      )}
      {outcome}
    </>
  );
}

interface CamerasProps {
  facility: AdministeredFacilityFragment;
  tell: TellOutcome;
}

function Cameras({ facility, tell }: CamerasProps) {
  const { adding, forms } = useMessages();
  const { actions } = useSettingTexts();
  const { cameras } = useTexts();
  const mayChange = useMay("facilities:write", facility);
  const mayWriteCameras = useMay("cameras:write", facility);
  const mayDeleteAlerts = useMay("alerts:delete", facility);
  const mayDelete = mayChange && mayWriteCameras && mayDeleteAlerts;
  const [isAdding, setAdding] = useAdding("camera", cameraDraft(facility.id, undefined), mayWriteCameras);
  const add = (
    <button type="button" onClick={() => setAdding(true)}>
      {adding.camera}
    </button>
  );
  return (
    <section className="facility-cameras" aria-label={cameras.list(isolated(facility.name))}>
      <header>
        <div>
          <h3>
            <StoredText>{facility.name}</StoredText>
          </h3>
          <p className="hint">
            {facility.address && (
              <>
                <StoredText>{facility.address}</StoredText> ·{" "}
              </>
            )}
            {facility.timeZoneId}
          </p>
          <Monitoring facility={facility} mayChange={mayChange} />
          <SnoozedUntil of={facility} timeZone={facility.effectiveTimeZoneId} />
        </div>
        <div className="setting-actions">
          {mayChange && (
            <DialogButton label={actions.edit} of={facility.name} draftKey={facilityDraft(facility)}>
              {(close) => (
                <FacilityForm
                  facility={facility}
                  onClose={close}
                  onSaved={(_facility, ...outcome) => tell(...outcome)}
                />
              )}
            </DialogButton>
          )}
          {mayDelete && (
            <DialogButton label={forms.delete} of={facility.name}>
              {(close) => <FacilityDeletion facility={facility} onClose={close} tell={tell} />}
            </DialogButton>
          )}
          {mayWriteCameras && add}
        </div>
      </header>
      <Query query={AdministeredCamerasDocument} variables={{ facility: facility.id }}>
        {({ cameras: found }) =>
          found.length === 0 ? (
            <Notice icon={<CameraIcon />} title={cameras.empty}>
              {mayWriteCameras && cameras.emptyText}
            </Notice>
          ) : (
            <CameraList cameras={found} facility={facility} tell={tell} />
          )
        }
      </Query>
      {isAdding && <CameraForm facility={facility} onClose={() => setAdding(false)} onSaved={tell} />}
    </section>
  );
}

/** Whether heartbeats decide about the facility, which people who may change it can change. */
function Monitoring({ facility, mayChange }: { facility: AdministeredFacilityFragment; mayChange: boolean }) {
  const { heartbeats } = useTexts().facilities;
  const [, monitor] = useMutation(MonitorFacilityDocument);
  const { id, lastHeartbeatAt, monitored } = facility;
  if (lastHeartbeatAt === null) return <p className="hint">{heartbeats.never}</p>;
  return (
    <p className="hint">
      {monitored ? heartbeats.heeded : heartbeats.ignored}{" "}
      {mayChange && (
        <ActionButton run={() => monitor({ id, monitored: !monitored })}>
          {monitored ? heartbeats.ignore : heartbeats.heed}
        </ActionButton>
      )}
    </p>
  );
}

function FacilityDeletion({ facility, tell, onClose }: CamerasProps & { onClose: () => void }) {
  const { forms } = useMessages();
  const { facilities } = useTexts();
  const [typed, setTyped] = useState("");
  return (
    <MutationConfirmation
      title={forms.deleteTitle(isolated(facility.name))}
      label={forms.delete}
      isDisabled={typed.trim() !== facility.name}
      mutation={RemoveFacilityDocument}
      variables={{ id: facility.id }}
      onDone={() => tell(forms.deleted(isolated(facility.name)))}
      onClose={onClose}
    >
      <p>{facilities.deleteText(facility.cameraCount)}</p>
      <Field label={facilities.deleteCheck(isolated(facility.name))}>
        {(attributes) => (
          <input
            {...attributes}
            autoComplete="off"
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        )}
      </Field>
    </MutationConfirmation>
  );
}

function CameraList({
  cameras: found,
  ...context
}: CamerasProps & { cameras: readonly AdministeredCameraFragment[] }) {
  const { cameras } = useTexts();
  const mayDelete = useMay("cameras:write", context.facility) && found.length > 1;
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const shown = found.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()));
  // What is not shown is not deleted.
  const selected = shown.filter(({ id }) => chosen.has(id));
  const choose = (id: string, isChosen: boolean) =>
    setChosen(new Set([...chosen].filter((each) => each !== id).concat(isChosen ? id : [])));
  return (
    <>
      {found.length > 10 && <SearchField label={cameras.search} value={text} onChange={setText} />}
      {mayDelete && shown.length > 0 && (
        <div className="setting-actions">
          <Checkbox
            checked={selected.length === shown.length}
            onChange={({ currentTarget }) =>
              setChosen(new Set(currentTarget.checked ? shown.map(({ id }) => id) : []))
            }
          >
            {cameras.selectAll}
          </Checkbox>
          {selected.length > 0 && (
            <DialogButton label={cameras.deleteSelected(selected.length)} className="danger">
              {(close) => <CameraDeletion cameras={selected} tell={context.tell} onClose={close} />}
            </DialogButton>
          )}
        </div>
      )}
      <ul className="setting-rows">
        {shown.map((camera) => (
          <CameraRow
            key={camera.id}
            camera={camera}
            choice={
              mayDelete && (
                <input
                  type="checkbox"
                  aria-label={cameras.select(isolated(camera.name))}
                  checked={chosen.has(camera.id)}
                  onChange={({ currentTarget }) => choose(camera.id, currentTarget.checked)}
                />
              )
            }
            {...context}
          />
        ))}
      </ul>
      {shown.length === 0 && <p className="hint">{cameras.noMatch}</p>}
    </>
  );
}

interface CameraRowProps extends CamerasProps {
  camera: AdministeredCameraFragment;
  /** A checkbox that selects the camera. */
  choice: ReactNode;
}

function CameraRow({ camera, choice, facility, tell }: CameraRowProps) {
  const { forms } = useMessages();
  const { actions } = useSettingTexts();
  const mayChange = useMay("cameras:write", facility);
  return (
    <li>
      {choice}
      <div>
        <Link to={{ view: "rules", camera: camera.id }}>
          <StoredText>{camera.name}</StoredText>
        </Link>
        <p className="hint">
          <StateName camera={camera} />
          {camera.url && (
            <>
              {" · "}
              <StreamUrl url={camera.url} />
            </>
          )}
        </p>
        <SnoozedUntil of={camera} timeZone={facility.effectiveTimeZoneId} />
      </div>
      {mayChange && (
        <div className="setting-actions">
          <DialogButton label={actions.edit} of={camera.name} draftKey={cameraDraft(facility.id, camera)}>
            {(close) => <CameraForm camera={camera} facility={facility} onClose={close} onSaved={tell} />}
          </DialogButton>
          <DialogButton label={forms.delete} of={camera.name}>
            {(close) => <CameraDeletion cameras={[camera]} tell={tell} onClose={close} />}
          </DialogButton>
        </div>
      )}
    </li>
  );
}
