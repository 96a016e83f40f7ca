import { useState } from "react";
import { saveFile } from "../administration/csv.js";
import { EditForm } from "../form/edit-form.js";
import { Options, SelectField, SingleChoice, TextField, type Texts, useForm } from "../form/field.js";
import { Link } from "../navigation/location.js";
import { settings } from "../page-settings.js";
import {
  type ConfigurableKind,
  configurableKinds,
  configurationOf,
  detectionFormats,
  fileNameOf,
  hasWildcard,
  isCameraUntold,
  loginFields,
  neededPermissions,
  secretFields,
  type WrittenConfiguration,
} from "./connector-configuration.js";
import { useTexts } from "./texts.js";

export const configurationDraft = "configuration of a connector";

type Facilities = readonly { id: string; name: string }[];

interface ConfigurationFormProps {
  facilities: Facilities;
  onClose: () => void;
  onWritten: (configuration: WrittenConfiguration) => void;
}

/** A connector's configuration, which the browser saves as a file. It contains no secrets. */
export function ConfigurationForm({ facilities, onClose, onWritten }: ConfigurationFormProps) {
  const { form } = useTexts();
  const write = async (given: Texts) => {
    const kind = kindIn(given);
    const file = fileNameOf(given.name ?? "");
    saveFile(file, "application/json", `${JSON.stringify(configurationOf(kind, given), undefined, 2)}\n`);
    onWritten({ kind, file });
    return {};
  };
  return (
    <EditForm
      title={form.title}
      draftKey={configurationDraft}
      start={startTexts()}
      submitLabel={form.save}
      onSubmit={write}
      onClose={onClose}
    >
      <ConfigurationFields facilities={facilities} />
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

function ConfigurationFields({ facilities }: { facilities: Facilities }) {
  const { kinds, form } = useTexts();
  const [kind, setKind] = useState(kindIn(useForm().start));
  return (
    <>
      <SingleChoice
        name="kind"
        label={form.kind}
        options={configurableKinds.map((value) => [value, kinds[value]] as const)}
        chosen={kind}
        onChange={setKind}
      />
      <TextField name="name" label={form.name} hint={form.nameHint} maxLength={100} required />
      <TextField
        name="gatewayUrl"
        label={form.gatewayUrl}
        hint={form.gatewayUrlHint}
        type="url"
        pattern="https?://.+"
        required
      />
      <SecretField secret="apiKey" label={form.apiKey} />
      <p className="hint">
        {form.secretsHint}{" "}
        <Link to={{ view: "settings", part: "keys", add: "key", permissions: neededPermissions[kind] }}>
          {form.createKey}
        </Link>
      </p>
      <SelectField
        name="facility"
        label={form.facility}
        hint={form.facilityHint}
        options={[["", form.anyFacility], ...facilities.map(({ id, name }) => [id, name] as const)]}
      />
      <TextField name="stateFile" label={form.stateFile} required />
      {kind === "FRIGATE" ? <FrigateFields /> : <SourceFields />}
      <fieldset className="configuration-group">
        <legend>{form.groups.broker}</legend>
        <TextField
          name="brokerUrl"
          label={form.brokerUrl}
          hint={form.brokerUrlHint}
          type="url"
          pattern="mqtts?://.+"
          required
        />
        <LoginFields of="broker" title={form.groups.broker} />
      </fieldset>
    </>
  );
}

function FrigateFields() {
  const { form } = useTexts();
  return (
    <fieldset className="configuration-group">
      <legend>{form.groups.frigate}</legend>
      <TextField name="frigateUrl" label={form.frigateUrl} type="url" pattern="https?://.+" required />
      <LoginFields of="frigate" title={form.groups.frigate} />
      <TextField name="topicPrefix" label={form.topicPrefix} placeholder="frigate" pattern="[^+#]*[^+#\/]" />
    </fieldset>
  );
}

function SourceFields() {
  const { form } = useTexts();
  const { start } = useForm();
  const [format, setFormat] = useState(start.format);
  const [topic, setTopic] = useState(start.topic ?? "");
  return (
    <fieldset className="configuration-group">
      <legend>{form.groups.source}</legend>
      <SelectField
        name="format"
        label={form.format}
        options={detectionFormats.map((each) => [each, form.formats[each]])}
        onChange={({ currentTarget }) => setFormat(currentTarget.value)}
      />
      <TextField
        name="topic"
        label={form.topic}
        hint={form.topicHint}
        onChange={({ currentTarget }) => setTopic(currentTarget.value)}
        required
      />
      {isCameraUntold(format) && (
        <TextField name="camera" label={form.camera} hint={form.cameraHint} required={!hasWildcard(topic)} />
      )}
      {format === "DEEPSTREAM" && (
        <div className="field-row">
          <TextField name="frameWidth" label={form.frameWidth} type="number" min={1} required />
          <TextField name="frameHeight" label={form.frameHeight} type="number" min={1} required />
        </div>
      )}
    </fieldset>
  );
}

interface SecretFieldProps {
  secret: string;
  label: string;
}

/** Where the connector finds a secret: in a file, or in its environment. */
function SecretField({ secret, label }: SecretFieldProps) {
  const { form } = useTexts();
  const { start } = useForm();
  const { location, source } = secretFields(secret);
  return (
    <fieldset className="secret-field">
      <legend>{label}</legend>
      <select name={location} aria-label={form.location(label)} defaultValue={start[location] ?? "file"}>
        <Options of={Object.entries(form.locations)} />
      </select>
      <input
        name={source}
        aria-label={form.source(label)}
        required
        spellCheck={false}
        defaultValue={start[source]}
      />
    </fieldset>
  );
}

interface LoginFieldsProps {
  /** What the connector signs in to, in the names of the fields. */
  of: string;
  title: string;
}

/** The fields for a user, for where the connector finds the password if there is a login, and for whom it trusts. */
function LoginFields({ of, title }: LoginFieldsProps) {
  const { form } = useTexts();
  const fields = loginFields(of);
  const [username, setUsername] = useState(useForm().start[fields.username] ?? "");
  return (
    <>
      <TextField
        name={fields.username}
        label={form.username}
        hint={form.usernameHint}
        autoComplete="off"
        onChange={({ currentTarget }) => setUsername(currentTarget.value)}
      />
      {username.trim() !== "" && (
        <SecretField secret={fields.password} label={`${form.password} (${title})`} />
      )}
      <TextField name={fields.caFile} label={form.caFile} hint={form.caFileHint} />
    </>
  );
}
