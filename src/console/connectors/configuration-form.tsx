import { useState } from "react";
import { saveFile } from "../administration/csv.js";
import { EditForm, type Texts } from "../form/edit-form.js";
import { Field } from "../form/field.js";
import { SingleChoice } from "../form/single-choice.js";
import { Link } from "../navigation/link.js";
import { settings } from "../page-settings.js";
import { LoginFields, SecretField, TextField } from "./configuration-fields.js";
import {
  type ConfigurableKind,
  configurableKinds,
  configurationOf,
  detectionFormats,
  fileNameOf,
  hasWildcard,
  isCameraUntold,
  neededPermissions,
} from "./connector-configuration.js";
import { useTexts } from "./texts.js";
import type { WrittenConfiguration } from "./written-file.js";

/** The draft of a configuration. */
export const configurationDraft = "configuration of a connector";

type Facilities = readonly { id: string; name: string }[];

interface ConfigurationFormProps {
  facilities: Facilities;
  onClose: () => void;
  /** Called when the reader's browser has the file. */
  onWritten: (configuration: WrittenConfiguration) => void;
}

/** A connector's configuration, which the browser saves as a file. It contains no secrets. */
export function ConfigurationForm({ facilities, onClose, onWritten }: ConfigurationFormProps) {
  const { form } = useTexts();
  const write = async (given: Record<string, string>) => {
    const kind = kindIn(given);
    const file = fileNameOf(given.name ?? "");
    saveFile(file, "application/json", `${JSON.stringify(configurationOf(kind, given), undefined, 2)}\n`);
    onWritten({ kind, file });
    return true;
  };
  return (
    <EditForm
      title={form.title}
      draftKey={configurationDraft}
      start={startTexts()}
      problems={{}}
      error={undefined}
      isSaving={false}
      submitLabel={form.save}
      onSubmit={write}
      onClose={onClose}
    >
      {(start) => <ConfigurationFields start={start} facilities={facilities} />}
    </EditForm>
  );
}

const kindIn = ({ kind }: Texts): ConfigurableKind => (kind === "MQTT" ? "MQTT" : "FRIGATE");

const startTexts = (): Texts => ({
  kind: "FRIGATE",
  gatewayUrl: settings.publicUrl,
  apiKey: "/run/secrets/api-key",
  frigateUrl: "https://frigate:8971",
  frigatePassword: "/run/secrets/frigate-password",
  brokerUrl: "mqtts://broker:8883",
  brokerPassword: "/run/secrets/mqtt-password",
  stateFile: "state.json",
  format: "AXIS_SCENE",
});

function ConfigurationFields({ start, facilities }: { start: Texts; facilities: Facilities }) {
  const { kinds, form } = useTexts();
  const [kind, setKind] = useState(kindIn(start));
  return (
    <>
      <SingleChoice
        name="kind"
        label={form.kind}
        options={configurableKinds.map((value) => ({ value, text: kinds[value] }))}
        chosen={kind}
        onChange={setKind}
      />
      <TextField name="name" label={form.name} hint={form.nameHint} start={start} maxLength={100} />
      <TextField
        name="gatewayUrl"
        label={form.gatewayUrl}
        hint={form.gatewayUrlHint}
        start={start}
        type="url"
        pattern="https?://.+"
      />
      <SecretField secret="apiKey" label={form.apiKey} start={start} />
      <p className="hint">
        {form.secretsHint}{" "}
        <Link to={{ view: "settings", part: "keys", add: "key", permissions: neededPermissions[kind] }}>
          {form.createKey}
        </Link>
      </p>
      <FacilityField start={start} facilities={facilities} />
      <TextField name="stateFile" label={form.stateFile} start={start} />
      {kind === "FRIGATE" ? <FrigateFields start={start} /> : <SourceFields start={start} />}
      <fieldset className="configuration-group">
        <legend>{form.groups.broker}</legend>
        <TextField
          name="brokerUrl"
          label={form.brokerUrl}
          hint={form.brokerUrlHint}
          start={start}
          type="url"
          pattern="mqtts?://.+"
        />
        <LoginFields of="broker" title={form.groups.broker} start={start} />
      </fieldset>
    </>
  );
}

function FacilityField({ start, facilities }: { start: Texts; facilities: Facilities }) {
  const { form } = useTexts();
  return (
    <Field label={form.facility} hint={form.facilityHint}>
      {(attributes) => (
        <select {...attributes} name="facility" defaultValue={start.facility ?? ""}>
          <option value="">{form.anyFacility}</option>
          {facilities.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

function FrigateFields({ start }: { start: Texts }) {
  const { form } = useTexts();
  return (
    <fieldset className="configuration-group">
      <legend>{form.groups.frigate}</legend>
      <TextField name="frigateUrl" label={form.frigateUrl} start={start} type="url" pattern="https?://.+" />
      <LoginFields of="frigate" title={form.groups.frigate} start={start} />
      <TextField
        name="topicPrefix"
        label={form.topicPrefix}
        start={start}
        placeholder="frigate"
        isOptional
        pattern="[^+#]*[^+#\/]"
      />
    </fieldset>
  );
}

function SourceFields({ start }: { start: Texts }) {
  const { form } = useTexts();
  const [format, setFormat] = useState(start.format);
  const [topic, setTopic] = useState(start.topic ?? "");
  return (
    <fieldset className="configuration-group">
      <legend>{form.groups.source}</legend>
      <Field label={form.format}>
        {(attributes) => (
          <select
            {...attributes}
            name="format"
            value={format}
            onChange={({ currentTarget }) => setFormat(currentTarget.value)}
          >
            {detectionFormats.map((each) => (
              <option key={each} value={each}>
                {form.formats[each]}
              </option>
            ))}
          </select>
        )}
      </Field>
      <TextField
        name="topic"
        label={form.topic}
        hint={form.topicHint}
        start={start}
        onChange={({ currentTarget }) => setTopic(currentTarget.value)}
      />
      {isCameraUntold(format) && (
        <TextField
          name="camera"
          label={form.camera}
          hint={form.cameraHint}
          start={start}
          isOptional={hasWildcard(topic)}
        />
      )}
      {format === "DEEPSTREAM" && (
        <div className="field-row">
          <TextField name="frameWidth" label={form.frameWidth} start={start} type="number" min={1} />
          <TextField name="frameHeight" label={form.frameHeight} start={start} type="number" min={1} />
        </div>
      )}
    </fieldset>
  );
}
