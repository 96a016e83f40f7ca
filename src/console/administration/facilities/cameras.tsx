import { useState } from "react";
import { useMutation, useQuery } from "urql";
import {
  type AdministeredCameraFragment,
  AdministeredCamerasDocument,
  type AdministeredFacilityFragment,
  RemoveCameraDocument,
} from "../../../generated/console.js";
import { isolated } from "../../../platform/text-direction.js";
import { QueryResult } from "../../data/query-result.js";
import { Confirmation } from "../../form/confirmation.js";
import { isBeingWritten } from "../../form/edit-form.js";
import { useLanguage } from "../../language/language.js";
import { StoredText } from "../../language/stored-text.js";
import { Link } from "../../navigation/link.js";
import { CameraIcon } from "../../shell/icons.js";
import { Notice } from "../../shell/notice.js";
import type { TellOutcome } from "../../shell/outcome.js";
import { SearchField } from "../../shell/search-field.js";
import { useMay } from "../../viewer/viewer.js";
import { useAdding } from "../adding.js";
import { useTexts as useSettingTexts } from "../texts.js";
import { cameraDraft } from "./camera-draft.js";
import { CameraForm } from "./camera-form.js";
import { FacilityDeletion } from "./facility-deletion.js";
import { FacilityForm, facilityDraft } from "./facility-form.js";
import { useTexts } from "./texts.js";

interface CamerasProps {
  facility: AdministeredFacilityFragment;
  tell: TellOutcome;
}

/** A facility with its cameras. */
export function Cameras({ facility, tell }: CamerasProps) {
  const { actions, adding } = useSettingTexts();
  const { cameras } = useTexts();
  const mayChange = useMay("facilities:write", facility);
  const mayWriteCameras = useMay("cameras:write", facility);
  const mayDeleteAlerts = useMay("alerts:delete", facility);
  const mayDelete = mayChange && mayWriteCameras && mayDeleteAlerts;
  const [isChanging, setChanging] = useState(() => isBeingWritten(facilityDraft(facility)));
  const [isDeleting, setDeleting] = useState(false);
  const [result, reexecute] = useQuery({
    query: AdministeredCamerasDocument,
    variables: { facility: facility.id },
  });
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
        </div>
        <div className="setting-actions">
          {mayChange && (
            <button
              type="button"
              aria-label={`${actions.edit}: ${isolated(facility.name)}`}
              onClick={() => setChanging(true)}
            >
              {actions.edit}
            </button>
          )}
          {mayDelete && (
            <button
              type="button"
              aria-label={`${actions.delete}: ${isolated(facility.name)}`}
              onClick={() => setDeleting(true)}
            >
              {actions.delete}
            </button>
          )}
          {mayWriteCameras && add}
        </div>
      </header>
      <QueryResult result={result} onRetry={() => reexecute({ requestPolicy: "network-only" })}>
        {({ cameras: found }) =>
          found.length === 0 ? (
            <Notice icon={<CameraIcon />} title={cameras.empty}>
              {mayWriteCameras && cameras.emptyText}
            </Notice>
          ) : (
            <CameraList cameras={found} facility={facility} tell={tell} />
          )
        }
      </QueryResult>
      {isChanging && (
        <FacilityForm
          facility={facility}
          onClose={() => setChanging(false)}
          onSaved={(_facility, ...outcome) => tell(...outcome)}
        />
      )}
      {isDeleting && <FacilityDeletion facility={facility} onClose={() => setDeleting(false)} tell={tell} />}
      {isAdding && <CameraForm facility={facility} onClose={() => setAdding(false)} onSaved={tell} />}
    </section>
  );
}

function CameraList({
  cameras: found,
  ...place
}: CamerasProps & { cameras: readonly AdministeredCameraFragment[] }) {
  const { cameras } = useTexts();
  const [text, setText] = useState("");
  const shown = found.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()));
  return (
    <>
      {found.length > 10 && <SearchField label={cameras.search} value={text} onChange={setText} />}
      <ul className="setting-rows">
        {shown.map((camera) => (
          <CameraRow key={camera.id} camera={camera} {...place} />
        ))}
      </ul>
      {shown.length === 0 && <p className="hint">{cameras.noMatch}</p>}
    </>
  );
}

function CameraRow({ camera, facility, tell }: CamerasProps & { camera: AdministeredCameraFragment }) {
  const { words } = useLanguage();
  const { actions } = useSettingTexts();
  const { cameras } = useTexts();
  const mayChange = useMay("cameras:write", facility);
  const [isChanging, setChanging] = useState(() => isBeingWritten(cameraDraft(facility.id, camera)));
  const [isDeleting, setDeleting] = useState(false);
  const [removed, remove] = useMutation(RemoveCameraDocument);
  const confirm = async () => {
    const { data } = await remove({ id: camera.id });
    if (!data) return;
    setDeleting(false);
    tell(cameras.deleted(isolated(camera.name)));
  };
  return (
    <li>
      <div>
        <Link to={{ view: "rules", camera: camera.id }}>
          <StoredText>{camera.name}</StoredText>
        </Link>
        <p className="hint">
          <StoredText>{words.statusDetail(camera.statusDetail)}</StoredText>
          {camera.url && (
            <>
              {" · "}
              <StoredText>{camera.url}</StoredText>
            </>
          )}
        </p>
      </div>
      {mayChange && (
        <div className="setting-actions">
          <button
            type="button"
            aria-label={`${actions.edit}: ${isolated(camera.name)}`}
            onClick={() => setChanging(true)}
          >
            {actions.edit}
          </button>
          <button
            type="button"
            aria-label={`${actions.delete}: ${isolated(camera.name)}`}
            onClick={() => setDeleting(true)}
          >
            {actions.delete}
          </button>
        </div>
      )}
      {isChanging && (
        <CameraForm camera={camera} facility={facility} onClose={() => setChanging(false)} onSaved={tell} />
      )}
      {isDeleting && (
        <Confirmation
          title={cameras.deleteTitle(isolated(camera.name))}
          label={actions.delete}
          isBusy={removed.fetching}
          error={removed.error}
          onConfirm={() => void confirm()}
          onClose={() => setDeleting(false)}
        >
          <p>{cameras.deleteText}</p>
        </Confirmation>
      )}
    </li>
  );
}
