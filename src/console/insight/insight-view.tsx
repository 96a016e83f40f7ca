import "./insight.css";
import { useMemo } from "react";
import { useQuery } from "urql";
import { type AlertFilter, AlertFilterChoicesDocument, type AlertFilterChoicesQuery, InsightCountsDocument } from "../../generated/console.js";
import { isolated } from "../../platform/text-direction.js";
import { type AlertSelection, alertFilterOf, alertParametersOf, alertSelectionOf, type RecentPeriod } from "../alerts/alert-filter.js";
import { AlertFilters } from "../alerts/alert-toolbar.js";
import { QueryResult } from "../data/query-result.js";
import { ExportMenu } from "../export/export-menu.js";
import { useLanguage } from "../language/language.js";
import { useNow } from "../language/now.js";
import { changeQuery, type QueryChanges, useQuery as useAddress } from "../navigation/location.js";
import { InsightIcon } from "../shell/icons.js";
import { ForbiddenNotice, Notice } from "../shell/notice.js";
import { useMayAnywhere } from "../viewer/viewer.js";
import { BusiestCameras } from "./busiest-cameras.js";
import { Choice } from "./choice.js";
import { Comparison } from "./comparison.js";
import { areComparable, comparedPeriods, instantsOf, type Period, suitableUnit, units } from "./insight-period.js";
import { type Colouring, countsOf } from "./series.js";
import { StackedBars } from "./stacked-bars.js";
import { WeekHours } from "./week-hours.js";

const usualPeriod: RecentPeriod = "30d";

/** What was raised when, where and how often, beside the period before. Everything leads to the alerts behind it. */
export function InsightView() {
  const [result, reexecute] = useQuery({ query: AlertFilterChoicesDocument });
  return (
    <QueryResult result={result} onRetry={() => reexecute({ requestPolicy: "network-only" })}>
      {(choices) => <InsightIfOpen choices={choices} />}
    </QueryResult>
  );
}

function InsightIfOpen({ choices }: { choices: AlertFilterChoicesQuery }) {
  return useMayAnywhere("alerts:read", choices.facilities) ? <Insight choices={choices} /> : <ForbiddenNotice />;
}

function Insight({ choices }: { choices: AlertFilterChoicesQuery }) {
  const { messages, words, formats } = useLanguage();
  const { insight } = messages;
  const now = useNow();
  const address = useAddress();
  const selection = alertSelectionOf(address);
  const asked = choices.facilities.filter(({ id }) => selection.facilityIds.length === 0 || selection.facilityIds.includes(id));
  const timeZones = [...new Set(asked.map(({ timeZoneId }) => timeZoneId))];
  const { shown, before } = comparedPeriods({ ...selection, period: selection.period ?? usualPeriod }, timeZones, now);
  const unit = units.find((each) => each === address.get("per")?.toUpperCase()) ?? suitableUnit(shown);
  const colouring: Colouring = address.get("by") === "type" ? "type" : "severity";
  const filter = useStable<AlertFilter>({ ...alertFilterOf(selection, now), ...shown });
  const variables = useStable({ filter, before: { ...filter, ...before }, groupBy: [unit, colouring === "type" ? "TYPE" : "SEVERITY"] as const });
  const [result, reexecute] = useQuery({ query: InsightCountsDocument, variables: { ...variables, groupBy: [...variables.groupBy] } });

  /** The address of the alerts of the view that are also selected by something else. */
  const alertsOf = (narrower: Partial<AlertSelection> & Partial<Period>): QueryChanges => {
    const { period: _, ...rest } = selection;
    return { view: "alerts", ...alertParametersOf({ ...rest, ...shown, ...narrower }) };
  };
  const nameOf = (value: string | null | undefined) => {
    if (value === undefined) return insight.otherTypes;
    if (value === null) return insight.noSeverity;
    return isolated(colouring === "type" ? words.alertType(value) : words.severity(value));
  };
  const selectedBy = (value: string | undefined) => value !== undefined && (colouring === "type" ? { types: [value] } : { severities: [value] });
  return (
    <div className="insight">
      <div className="insight-toolbar">
        <AlertFilters choices={choices} selection={selection} usualPeriod={usualPeriod} />
        <ExportMenu filter={filter} />
      </div>
      <QueryResult
        result={result}
        onRetry={() => reexecute({ requestPolicy: "network-only" })}
        placeholder={<div className="insight-panel placeholder" />}
      >
        {(data) => {
          const counts = countsOf(data, colouring);
          if (counts.total === 0 && counts.totalBefore === 0)
            return (
              <Notice icon={<InsightIcon />} title={insight.empty}>
                {insight.emptyText}
              </Notice>
            );
          return (
            <>
              <section className="insight-panel">
                <header>
                  <h2>{insight.overTime}</h2>
                  <Choice
                    label={insight.by}
                    options={{ severity: insight.bySeverity, type: insight.byType }}
                    value={colouring}
                    onChoose={(by) => changeQuery({ by: by === "severity" ? undefined : by })}
                  />
                  <Choice label={insight.per} options={insight.units} value={unit} onChoose={(per) => changeQuery({ per: per.toLowerCase() })} />
                </header>
                <p className="insight-total">
                  <strong>{insight.alerts(counts.total)}</strong>{" "}
                  <span className="hint">
                    {insight.inPeriod(formats.date(shown.start, timeZones[0] ?? "UTC"), formats.date(shown.end, timeZones[0] ?? "UTC"))}
                  </span>
                </p>
                <StackedBars
                  counts={areComparable(unit, shown, before) ? counts : { ...counts, before: [] }}
                  nameOf={nameOf}
                  linkOf={(period, value) => alertsOf({ ...instantsOf(period, timeZones, shown), ...selectedBy(value) })}
                />
                <Comparison counts={counts} nameOf={nameOf} linkOf={(value) => alertsOf({ ...selectedBy(value) })} />
              </section>
              <WeekHours filter={filter} />
              <BusiestCameras filter={filter} linkOf={(cameraId) => alertsOf({ cameraIds: [cameraId] })} />
            </>
          );
        }}
      </QueryResult>
    </div>
  );
}

/** The same object as long as its contents are the same, so that a query is not run again. */
function useStable<Value>(value: Value): Value {
  const key = JSON.stringify(value);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the value.
  return useMemo(() => value, [key]);
}
