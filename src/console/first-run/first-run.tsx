import "./first-run.css";
import { type ReactNode, useEffect, useReducer, useState } from "react";
import { useMutation } from "urql";
import {
  type AdministeredFacilityFragment,
  type CameraToTryFragment,
  FirstRunDocument,
  type FirstRunQuery,
  TestRuleDocument,
} from "../../generated/console.js";
import { keysOf } from "../../platform/record.js";
import { cameraDraft } from "../administration/facilities/camera-draft.js";
import { CameraForm } from "../administration/facilities/camera-form.js";
import { FacilityForm, newFacilityDraft } from "../administration/facilities/facility-form.js";
import { Query } from "../data/query.js";
import { isBeingWritten, Problem } from "../form/edit-form.js";
import { useMessages } from "../language/language.js";
import { Link, type QueryChanges } from "../navigation/location.js";
import { useOutcome } from "../shell/notice/notice.js";
import { useMay } from "../viewer/viewer.js";
import { AlertSource } from "./alert-source.js";
import { leaveFirstRun } from "./progress.js";
import { useTexts } from "./texts.js";

/** The time between two looks for what has come, in milliseconds: a picture, or a frame of a detector. */
const pollInterval = 3_000;

/** The steps from an empty workspace to the first alert and colleague, as far as the gateway knows them taken. */
export function FirstRun() {
  const seesPeople = useMay("users:read");
  return (
    <Query query={FirstRunDocument} variables={{ seesPeople }} readAt={useLooks()}>
      {(state) => <Steps state={state} />}
    </Query>
  );
}

/** The number of looks so far, while the page is in sight. The clock of the console steps too seldom for them. */
function useLooks(): number {
  const [looks, look] = useReducer((before: number) => before + 1, 0);
  useEffect(() => {
    const timer = setInterval(() => document.hidden || look(), pollInterval);
    return () => clearInterval(timer);
  }, []);
  return looks;
}

type Form = "facility" | "camera";

/** The form in which the reader was interrupted. */
const interruptedForm = (facility: AdministeredFacilityFragment | undefined): Form | undefined => {
  if (!facility) return isBeingWritten(newFacilityDraft) ? "facility" : undefined;
  return isBeingWritten(cameraDraft(facility.id, undefined)) ? "camera" : undefined;
};

/** Which steps are taken, as far as the gateway knows. */
function takenSteps({ workspace: { users, invitations }, facilities, searchCameras }: FirstRunQuery) {
  const cameras = searchCameras.nodes;
  const rules = cameras.flatMap(({ alertRules }) => alertRules);
  return {
    facility: facilities.length > 0,
    camera: cameras.some(({ imageLink }) => imageLink !== null),
    rule: rules.length > 0,
    test: rules.some(({ deliveries }) => deliveries.totalCount > 0),
    source: cameras.some(
      ({ lastDetectionAt, alerts }) => lastDetectionAt !== null || alerts.nodes.length > 0,
    ),
    invite: [
      users?.slice(1),
      invitations?.filter(({ acceptedAt, revokedAt }) => !acceptedAt && !revokedAt),
    ].some((them) => them?.length),
  };
}

function Steps({ state }: { state: FirstRunQuery }) {
  const { adding, common } = useMessages();
  const firstRun = useTexts();
  const { workspace, facilities, searchCameras } = state;
  const taken = takenSteps(state);
  const [facility] = facilities;
  const cameras = searchCameras.nodes;
  const camera = cameras.find(({ alertRules }) => alertRules.length > 0) ?? cameras[0];
  const [alert] = cameras.flatMap(({ alerts }) => alerts.nodes);
  const mayAddCamera = useMay("cameras:write", facility);
  const mayInvite = useMay("users:write");
  const [form, setForm] = useState(() => interruptedForm(facility));
  const [outcome, tell] = useOutcome();
  const { steps: texts } = firstRun;
  const actions = {
    facility: <FormButton label={texts.facility.title} onOpen={() => setForm("facility")} />,
    camera: camera ? (
      <StepLink to={{ camera: camera.id }}>{firstRun.look}</StepLink>
    ) : (
      facility && mayAddCamera && <FormButton label={texts.camera.title} onOpen={() => setForm("camera")} />
    ),
    rule: camera && <StepLink to={{ ...rulesOf(camera), rule: "first" }}>{texts.rule.action}</StepLink>,
    ...(workspace.deliveryChannels.includes("EMAIL") && { test: camera && <TestAction camera={camera} /> }),
    source: taken.rule && camera && <AlertSource camera={camera} isDone={taken.source} alert={alert} />,
    ...(mayInvite && {
      invite: <StepLink to={{ view: "settings", part: "people", add: "person" }}>{adding.person}</StepLink>,
    }),
  };
  const steps = keysOf(actions).map((name) => ({
    ...texts[name],
    isDone: taken[name],
    // A key that was made stays in sight.
    action: (name === "source" || !taken[name]) && actions[name],
  }));
  const isComplete = steps.every(({ isDone }) => isDone);
  const [isLeft, setLeft] = useState(isComplete);
  useEffect(() => {
    if (isLeft) leaveFirstRun();
  }, [isLeft]);
  if (isLeft) return null;
  return (
    <section className="first-run" aria-labelledby="first-run">
      <header>
        <h2 id="first-run">{isComplete ? firstRun.complete : firstRun.title}</h2>
        {facility && (
          <button type="button" onClick={() => setLeft(true)}>
            {isComplete ? common.close : firstRun.later}
          </button>
        )}
      </header>
      <ol>
        {steps.map((step) => (
          <Step key={step.title} {...step} />
        ))}
      </ol>
      {form === "facility" && (
        <FacilityForm onClose={() => setForm(undefined)} onSaved={(_facility, message) => tell(message)} />
      )}
      {form === "camera" && facility && mayAddCamera && (
        <CameraForm isFirst facility={facility} onClose={() => setForm(undefined)} onSaved={tell} />
      )}
      {outcome}
    </section>
  );
}

interface StepProps {
  title: string;
  text: string;
  isDone: boolean;
  /** Absent once the step is taken, as long as an earlier one has to come first, and for those who may not take it. */
  action: ReactNode;
}

function Step({ title, text, isDone, action }: StepProps) {
  const firstRun = useTexts();
  return (
    <li data-done={isDone}>
      <h3>
        {title}
        {isDone && <span className="visually-hidden">: {firstRun.done}</span>}
      </h3>
      <p className="hint">{text}</p>
      {action}
    </li>
  );
}

const FormButton = ({ label, onOpen }: { label: string; onOpen: () => void }) => (
  <button type="button" className="primary" onClick={onOpen}>
    {label}
  </button>
);

/** Sends the test of a rule, which tells the reader only if it names an address. */
function TestAction({ camera }: { camera: CameraToTryFragment }) {
  const { test } = useTexts().steps;
  const [{ error, fetching }, send] = useMutation(TestRuleDocument);
  const rule = camera.alertRules.find(({ emails }) => emails.length > 0);
  if (!rule) return camera.alertRules.length > 0 && <StepLink to={rulesOf(camera)}>{test.look}</StepLink>;
  return (
    <>
      <button
        type="button"
        className="primary"
        aria-busy={fetching}
        onClick={() => void send({ id: rule.id })}
      >
        {test.action}
      </button>
      <Problem error={error} />
    </>
  );
}

const rulesOf = ({ id }: { id: string }) => ({ view: "rules", camera: id });

const StepLink = ({ to, children }: { to: QueryChanges; children: ReactNode }) => (
  <Link className="button primary" to={to}>
    {children}
  </Link>
);
