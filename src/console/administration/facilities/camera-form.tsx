import { useRef, useState } from "react";
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
import { isolated } from "../../../platform/text/text-direction.js";
import { ContactFields } from "../../contacts/contact-fields.js";
import { contactsIn, contactTexts } from "../../contacts/contact-texts.js";
import { useTexts as useContactTexts } from "../../contacts/texts.js";
import { EditForm } from "../../form/edit-form.js";
import {
  Checkbox,
  Field,
  SelectField,
  SingleChoice,
  TextField,
  type Texts,
  useForm,
} from "../../form/field.js";
import type { FieldRules } from "../../form/field-problems.js";
import { linesOf } from "../../form/lines.js";
import { useMessages } from "../../language/language.js";
import type { TellOutcome } from "../../shell/notice/notice.js";
import { useTexts as useSettingTexts } from "../texts.js";
import { cameraDraft } from "./camera-draft.js";
import { FirstPicture } from "./first-picture.js";
import { streamLogin, urlWithLogin } from "./stream-login.js";
import { streamTypes } from "./stream-types.js";
import { useTexts } from "./texts.js";

interface CameraFormProps {
  facility: AdministeredFacilityFragment;
  /** The camera to change; absent when adding one. */
  camera?: AdministeredCameraFragment;
  /** Whether it is the first one, whose rule comes next. */
  isFirst?: boolean;
  onClose: () => void;
  onSaved: TellOutcome;
}

/** The form of a camera, and after another stream was saved, whether its first picture comes. */
export function CameraForm({ camera: given, isFirst = false, onClose, ...context }: CameraFormProps) {
  const [camera, setCamera] = useState(given);
  const [awaited, setAwaited] = useState<AdministeredCameraFragment>();
  const streamed = useRef<AdministeredCameraFragment>(undefined);
  const change = (current: AdministeredCameraFragment) => {
    streamed.current = undefined;
    setCamera(current);
    setAwaited(undefined);
  };
  if (awaited) return <FirstPicture camera={awaited} isFirst={isFirst} onChange={change} onClose={onClose} />;
  return (
    <CameraFields
      {...context}
      camera={camera}
      onStream={(saved) => {
        streamed.current = saved;
      }}
      onClose={() => (streamed.current ? setAwaited(streamed.current) : onClose())}
    />
  );
}

interface CameraFieldsProps extends Omit<CameraFormProps, "camera" | "isFirst"> {
  camera: AdministeredCameraFragment | undefined;
  /** Told of a camera that was saved with another stream. */
  onStream: (camera: AdministeredCameraFragment) => void;
}

/** A camera's name, stream and addresses. A new camera may have a picture instead. */
function CameraFields({ facility, camera, onStream, onClose, onSaved }: CameraFieldsProps) {
  const { forms } = useMessages();
  const settings = useSettingTexts();
  const { cameras } = useTexts();
  const [, change] = useMutation(ChangeCameraDocument);
  const [, add] = useMutation(AddCameraDocument);
  const [, addWithPicture] = useMutation(AddCameraWithPictureDocument);
  const [picture, setPicture] = useState<File>();
  const [sentAddresses, setSentAddresses] = useState<readonly string[]>([]);
  const rules: FieldRules = {
    ...cameras.problems,
    contacts: useContactTexts().problem,
    emailAddresses: (index) =>
      cameras.problems.emailAddresses(index === undefined ? undefined : sentAddresses[index]),
  };
  const submit = async (given: Texts, expected: object) => {
    if (camera) {
      const { id } = camera;
      const input = changesOf(given, camera);
      setSentAddresses(input.emailAddresses);
      const { error, data } = await change({ id, input: { ...input, ...expected } });
      if (!data) return { error };
      if (data.updateCamera.url !== camera.url) onStream(data.updateCamera);
      const expectedUpdatedAt = data.updateCamera.updatedAt;
      const before = changesOf(startOf(camera), data.updateCamera);
      onSaved(settings.saved, () => change({ id, input: { ...before, expectedUpdatedAt } }));
      return { error };
    }
    const { name = "" } = given;
    if (given.source === "picture") {
      const { error } = await addWithPicture({ facility: facility.id, input: { name, image: picture } });
      if (!error) onSaved(forms.added(isolated(name)));
      return { error };
    }
    const { error, data } = await add({ facility: facility.id, input: streamOf(given) });
    if (data) {
      onStream(data.createCamera.camera);
      onSaved(forms.added(isolated(name)));
    }
    return { error };
  };
  return (
    <EditForm
      title={camera ? forms.editTitle(isolated(camera.name)) : cameras.addTitle(isolated(facility.name))}
      draftKey={cameraDraft(facility.id, camera)}
      start={startOf(camera)}
      version={camera?.updatedAt}
      rules={rules}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField name="name" label={forms.name} required maxLength={200} />
      {camera ? (
        <>
          {camera.url !== null && <StreamFields />}
          <TextField
            name="emailAddresses"
            label={cameras.emailAddresses}
            hint={cameras.onePerLine}
            rows={3}
          />
          <TextField name="note" label={cameras.note} rows={2} maxLength={2000} />
          {camera.url !== null && <Checkbox name="keepClips">{cameras.keepClips}</Checkbox>}
          <ContactFields />
          <DeviceFields camera={camera} />
        </>
      ) : (
        <SourceFields onPicture={setPicture} />
      )}
    </EditForm>
  );
}

/** Where the pictures of a new camera come from: a stream, or an uploaded picture. */
function SourceFields({ onPicture }: { onPicture: (picture: File | undefined) => void }) {
  const { cameras } = useTexts();
  const { start, problems } = useForm();
  const [source, setSource] = useState(start.source ?? "url");
  return (
    <>
      <SingleChoice
        name="source"
        label={cameras.source}
        options={[
          ["url", cameras.byUrl],
          ["picture", cameras.byPicture],
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
        <StreamFields />
      )}
    </>
  );
}

function StreamFields() {
  const { cameras } = useTexts();
  const { start } = useForm();
  const offered = [...new Set([...streamTypes, ...(start.streamType ? [start.streamType] : [])])];
  return (
    <>
      <TextField
        name="url"
        label={cameras.url}
        hint={cameras.urlHint}
        required
        maxLength={2048}
        placeholder="rtsp://192.0.2.10:554/stream"
        spellCheck={false}
        autoComplete="off"
        onInput={({ currentTarget, nativeEvent }) => {
          if ("inputType" in nativeEvent && nativeEvent.inputType === "insertFromPaste")
            divide(currentTarget);
        }}
        onBlur={({ currentTarget }) => divide(currentTarget)}
      />
      <div className="field-row">
        <TextField name="user" label={cameras.user} maxLength={500} spellCheck={false} autoComplete="off" />
        <PasswordField />
      </div>
      <SelectField
        name="streamType"
        label={cameras.streamType}
        options={offered.map((type) => [type, cameras.streamTypes[type] ?? type])}
      />
    </>
  );
}

/** The camera's password, which is shown on request: others may see the screen. */
function PasswordField() {
  const { cameras } = useTexts();
  const [isShown, setShown] = useState(false);
  return (
    <div>
      <TextField
        name="password"
        label={cameras.password}
        type={isShown ? "text" : "password"}
        maxLength={500}
        spellCheck={false}
        autoComplete="new-password"
      />
      <Checkbox checked={isShown} onChange={({ currentTarget }) => setShown(currentTarget.checked)}>
        {cameras.showPassword}
      </Checkbox>
    </div>
  );
}

/** Moves user and password out of a URL into their fields, and tells the form, which keeps its texts as a draft. */
function divide(field: HTMLInputElement) {
  const { address, ...login } = streamLogin(field.value);
  if (address === field.value) return;
  field.value = address;
  for (const [name, text] of Object.entries(login)) {
    const other = field.form?.elements.namedItem(name);
    if (other instanceof HTMLInputElement && text !== "") other.value = text;
  }
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

const protocols: readonly StreamProtocol[] = ["RTSP", "RTMP", "RTMPS", "HLS"];

/** What is seldom changed: it opens on request, and where something is wrong. */
function DeviceFields({ camera }: { camera: AdministeredCameraFragment }) {
  const { common } = useMessages();
  const { cameras } = useTexts();
  const { problems } = useForm();
  const hasProblem = ["streamProtocol", "facilityNodeId", "imageDimensions"].some((name) => name in problems);
  const unknown: [string, string][] = camera.streamProtocol === null ? [["", common.unknown]] : [];
  return (
    <details {...(hasProblem && { open: true })}>
      <summary>{cameras.device}</summary>
      <div className="edit-form">
        {camera.url !== null && (
          <SelectField
            name="streamProtocol"
            label={cameras.streamProtocol}
            options={[...unknown, ...protocols.map((each) => [each, each] as const)]}
          />
        )}
        <TextField
          name="facilityNodeId"
          label={cameras.facilityNodeId}
          hint={cameras.facilityNodeIdHint}
          maxLength={36}
          spellCheck={false}
          autoComplete="off"
        />
        <div className="field-row">
          <TextField name="width" label={cameras.width} problemOf="imageDimensions" type="number" min={1} />
          <TextField name="height" label={cameras.height} type="number" min={1} />
        </div>
      </div>
    </details>
  );
}

const streamOf = ({ name = "", streamType, ...login }: Texts, before?: AdministeredCameraFragment) => ({
  name,
  url: urlOf(login, before?.url),
  streamType: streamType as StreamType,
});

/** The URL that the fields make; the one of before, however it is encoded, if they say the same. */
function urlOf({ url = "", user = "", password = "" }: Texts, before: string | null | undefined) {
  const pasted = streamLogin(url);
  const given = {
    address: pasted.address,
    user: pasted.user || user,
    password: pasted.password || password,
  };
  const made = urlWithLogin(given);
  return typeof before === "string" && urlWithLogin(streamLogin(before)) === made ? before : made;
}

/** What the texts change of a camera. The size stays known once it is. */
function changesOf(given: Texts, camera: AdministeredCameraFragment) {
  const { name = "", emailAddresses = "", note, streamProtocol, facilityNodeId, width, height } = given;
  const before = startOf(camera);
  const hasSize = (width || height) && (width !== before.width || height !== before.height);
  return {
    ...(camera.url === null ? { name } : { ...streamOf(given, camera), keepClips: "keepClips" in given }),
    emailAddresses: linesOf(emailAddresses),
    note: note || null,
    contacts: contactsIn(given),
    ...(streamProtocol && { streamProtocol: streamProtocol as StreamProtocol }),
    facilityNodeId: facilityNodeId || null,
    ...(hasSize && { imageDimensions: { width: Number(width), height: Number(height) } }),
  };
}

/** The texts of the fields for the current camera. */
const startOf = (camera: AdministeredCameraFragment | undefined): Texts => ({
  name: camera?.name,
  ...(camera?.url && startOfStream(camera.url)),
  streamType: camera?.streamType ?? "DIRECT",
  emailAddresses: camera?.emailAddresses.join("\n"),
  note: camera?.note ?? undefined,
  ...(camera?.keepClips && { keepClips: "on" }),
  ...contactTexts(camera?.contacts),
  streamProtocol: camera?.streamProtocol ?? "",
  facilityNodeId: camera?.facilityNodeId ?? undefined,
  width: camera?.imageDimensions?.width.toString(),
  height: camera?.imageDimensions?.height.toString(),
});

function startOfStream(stored: string): Texts {
  const { address: url, ...login } = streamLogin(stored);
  return { url, ...login };
}
