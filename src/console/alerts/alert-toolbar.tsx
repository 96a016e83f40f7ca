import "./alert-toolbar.css";
import { Fragment, type ReactNode, useState } from "react";
import { useQuery } from "urql";
import { severityRank } from "../../features/alert-rule/alert-kind.js";
import {
  AlertFilterCameraDocument,
  AlertFilterCamerasDocument,
  type AlertFilterChoicesQuery,
} from "../../generated/console.js";
import { isolated } from "../../platform/text/text-direction.js";
import { ExportMenu } from "../export/export-menu.js";
import { SingleChoice } from "../form/field.js";
import { useLanguage, useMessages, useNow } from "../language/language.js";
import { changeQuery } from "../navigation/location.js";
import { PeriodChoice, usePeriodInWords } from "../period/period-choice.js";
import { GridIcon, ListIcon } from "../shell/view-icons.js";
import {
  type AlertSelection,
  alertFilterOf,
  alertParametersOf,
  hasPeriod,
  type RecentPeriod,
  selectsAll,
} from "./filter/alert-filter.js";
import {
  attributeTexts,
  type FieldMenu,
  selectableFields,
  selectingFields,
} from "./filter/alert-filter-fields.js";
import { ChoiceList, FilterMenu } from "./filter/filter-menu.js";
import { SearchChoice } from "./filter/search-choice.js";
import { useAlertTexts } from "./texts.js";

interface AlertToolbarProps {
  choices: AlertFilterChoicesQuery;
  selection: AlertSelection;
  /** The number of alerts; undefined until it is known. */
  total: number | undefined;
  layout: string | null;
  /** What can be done with all of them. */
  children: ReactNode;
}

export function AlertToolbar({ choices, selection, total, layout, children }: AlertToolbarProps) {
  const messages = useMessages();
  const alertTexts = useAlertTexts();
  return (
    <div className="alert-toolbar">
      <h2>
        <span role="status">
          {total === undefined ? messages.common.loading : messages.common.alerts(total)}
        </span>
      </h2>
      {children}
      <ExportMenu filter={alertFilterOf(selection, useNow())} />
      <fieldset className="layout-choice">
        <legend className="visually-hidden">{alertTexts.layout.label}</legend>
        <button
          type="button"
          aria-pressed={layout !== "list"}
          aria-label={alertTexts.layout.grid}
          onClick={() => changeQuery({ layout: undefined })}
        >
          <GridIcon />
        </button>
        <button
          type="button"
          aria-pressed={layout === "list"}
          aria-label={alertTexts.layout.list}
          onClick={() => changeQuery({ layout: "list" })}
        >
          <ListIcon />
        </button>
      </fieldset>
      <AlertFilters choices={choices} selection={selection} />
    </div>
  );
}

interface AlertFiltersProps {
  choices: AlertFilterChoicesQuery;
  selection: AlertSelection;
  /** The period that is shown when none is chosen; without it that is all time. */
  usualPeriod?: RecentPeriod;
}

/** What selects alerts, and can be changed; it is in the address. */
export function AlertFilters({
  choices: { facilities, workspace },
  selection,
  usualPeriod,
}: AlertFiltersProps) {
  const { messages, words } = useLanguage();
  const alertTexts = useAlertTexts();
  const { filters } = alertTexts;
  const change = (changes: Partial<AlertSelection>) =>
    changeQuery(alertParametersOf({ ...selection, ...changes }));
  const nameOfFacility = (id: string) =>
    facilities.find((facility) => facility.id === id)?.name ?? messages.common.unknown;
  const severities = orderedSeverities(withChosen(workspace.alertSeverities, selection.severities));
  const types = withChosen(workspace.alertTypes, selection.types);
  const shown = usualPeriod && !hasPeriod(selection) ? { ...selection, period: usualPeriod } : selection;
  const listMenu = (
    field: "facilityIds" | "types" | "severities",
    label: string,
    values: readonly string[],
    wordsOf: (value: string) => string,
  ) => (
    <FilterMenu label={label} value={summary(selection[field], wordsOf)}>
      {() => (
        <ChoiceList
          options={values.map((value) => ({ value, text: wordsOf(value) }))}
          chosen={selection[field]}
          onChange={(chosen) => change({ [field]: chosen })}
        />
      )}
    </FilterMenu>
  );
  const facilityIds = facilities.map(({ id }) => id);
  const menus: Record<FieldMenu, ReactNode> = {
    period: (
      <FilterMenu label={filters.period} value={usePeriodInWords(shown)}>
        {() => <PeriodChoice selection={shown} onChange={change} hasAllTime={!usualPeriod} />}
      </FilterMenu>
    ),
    facility: listMenu("facilityIds", filters.facility, facilityIds, nameOfFacility),
    camera: (
      <FilterMenu label={filters.camera} value={useCamerasInWords(selection.cameraIds)}>
        {() => <CameraChoice selection={selection} onChange={(cameraIds) => change({ cameraIds })} />}
      </FilterMenu>
    ),
    type: listMenu("types", filters.type, types, (type) => words.alertType(type)),
    severity: listMenu("severities", filters.severity, severities, (severity) => words.severity(severity)),
    search: (
      <FilterMenu
        label={filters.search.label}
        value={summary(
          [
            selection.text ?? [],
            selection.objectLabels,
            attributeTexts(selection.objectAttributes),
            selection.box ? filters.search.box : [],
          ].flat(),
          (text) => text,
        )}
      >
        {() => <SearchChoice selection={selection} onChange={change} />}
      </FilterMenu>
    ),
  };
  return (
    <div className="alert-filters">
      {Object.entries(menus).map(([name, menu]) => (
        <Fragment key={name}>{menu}</Fragment>
      ))}
      <FilterMenu label={filters.marks} value={useMarksInWords(selection)}>
        {() => <MarkChoice selection={selection} onChange={change} />}
      </FilterMenu>
      <ClearingButton button="times" selection={selection} onChange={change} />
      <ClearingButton button="rule" selection={selection} onChange={change} />
      {!selectsAll(selection) && (
        <button type="button" className="clear-filters" onClick={() => changeQuery(alertParametersOf({}))}>
          {alertTexts.clearFilters}
        </button>
      )}
    </div>
  );
}

function summary(values: readonly string[], wordsOf: (value: string) => string) {
  const [first, ...others] = values;
  if (first === undefined) return undefined;
  const words = isolated(wordsOf(first));
  return others.length === 0 ? words : `${words} +${others.length}`;
}

const withChosen = (available: readonly string[], chosen: readonly string[]) => [
  ...new Set([...available, ...chosen]),
];

/** The well-known severities first, the gravest at the top. */
function orderedSeverities(severities: readonly string[]) {
  return [...severities].sort((a, b) => severityRank(a) - severityRank(b) || a.localeCompare(b));
}

interface ChoiceProps {
  selection: AlertSelection;
  onChange: (changes: Partial<AlertSelection>) => void;
}

function useMarksInWords(selection: AlertSelection) {
  const alertTexts = useAlertTexts();
  const chosen = selectingFields(selection).flatMap(([, { shown }, selected]) =>
    "choice" in shown ? [shown.choice(alertTexts)[`${selected as boolean}`]] : [],
  );
  return summary(chosen, (text) => text);
}

function MarkChoice({ selection, onChange }: ChoiceProps) {
  const alertTexts = useAlertTexts();
  return selectableFields.map(([name, { shown }]) => {
    if (!("choice" in shown)) return null;
    const words = shown.choice(alertTexts);
    return (
      <SingleChoice
        key={name}
        label={words.label}
        options={[
          ["all", alertTexts.filters.all],
          ["true", words.true],
          ["false", words.false],
        ]}
        chosen={selection[name]?.toString() ?? "all"}
        onChange={(value) => onChange({ [name]: value === "all" ? undefined : value === "true" })}
      />
    );
  });
}

/** What fields without a menu select, which can be taken away. */
function ClearingButton({ button, selection, onChange }: ChoiceProps & { button: "times" | "rule" }) {
  const language = useLanguage();
  const alertTexts = useAlertTexts();
  const words = selectingFields(selection).flatMap(([, { shown }, selected]) =>
    "button" in shown && shown.button === button ? shown.words(selected, { ...language, alertTexts }) : [],
  );
  if (words.length === 0) return null;
  const cleared = selectableFields
    .filter(([, { shown }]) => "button" in shown && shown.button === button)
    .map(([name, { parameter }]) => [name, parameter.read([])]);
  return (
    <button
      type="button"
      className="filter-button"
      data-set="true"
      onClick={() => onChange(Object.fromEntries(cleared))}
    >
      {[...new Set(words)].join(", ")} <span aria-hidden="true">×</span>
      <span className="visually-hidden">{language.messages.common.clear}</span>
    </button>
  );
}

function useCamerasInWords(cameraIds: readonly string[]) {
  const messages = useMessages();
  const [id] = cameraIds;
  const [{ data }] = useQuery({
    query: AlertFilterCameraDocument,
    variables: { id: id ?? "" },
    pause: id === undefined,
    requestPolicy: "cache-first",
  });
  return summary(cameraIds, () => data?.camera?.name ?? messages.common.unknown);
}

function CameraChoice({
  selection: { facilityIds, cameraIds },
  onChange,
}: {
  selection: AlertSelection;
  onChange: (cameraIds: string[]) => void;
}) {
  const messages = useMessages();
  const alertTexts = useAlertTexts();
  const [text, setText] = useState("");
  const filter = {
    ...(text.trim() !== "" && { text: text.trim() }),
    ...(facilityIds.length > 0 && { facilityIds: [...facilityIds] }),
  };
  const [{ data }] = useQuery({ query: AlertFilterCamerasDocument, variables: { filter } });
  const cameras = data?.searchCameras;
  return (
    <>
      <input
        type="search"
        aria-label={messages.fleet.search}
        placeholder={messages.fleet.search}
        maxLength={200}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <ChoiceList
        options={(cameras?.nodes ?? []).map(({ id, name, facility }) => ({
          value: id,
          text: name,
          hint: facility.name,
        }))}
        chosen={cameraIds}
        onChange={onChange}
      />
      {cameras && cameras.totalCount > cameras.nodes.length && (
        <p className="hint">{alertTexts.filters.moreCameras(cameras.totalCount - cameras.nodes.length)}</p>
      )}
      {cameras?.totalCount === 0 && <p className="hint">{messages.fleet.noMatch}</p>}
    </>
  );
}
