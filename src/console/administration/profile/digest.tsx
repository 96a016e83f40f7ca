import { useState } from "react";
import { useMutation } from "urql";
import {
  ChangeDigestDocument,
  type OwnDigestFragment,
  type ProfileQuery,
} from "../../../generated/console.js";
import { EditForm, isBeingWritten } from "../../form/edit-form.js";
import { Checkbox, TextField, type Texts, useForm } from "../../form/field.js";
import { useLanguage } from "../../language/language.js";
import { readersTimeZone } from "../../language/time-zones.js";
import { TimeZoneField } from "../facilities/time-zone-field.js";
import { chosenFacilities, FacilityChoice } from "../keys/facility-choice.js";
import { useTexts as useKeyTexts } from "../keys/texts.js";
import { useTexts as useSettingTexts } from "../texts.js";
import { useTexts } from "./texts.js";

const digestDraft = "digest";

interface DigestProps {
  user: OwnDigestFragment;
  facilities: ProfileQuery["facilities"];
  /** Whether the gateway sends email. */
  canBeSent: boolean;
  onSaved: () => void;
}

/** The mail that the viewer gets each day, or why there can be none. */
export function Digest({ user, facilities, canBeSent, onSaved }: DigestProps) {
  const { actions } = useSettingTexts();
  const apiKeys = useKeyTexts();
  const { digest: texts } = useTexts();
  const { formats } = useLanguage();
  const [isChanging, setIsChanging] = useState(() => isBeingWritten(digestDraft));
  const hindrance = user.email === "" ? texts.noAddress : canBeSent ? undefined : texts.noChannel;
  const { digest } = user;
  const chosen = facilities.filter(({ id }) => digest?.facilityIds.includes(id));
  const where = digest?.facilityIds.length ? apiKeys.facilityCount(chosen.length) : texts.everywhere;
  return (
    <section className="digest-setting" aria-labelledby="digest">
      <h3 id="digest">{texts.title}</h3>
      <p className="hint">{texts.text}</p>
      <p>
        {digest?.enabled ? texts.summary(formats.clockTime(digest.at), digest.timeZoneId, where) : texts.off}
      </p>
      {hindrance === undefined ? (
        <button
          type="button"
          aria-label={`${actions.edit}: ${texts.title}`}
          onClick={() => setIsChanging(true)}
        >
          {actions.edit}
        </button>
      ) : (
        <p>{hindrance}</p>
      )}
      {isChanging && (
        <DigestForm
          digest={digest}
          facilities={facilities}
          onClose={() => setIsChanging(false)}
          onSaved={onSaved}
        />
      )}
    </section>
  );
}

interface DigestFormProps {
  digest: OwnDigestFragment["digest"];
  facilities: ProfileQuery["facilities"];
  onClose: () => void;
  onSaved: () => void;
}

function DigestForm({ digest, facilities, onClose, onSaved }: DigestFormProps) {
  const { digest: texts } = useTexts();
  const [, change] = useMutation(ChangeDigestDocument);
  const submit = (given: Record<string, string>) => {
    const { at = "", timeZoneId = "" } = given;
    const facilityIds = chosenFacilities(facilities, given);
    return change({ input: { enabled: "enabled" in given, at, timeZoneId, facilityIds } });
  };
  return (
    <EditForm
      title={texts.title}
      draftKey={digestDraft}
      start={startOf(digest)}
      rules={texts.problems}
      onSubmit={submit}
      onSaved={onSaved}
      onClose={onClose}
    >
      <EnabledField />
      <TextField name="at" label={texts.at} type="time" required />
      <TimeZoneField />
      <FacilityChoice facilities={facilities} />
    </EditForm>
  );
}

function EnabledField() {
  const { digest } = useTexts();
  const { problems } = useForm();
  return (
    <>
      <Checkbox name="enabled">{digest.enabled}</Checkbox>
      {problems.enabled && <p className="problem">{problems.enabled}</p>}
    </>
  );
}

/** The fields for the current digest. Who opens the form for the first time wants one. */
const startOf = (digest: OwnDigestFragment["digest"]): Texts => ({
  ...((digest?.enabled ?? true) && { enabled: "on" }),
  at: digest?.at ?? "07:00",
  timeZoneId: digest?.timeZoneId ?? readersTimeZone,
  ...Object.fromEntries((digest?.facilityIds ?? []).map((id) => [id, "on"])),
});
