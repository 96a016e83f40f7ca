import { useMutation } from "urql";
import { AddKeyDocument, type CameraToTryFragment } from "../../generated/console.js";
import { permissionsOf } from "../administration/role-presets.js";
import { useTexts as useSettingTexts } from "../administration/texts.js";
import { Problem } from "../form/edit-form.js";
import { Link } from "../navigation/location.js";
import { CopyableText } from "../shell/copyable-text.js";
import { useWorkspace } from "../viewer/viewer.js";
import { detectorCommand } from "./detector-command.js";
import { useTexts } from "./texts.js";

interface AlertSourceProps {
  camera: CameraToTryFragment;
  isDone: boolean;
  /** An alert that has come. */
  alert: { id: string } | undefined;
}

/** Makes a key for a detector, shows how to try it, and leads to what connects other products. */
export function AlertSource({ camera, isDone, alert }: AlertSourceProps) {
  const { source } = useTexts().steps;
  const { keys, roles } = useSettingTexts();
  const held: readonly string[] = useWorkspace()?.viewerPermissions ?? [];
  const [{ data, error, fetching }, add] = useMutation(AddKeyDocument);
  const key = data?.createApiKey.key;
  const mayAdd = ["api-keys:write", ...permissionsOf.detector].every((each) => held.includes(each));
  const addKey = () => {
    const permissions = [...permissionsOf.detector];
    void add({ input: { name: roles.names.detector, permissions, facilityIds: [camera.facility.id] } });
  };
  return (
    <>
      {key !== undefined ? (
        <>
          <p className="hint">{keys.createdText}</p>
          <CopyableText label={keys.key} text={key} />
          <CopyableText label={source.command} text={detectorCommand(key, camera)} />
        </>
      ) : (
        mayAdd &&
        !isDone && (
          <button type="button" className="primary" aria-busy={fetching} onClick={addKey}>
            {source.action}
          </button>
        )
      )}
      <Problem error={error} />
      {alert && <Link to={{ view: "alerts", alert: alert.id }}>{source.alert}</Link>}
      {mayAdd && !isDone && (
        <p className="hint">
          {source.connectors}{" "}
          <Link to={{ view: "settings", part: "connectors", add: "connector" }}>{source.connect}</Link>
        </p>
      )}
    </>
  );
}
