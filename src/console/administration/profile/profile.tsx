import { useState } from "react";
import { useMutation } from "urql";
import {
  ChangeDigestDocument,
  ChangeMailLanguageDocument,
  ChangePhoneNumberDocument,
  ChangePictureDocument,
  EndAllSessionsDocument,
  EndSessionDocument,
  type OwnDigestFragment,
  type OwnProfileFragment,
  type OwnSessionsFragment,
  ProfileDocument,
  type ProfileQuery,
  SessionsDocument,
} from "../../../generated/console.js";
import { type LanguageCode, languageOf } from "../../../platform/text/language.js";
import { codeOf } from "../../data/failure.js";
import { pictureSource } from "../../data/picture.js";
import { QueryResult, useRepeatedQuery } from "../../data/query.js";
import { DialogButton } from "../../form/dialog-button.js";
import { ActionButton, EditForm, Problem, useAction } from "../../form/edit-form.js";
import { Checkbox, FieldProblem, SelectField, TextField, type Texts } from "../../form/field.js";
import { languages, Moment, StoredText, useLanguage } from "../../language/language.js";
import { readersTimeZone } from "../../language/time-zones.js";
import { NewAlertChoices } from "../../new-alerts/new-alert-choices.js";
import { isSessionOfLink, signOut } from "../../session/session.js";
import { LanguageChoice, ThemeChoice } from "../../shell/account/display-choices.js";
import { Fact } from "../../shell/fact.js";
import { AccountIcon } from "../../shell/icons.js";
import { Notice, useOutcome } from "../../shell/notice/notice.js";
import { TimeZoneField } from "../facilities/time-zone-field.js";
import { chosenFacilities, FacilityChoice } from "../keys/facility-choice.js";
import { RowButton } from "../row-button.js";
import { useTexts } from "../texts.js";
import { nameDraft, OwnName } from "./own-name.js";
import { PictureCrop } from "./picture-crop.js";

export function Profile() {
  const { profile } = useTexts();
  const [result, readAgain] = useRepeatedQuery({ query: ProfileDocument });
  if (result.error && codeOf(result.error) === "FORBIDDEN") return <Notice title={profile.isKey} />;
  return (
    <QueryResult result={result} onRetry={readAgain}>
      {(data) => <OwnProfile {...data} />}
    </QueryResult>
  );
}

function OwnProfile({ me: user, workspace, facilities }: ProfileQuery) {
  const { actions, saved, profile } = useTexts();
  const [outcome, tell] = useOutcome();
  const form = { user, onSaved: () => tell(saved) };
  return (
    <>
      <PictureSetting user={user} tell={tell} />
      <dl className="setting-facts">
        <Fact label={profile.name}>
          <StoredText>{[user.fullName, user.jobTitle].filter(Boolean).join(", ") || "–"}</StoredText>{" "}
          <DialogButton label={actions.edit} of={profile.name} draftKey={nameDraft}>
            {(close) => <OwnName {...form} onClose={close} />}
          </DialogButton>
        </Fact>
        <Fact label={profile.phone}>
          {user.phoneNumber?.e164Format ?? "–"}{" "}
          <DialogButton label={actions.edit} of={profile.phone} draftKey={phoneDraft}>
            {(close) => <PhoneForm {...form} onClose={close} />}
          </DialogButton>
        </Fact>
        <Fact label={profile.email}>
          <StoredText>{user.email}</StoredText>
        </Fact>
      </dl>
      <Digest
        user={user}
        facilities={facilities}
        canBeSent={workspace.deliveryChannels.includes("EMAIL")}
        onSaved={() => tell(saved)}
      />
      <section className="display-setting" aria-labelledby="display">
        <h3 id="display">{profile.display}</h3>
        <LanguageSetting user={user} />
        <ThemeChoice />
      </section>
      <NewAlertChoices />
      {isSessionOfLink() && <Sessions />}
      {outcome}
    </>
  );
}

/** The language of the console in this browser, and that of mails, which follows it when it is chosen here. */
function LanguageSetting({ user }: { user: OwnProfileFragment }) {
  const { code } = useLanguage();
  const { profile } = useTexts();
  const [{ error }, change] = useMutation(ChangeMailLanguageDocument);
  const names = new Intl.DisplayNames(code, { type: "language" });
  const nameOf = (language: LanguageCode) => names.of(language) ?? languages[language].name;
  const ofMails = languageOf(user.locale);
  return (
    <>
      <LanguageChoice onChosen={(locale) => void change({ locale })} />
      <p className="hint">{profile.mailLanguage(nameOf(ofMails))}</p>
      {ofMails !== code && (
        <ActionButton run={() => change({ locale: code })}>
          {profile.changeMailLanguage(nameOf(code))}
        </ActionButton>
      )}
      <Problem error={error} />
    </>
  );
}

/** Where the viewer is signed in, to end one session or all. */
function Sessions() {
  const { profile } = useTexts();
  const [result, readAgain] = useRepeatedQuery({ query: SessionsDocument });
  const [, end] = useMutation(EndAllSessionsDocument);
  const endAll = async () => {
    const outcome = await end({});
    if (!outcome.error) signOut();
    return outcome;
  };
  return (
    <section aria-labelledby="sessions">
      <h3 id="sessions">{profile.sessions}</h3>
      <QueryResult result={result} onRetry={readAgain}>
        {({ me }) => (
          <ul>
            {me.sessions.map((session) => (
              <SessionRow key={session.id} {...session} />
            ))}
          </ul>
        )}
      </QueryResult>
      <p className="hint">{profile.signOutText}</p>
      <ActionButton run={endAll}>{profile.signOutEverywhere}</ActionButton>
    </section>
  );
}

function SessionRow({ id, name, lastUsedAt, current }: OwnSessionsFragment["sessions"][number]) {
  const { profile } = useTexts();
  const [, end] = useMutation(EndSessionDocument);
  const { isBusy, error, start } = useAction(() => end({ id }));
  const browser = name || profile.unknownBrowser;
  return (
    <li>
      {browser} · {current ? profile.thisBrowser : <Moment instant={lastUsedAt} form="both" />}{" "}
      {!current && <RowButton label={profile.endSession} of={browser} aria-busy={isBusy} onClick={start} />}
      <Problem error={error} />
    </li>
  );
}

interface ProfileFormProps {
  user: OwnProfileFragment;
  onClose: () => void;
  onSaved: () => void;
}

const phoneDraft = "own phone number";

/** The country of the browser's language, such as DE of de-DE. */
const readersRegion = () => new Intl.Locale(navigator.language).maximize().region ?? "";

function PhoneForm({ user: { phoneNumber }, onClose, onSaved }: ProfileFormProps) {
  const { code } = useLanguage();
  const { profile } = useTexts();
  const [, change] = useMutation(ChangePhoneNumberDocument);
  return (
    <EditForm
      title={profile.phone}
      draftKey={phoneDraft}
      start={{ phoneNumber: phoneNumber?.e164Format, region: phoneNumber?.region ?? readersRegion() }}
      rules={profile.problems}
      onSubmit={({ phoneNumber = "", region = "" }) => change({ input: { phoneNumber, region } })}
      onSaved={onSaved}
      onClose={onClose}
    >
      <TextField
        name="phoneNumber"
        label={profile.phone}
        hint={profile.phoneHint}
        type="tel"
        autoComplete="tel"
      />
      <SelectField name="region" label={profile.region} options={regionNames(code)} />
    </EditForm>
  );
}

/** All countries with their names in a language, sorted by these. */
function regionNames(language: string): [region: string, name: string][] {
  const names = new Intl.DisplayNames(language, { type: "region", fallback: "none" });
  const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
  return letters
    .flatMap((first) => letters.map((second) => first + second))
    .flatMap((region): [string, string][] => {
      const name = names.of(region);
      // Browsers also name aliases such as UK, and codes that are no countries.
      return name &&
        new Intl.Locale(`und-${region}`).region === region &&
        !/^(?:E[UZ]|UN|XA|XB|ZZ|Q[OU])$/.test(region)
        ? [[region, name]]
        : [];
    })
    .sort(([, one], [, other]) => one.localeCompare(other, language));
}

function PictureSetting({ user, tell }: { user: OwnProfileFragment; tell: (message: string) => void }) {
  const { saved, profile } = useTexts();
  const source = pictureSource(user.picture);
  const [chosen, setChosen] = useState<File>();
  const [{ error, fetching }, change] = useMutation(ChangePictureDocument);
  const save = async (picture: Blob) => {
    const { error } = await change({ image: new File([picture], "picture.jpg", { type: picture.type }) });
    if (error) return;
    setChosen(undefined);
    tell(saved);
  };
  return (
    <div className="profile-picture">
      {source ? <img src={source} alt={profile.picture} /> : <AccountIcon />}
      <label className="button">
        {profile.choosePicture}
        <input
          type="file"
          className="visually-hidden"
          accept="image/jpeg,image/png,image/webp"
          onChange={({ currentTarget }) => {
            setChosen(currentTarget.files?.[0]);
            // The same file may be chosen again.
            currentTarget.value = "";
          }}
        />
      </label>
      <span className="hint">{profile.pictureHint}</span>
      {chosen && (
        <PictureCrop
          file={chosen}
          isSaving={fetching}
          onSave={(picture) => void save(picture)}
          onClose={() => setChosen(undefined)}
        />
      )}
      <Problem error={error} />
    </div>
  );
}

const digestDraft = "digest";

interface DigestProps {
  user: OwnDigestFragment;
  facilities: ProfileQuery["facilities"];
  canBeSent: boolean;
  onSaved: () => void;
}

/** The mail that the viewer gets each day, or why there can be none. */
function Digest({ user, facilities, canBeSent, onSaved }: DigestProps) {
  const { actions, keys: apiKeys, digest: texts } = useTexts();
  const { formats } = useLanguage();
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
        <DialogButton label={actions.edit} of={texts.title} draftKey={digestDraft}>
          {(close) => (
            <DigestForm digest={digest} facilities={facilities} onClose={close} onSaved={onSaved} />
          )}
        </DialogButton>
      ) : (
        <p>{hindrance}</p>
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
  const submit = (given: Texts) => {
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
      <Checkbox name="enabled">{texts.enabled}</Checkbox>
      <FieldProblem of="enabled" />
      <TextField name="at" label={texts.at} type="time" required />
      <TimeZoneField />
      <FacilityChoice facilities={facilities} />
    </EditForm>
  );
}

/** The fields for the current digest. Whoever opens the form for the first time wants to get digests. */
const startOf = (digest: OwnDigestFragment["digest"]): Texts => ({
  ...((digest?.enabled ?? true) && { enabled: "on" }),
  at: digest?.at ?? "07:00",
  timeZoneId: digest?.timeZoneId ?? readersTimeZone,
  ...Object.fromEntries((digest?.facilityIds ?? []).map((id) => [id, "on"])),
});
