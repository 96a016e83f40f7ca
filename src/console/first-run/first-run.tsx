import "./first-run.css";
import { type ReactNode, useEffect, useState } from "react";
import {
  type AdministeredFacilityFragment,
  FirstRunDocument,
  type FirstRunQuery,
} from "../../generated/console.js";
import { cameraDraft } from "../administration/facilities/camera-draft.js";
import { CameraForm } from "../administration/facilities/camera-form.js";
import { FacilityForm, newFacilityDraft } from "../administration/facilities/facility-form.js";
import { Query } from "../data/query.js";
import { isBeingWritten } from "../form/edit-form.js";
import { translated } from "../language/language.js";
import { Link } from "../navigation/location.js";
import { useOutcome } from "../shell/notice/notice.js";
import { useMay } from "../viewer/viewer.js";
import { english } from "./english.js";
import { german } from "./german.js";
import { beginFirstRun, leaveFirstRun } from "./progress.js";

/** The four steps from an empty workspace to the first notification. */
export function FirstRun() {
  useEffect(beginFirstRun, []);
  return <Query query={FirstRunDocument}>{(state) => <Steps state={state} />}</Query>;
}

type Form = "facility" | "camera";

/** The form in which the reader was interrupted. */
const interruptedForm = (facility: AdministeredFacilityFragment | undefined): Form | undefined => {
  if (!facility) return isBeingWritten(newFacilityDraft) ? "facility" : undefined;
  return isBeingWritten(cameraDraft(facility.id, undefined)) ? "camera" : undefined;
};

function Steps({ state: { facilities, searchCameras } }: { state: FirstRunQuery }) {
  const firstRun = useTexts();
  const [facility] = facilities;
  const [camera] = searchCameras.nodes;
  const rules = camera?.alertRules ?? [];
  const hasRule = rules.length > 0;
  const hasSent = rules.some(({ deliveries }) => deliveries.totalCount > 0);
  const mayAddCamera = useMay("cameras:write", facility);
  const [form, setForm] = useState(() => interruptedForm(facility));
  const [outcome, tell] = useOutcome();
  const rulesView = camera && { view: "rules", camera: camera.id };
  const steps: StepProps[] = [
    {
      ...firstRun.steps.facility,
      isDone: facility !== undefined,
      action: <FormButton label={firstRun.steps.facility.action} onOpen={() => setForm("facility")} />,
    },
    {
      ...firstRun.steps.camera,
      isDone: Boolean(camera?.imageLink),
      action: camera ? (
        <StepLink to={{ camera: camera.id }}>{firstRun.look}</StepLink>
      ) : (
        facility &&
        mayAddCamera && <FormButton label={firstRun.steps.camera.action} onOpen={() => setForm("camera")} />
      ),
    },
    {
      ...firstRun.steps.rule,
      isDone: hasRule,
      action: rulesView && <StepLink to={rulesView}>{firstRun.steps.rule.action}</StepLink>,
    },
    {
      ...firstRun.steps.test,
      isDone: hasSent,
      action: rulesView && hasRule && <StepLink to={rulesView}>{firstRun.steps.test.action}</StepLink>,
    },
  ];
  const isComplete = steps.every(({ isDone }) => isDone);
  return (
    <section className="first-run" aria-labelledby="first-run">
      <header>
        <h2 id="first-run">{isComplete ? firstRun.complete : firstRun.title}</h2>
        {facility && (
          <button type="button" onClick={leaveFirstRun}>
            {isComplete ? firstRun.close : firstRun.later}
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
        <CameraForm facility={facility} onClose={() => setForm(undefined)} onSaved={tell} />
      )}
      {outcome}
    </section>
  );
}

interface StepProps {
  title: string;
  text: string;
  isDone: boolean;
  /** Absent as long as an earlier step has to come first, and for those who may not take the step. */
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
      {!isDone && action}
    </li>
  );
}

const FormButton = ({ label, onOpen }: { label: string; onOpen: () => void }) => (
  <button type="button" className="primary" onClick={onOpen}>
    {label}
  </button>
);

const StepLink = ({ to, children }: { to: Record<string, string>; children: ReactNode }) => (
  <Link className="button primary" to={to}>
    {children}
  </Link>
);

const useTexts = translated(english, german);
