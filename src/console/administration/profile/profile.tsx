import { type ReactNode, useState } from "react";
import { useMutation, useQuery } from "urql";
import {
  ChangeMailLanguageDocument,
  ChangePhoneNumberDocument,
  ChangePictureDocument,
  ChangeProfileDocument,
  EndAllSessionsDocument,
  type OwnProfileFragment,
  ProfileDocument,
  type ProfileQuery,
} from "../../../generated/console.js";
import { mailLanguageOf } from "../../../platform/mail-language.js";
import { codeOf } from "../../data/failure.js";
import { pictureSource } from "../../data/picture.js";
import { QueryResult } from "../../data/query-result.js";
import { EditForm, isBeingWritten } from "../../form/edit-form.js";
import { Field } from "../../form/field.js";
import { fieldProblems } from "../../form/field-problems.js";
import { Problem } from "../../form/problem.js";
import { type LanguageCode, languages, useLanguage } from "../../language/language.js";
import { StoredText } from "../../language/stored-text.js";
import { NewAlertChoices } from "../../new-alerts/new-alert-choices.js";
import { isSessionOfLink, signOut } from "../../session/session.js";
import { LanguageChoice, ThemeChoice } from "../../shell/display-choices.js";
import { AccountIcon } from "../../shell/icons.js";
import { Notice } from "../../shell/notice.js";
import { Outcome, useOutcome } from "../../shell/outcome.js";
import { useTexts as useSettingTexts } from "../texts.js";
import { Digest } from "./digest.js";
import { PictureCrop } from "./picture-crop.js";
import { useTexts } from "./texts.js";

/** The viewer's own profile. An API key has none. */
export function Profile() {
  const { profile } = useTexts();
  const [result, reexecute] = useQuery({ query: ProfileDocument });
  if (result.error && codeOf(result.error) === "FORBIDDEN") return <Notice title={profile.isKey} />;
  return (
    <QueryResult result={result} onRetry={() => reexecute({ requestPolicy: "network-only" })}>
      {(data) => <OwnProfile {...data} />}
    </QueryResult>
  );
}

function OwnProfile({ me: user, workspace, facilities }: ProfileQuery) {
  const { saved } = useSettingTexts();
  const { profile } = useTexts();
  const [changing, setChanging] = useState<"name" | "phone" | undefined>(() =>
    isBeingWritten(nameDraft) ? "name" : isBeingWritten(phoneDraft) ? "phone" : undefined,
  );
  const [outcome, tell] = useOutcome();
  const forms = { name: NameForm, phone: PhoneForm };
  const Form = changing && forms[changing];
  return (
    <>
      <PictureSetting user={user} tell={tell} />
      <dl className="setting-facts">
        <Fact label={profile.name} onEdit={() => setChanging("name")}>
          <StoredText>{[user.fullName, user.jobTitle].filter(Boolean).join(", ") || "–"}</StoredText>
        </Fact>
        <Fact label={profile.phone} onEdit={() => setChanging("phone")}>
          {user.phoneNumber?.e164Format ?? "–"}
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
      {Form && <Form user={user} onClose={() => setChanging(undefined)} onSaved={() => tell(saved)} />}
      <Outcome>{outcome}</Outcome>
    </>
  );
}

interface FactProps {
  label: string;
  /** Opens the form; absent if the fact cannot be changed here. */
  onEdit?: () => void;
  children: ReactNode;
}

function Fact({ label, onEdit, children }: FactProps) {
  const { actions } = useSettingTexts();
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        {children}{" "}
        {onEdit && (
          <button type="button" aria-label={`${actions.edit}: ${label}`} onClick={onEdit}>
            {actions.edit}
          </button>
        )}
      </dd>
    </div>
  );
}

/**
 * The language of the console in this browser, and that of mails, which follows it when
 * it is chosen here.
 */
function LanguageSetting({ user }: { user: OwnProfileFragment }) {
  const { code } = useLanguage();
  const { profile } = useTexts();
  const [{ error, fetching }, change] = useMutation(ChangeMailLanguageDocument);
  const names = new Intl.DisplayNames(code, { type: "language" });
  const nameOf = (language: LanguageCode) => names.of(language) ?? languages[language].name;
  const ofMails = mailLanguageOf(user.locale);
  return (
    <>
      <LanguageChoice onChosen={(locale) => void change({ locale })} />
      <p className="hint">{profile.mailLanguage(nameOf(ofMails))}</p>
      {ofMails !== code && (
        <button type="button" aria-busy={fetching} onClick={() => fetching || void change({ locale: code })}>
          {profile.changeMailLanguage(nameOf(code))}
        </button>
      )}
      {error && <Problem error={error} />}
    </>
  );
}

/** Ends all sessions of the viewer. */
function Sessions() {
  const { profile } = useTexts();
  const [{ error, fetching }, end] = useMutation(EndAllSessionsDocument);
  const endAll = async () => {
    const { error } = await end({});
    if (!error) signOut();
  };
  return (
    <section aria-labelledby="sessions">
      <h3 id="sessions">{profile.sessions}</h3>
      <p className="hint">{profile.signOutText}</p>
      <button type="button" aria-busy={fetching} onClick={() => fetching || void endAll()}>
        {profile.signOutEverywhere}
      </button>
      {error && <Problem error={error} />}
    </section>
  );
}

interface ProfileFormProps {
  user: OwnProfileFragment;
  onClose: () => void;
  onSaved: () => void;
}

const nameDraft = "own name";

function NameForm({ user, onClose, onSaved }: ProfileFormProps) {
  const { messages } = useLanguage();
  const { profile } = useTexts();
  const [{ error, fetching }, change] = useMutation(ChangeProfileDocument);
  const problems = fieldProblems(error, profile.problems);
  const submit = async ({ firstName = "", lastName = "", jobTitle = "" }: Record<string, string>) => {
    const { error } = await change({ input: { firstName, lastName, jobTitle } });
    if (!error) onSaved();
    return !error;
  };
  const names = ["firstName", "lastName", "jobTitle"] as const;
  return (
    <EditForm
      title={profile.name}
      draftKey={nameDraft}
      start={Object.fromEntries(names.map((name) => [name, user[name] ?? undefined]))}
      problems={problems}
      error={error}
      isSaving={fetching}
      submitLabel={messages.forms.save}
      onSubmit={submit}
      onClose={onClose}
    >
      {(start) =>
        names.map((name) => (
          <Field key={name} label={profile[name]} problem={problems[name]}>
            {(attributes) => <input {...attributes} name={name} defaultValue={start[name]} />}
          </Field>
        ))
      }
    </EditForm>
  );
}

const phoneDraft = "own phone number";

/** The country of the browser's language, such as DE of de-DE. */
const readersRegion = (): string => new Intl.Locale(navigator.language).maximize().region ?? "";

function PhoneForm({ user, onClose, onSaved }: ProfileFormProps) {
  const { messages, code } = useLanguage();
  const { profile } = useTexts();
  const [{ error, fetching }, change] = useMutation(ChangePhoneNumberDocument);
  const problems = fieldProblems(error, profile.problems);
  const regions = regionNames(code);
  const submit = async ({ phoneNumber = "", region = "" }: Record<string, string>) => {
    const { error } = await change({ input: { phoneNumber, region } });
    if (!error) onSaved();
    return !error;
  };
  return (
    <EditForm
      title={profile.phone}
      draftKey={phoneDraft}
      start={{
        phoneNumber: user.phoneNumber?.e164Format,
        region: user.phoneNumber?.region ?? readersRegion(),
      }}
      problems={problems}
      error={error}
      isSaving={fetching}
      submitLabel={messages.forms.save}
      onSubmit={submit}
      onClose={onClose}
    >
      {(start) => (
        <>
          <Field label={profile.phone} hint={profile.phoneHint} problem={problems.phoneNumber}>
            {(attributes) => (
              <input
                {...attributes}
                name="phoneNumber"
                type="tel"
                autoComplete="tel"
                defaultValue={start.phoneNumber}
              />
            )}
          </Field>
          <Field label={profile.region} problem={problems.region}>
            {(attributes) => (
              <select {...attributes} name="region" defaultValue={start.region}>
                {regions.map(([region, name]) => (
                  <option key={region} value={region}>
                    {name}
                  </option>
                ))}
              </select>
            )}
          </Field>
        </>
      )}
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
  const { saved } = useSettingTexts();
  const { profile } = useTexts();
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
      {error && <Problem error={error} />}
    </div>
  );
}
