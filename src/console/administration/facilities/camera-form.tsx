import { useState } from "react";
import { useMutation } from "urql";
import {
  AddCameraDocument,
  AddCameraWithPictureDocument,
  type AdministeredCameraFragment,
  type AdministeredFacilityFragment,
  ChangeCameraDocument,
  type StreamProtocol,
  type StreamType,
} from "../../../generated/console.js";
import type { Size } from "../../../platform/geometry.js";
import { isolated } from "../../../platform/text-direction.js";
import { EditForm, type Texts } from "../../form/edit-form.js";
import { Field } from "../../form/field.js";
import { type FieldRules, fieldProblems } from "../../form/field-problems.js";
import { linesOf } from "../../form/lines.js";
import { SingleChoice } from "../../form/single-choice.js";
import { useLanguage } from "../../language/language.js";
import type { TellOutcome } from "../../shell/outcome.js";
import { useTexts as useSettingTexts } from "../texts.js";
import { cameraDraft } from "./camera-draft.js";
import { streamTypes } from "./stream-types.js";
import { useTexts } from "./texts.js";

interface CameraFormProps {
  facility: AdministeredFacilityFragment;
  /** The camera to change; absent when adding one. */
  camera?: AdministeredCameraFragment;
  onClose: () => void;
  onSaved: TellOutcome;
}

/** A camera's name, stream and addresses. A new camera may have a picture instead. */
export function CameraForm({ facility, camera, onClose, onSaved }: CameraFormProps) {
  const { messages } = useLanguage();
  const settings = useSettingTexts();
  const { cameras } = useTexts();
  const [changed, change] = useMutation(ChangeCameraDocument);
  const [added, add] = useMutation(AddCameraDocument);
  const [pictured, addWithPicture] = useMutation(AddCameraWithPictureDocument);
  const [picture, setPicture] = useState<File>();
  const [sentAddresses, setSentAddresses] = useState<readonly string[]>([]);
  const error = changed.error ?? added.error ?? pictured.error;
  const rules: FieldRules = {
    ...cameras.problems,
    emailAddresses: (index) =>
      cameras.problems.emailAddresses(index === undefined ? undefined : sentAddresses[index]),
  };
  const problems = fieldProblems(error, rules);
  const restore = async (
    { id, name, url, streamType, streamProtocol, ...before }: AdministeredCameraFragment,
    { updatedAt }: AdministeredCameraFragment,
  ) => {
    const { emailAddresses, facilityNodeId, imageDimensions } = before;
    const stream = url !== null && streamType !== null ? { url, streamType } : {};
    const input = {
      name,
      ...stream,
      ...(streamProtocol !== null && { streamProtocol }),
      emailAddresses,
      facilityNodeId,
      ...(imageDimensions && { imageDimensions: plainSize(imageDimensions) }),
      expectedUpdatedAt: updatedAt,
    };
    return (await change({ id, input })).error;
  };
  const submit = async (given: Record<string, string>, version: string | undefined) => {
    const { name = "", url = "", streamType, source, emailAddresses } = given;
    const stream = { name, url, streamType: streamType as StreamType };
    const save = () => {
      if (camera) {
        const addresses = linesOf(emailAddresses ?? "");
        setSentAddresses(addresses);
        const hasStream = camera.url !== null;
        const expected = version !== undefined && { expectedUpdatedAt: version };
        return change({
          id: camera.id,
          input: {
            ...(hasStream ? stream : { name }),
            emailAddresses: addresses,
            ...deviceInput(given, camera),
            ...expected,
          },
        });
      }
      return source === "picture"
        ? addWithPicture({ facility: facility.id, input: { name, image: picture } })
        : add({ facility: facility.id, input: stream });
    };
    const { error, data } = await save();
    if (error) return false;
    const saved = data && "updateCamera" in data ? data.updateCamera : undefined;
    if (camera && saved) onSaved(settings.saved, () => restore(camera, saved));
    else onSaved(cameras.added(isolated(name)));
    return true;
  };
  return (
    <EditForm
      title={camera ? cameras.editTitle(isolated(camera.name)) : cameras.addTitle(isolated(facility.name))}
      draftKey={cameraDraft(facility.id, camera)}
      start={startOf(camera)}
      {...(camera && { version: camera.updatedAt })}
      problems={problems}
      error={error}
      isSaving={changed.fetching || added.fetching || pictured.fetching}
      submitLabel={messages.forms.save}
      onSubmit={submit}
      onClose={onClose}
    >
      {(start) => (
        <>
          <Field label={cameras.name} problem={problems.name}>
            {(attributes) => (
              <input {...attributes} name="name" required maxLength={200} defaultValue={start.name} />
            )}
          </Field>
          {camera ? (
            <>
              {camera.url !== null && <StreamFields isKept start={start} problems={problems} />}
              <Field
                label={cameras.emailAddresses}
                hint={cameras.onePerLine}
                problem={problems.emailAddresses}
              >
                {(attributes) => (
                  <textarea
                    {...attributes}
                    name="emailAddresses"
                    rows={3}
                    defaultValue={start.emailAddresses}
                  />
                )}
              </Field>
              <DeviceFields camera={camera} start={start} problems={problems} />
            </>
          ) : (
            <SourceFields start={start} problems={problems} onPicture={setPicture} />
          )}
        </>
      )}
    </EditForm>
  );
}

interface FieldsProps {
  start: Texts;
  problems: Readonly<Record<string, string>>;
}

/** Where the pictures of a new camera come from: a stream, or an uploaded picture. */
function SourceFields({
  start,
  problems,
  onPicture,
}: FieldsProps & { onPicture: (picture: File | undefined) => void }) {
  const { cameras } = useTexts();
  const [source, setSource] = useState(start.source ?? "url");
  return (
    <>
      <SingleChoice
        name="source"
        label={cameras.source}
        options={[
          { value: "url", text: cameras.byUrl },
          { value: "picture", text: cameras.byPicture },
        ]}
        chosen={source}
        onChange={setSource}
      />
      {source === "picture" ? (
        <Field label={cameras.picture} hint={cameras.pictureHint} problem={problems.image}>
          {(attributes) => (
            <input
              {...attributes}
              type="file"
              required
              accept="image/jpeg,image/png,image/webp"
              onChange={({ currentTarget }) => onPicture(currentTarget.files?.[0])}
            />
          )}
        </Field>
      ) : (
        <StreamFields start={start} problems={problems} />
      )}
    </>
  );
}

interface StreamFieldsProps extends FieldsProps {
  /** Whether there is a URL already, of which a password can stay. */
  isKept?: boolean;
}

function StreamFields({ isKept = false, start, problems }: StreamFieldsProps) {
  const { cameras } = useTexts();
  const offered = [...new Set([...streamTypes, ...(start.streamType ? [start.streamType] : [])])];
  return (
    <>
      <Field label={cameras.url} hint={isKept ? cameras.keptUrlHint : cameras.urlHint} problem={problems.url}>
        {(attributes) => (
          <input
            {...attributes}
            name="url"
            required
            maxLength={2048}
            placeholder="rtsp://192.0.2.10:554/stream"
            spellCheck={false}
            autoComplete="off"
            defaultValue={start.url}
          />
        )}
      </Field>
      <Field label={cameras.streamType} problem={problems.streamType}>
        {(attributes) => (
          <select {...attributes} name="streamType" defaultValue={start.streamType}>
            {offered.map((type) => (
              <option key={type} value={type}>
                {cameras.streamTypes[type] ?? type}
              </option>
            ))}
          </select>
        )}
      </Field>
    </>
  );
}

const protocols: readonly StreamProtocol[] = ["RTSP", "RTMP", "RTMPS", "HLS"];

/** What is seldom changed: it opens on request, and where something is wrong. */
function DeviceFields({ camera, start, problems }: FieldsProps & { camera: AdministeredCameraFragment }) {
  const { cameras } = useTexts();
  const hasProblem = ["streamProtocol", "facilityNodeId", "imageDimensions"].some((name) => name in problems);
  return (
    <details {...(hasProblem && { open: true })}>
      <summary>{cameras.device}</summary>
      <div className="edit-form">
        {camera.url !== null && (
          <Field label={cameras.streamProtocol} problem={problems.streamProtocol}>
            {(attributes) => (
              <select {...attributes} name="streamProtocol" defaultValue={start.streamProtocol ?? ""}>
                {camera.streamProtocol === null && <option value="">{cameras.unknown}</option>}
                {protocols.map((protocol) => (
                  <option key={protocol} value={protocol}>
                    {protocol}
                  </option>
                ))}
              </select>
            )}
          </Field>
        )}
        <Field
          label={cameras.facilityNodeId}
          hint={cameras.facilityNodeIdHint}
          problem={problems.facilityNodeId}
        >
          {(attributes) => (
            <input
              {...attributes}
              name="facilityNodeId"
              maxLength={36}
              spellCheck={false}
              autoComplete="off"
              defaultValue={start.facilityNodeId}
            />
          )}
        </Field>
        <div className="field-row">
          {(["width", "height"] as const).map((name) => (
            <Field
              key={name}
              label={cameras[name]}
              problem={name === "width" ? problems.imageDimensions : undefined}
            >
              {(attributes) => (
                <input {...attributes} name={name} type="number" min={1} defaultValue={start[name]} />
              )}
            </Field>
          ))}
        </div>
      </div>
    </details>
  );
}

/** What the fields of the device change. The size stays known once it is. */
function deviceInput(
  { streamProtocol, facilityNodeId, width, height }: Record<string, string>,
  camera: AdministeredCameraFragment,
) {
  const before = startOf(camera);
  const hasSize = (width || height) && (width !== before.width || height !== before.height);
  return {
    ...(streamProtocol && { streamProtocol: streamProtocol as StreamProtocol }),
    facilityNodeId: facilityNodeId || null,
    ...(hasSize && { imageDimensions: { width: Number(width), height: Number(height) } }),
  };
}

/** A size as the API takes it, without the cache's own fields. */
const plainSize = ({ width, height }: Size) => ({ width, height });

/** The texts of the fields for the current camera. */
const startOf = (camera: AdministeredCameraFragment | undefined): Texts => ({
  name: camera?.name,
  url: camera?.url ?? undefined,
  streamType: camera?.streamType ?? "DIRECT",
  emailAddresses: camera?.emailAddresses.join("\n"),
  streamProtocol: camera?.streamProtocol ?? undefined,
  facilityNodeId: camera?.facilityNodeId ?? undefined,
  width: camera?.imageDimensions?.width.toString(),
  height: camera?.imageDimensions?.height.toString(),
});
