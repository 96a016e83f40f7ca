import "./insight.css";
import { useMemo } from "react";
import { useQuery } from "urql";
import {
  AlertFilterChoicesDocument,
  type AlertFilterChoicesQuery,
  InsightCountsDocument,
} from "../../generated/console.js";
import { isolated } from "../../platform/text-direction.js";
import {
  type AlertSelection,
  alertFilterOf,
  alertParametersOf,
  alertSelectionOf,
  quarter,
  type RecentPeriod,
} from "../alerts/alert-filter.js";
import { AlertFilters } from "../alerts/alert-toolbar.js";
import { QueryResult } from "../data/query-result.js";
import { useRepeatedQuery } from "../data/repeated-query.js";
import { ExportMenu } from "../export/export-menu.js";
import { useLanguage } from "../language/language.js";
import { useStepOfTime } from "../language/now.js";
import { Link } from "../navigation/link.js";
import { changeQuery, type QueryChanges, useQuery as useAddress } from "../navigation/location.js";
import { InsightIcon } from "../shell/icons.js";
import { ForbiddenNotice, Notice } from "../shell/notice.js";
import { useMayAnywhere } from "../viewer/viewer.js";
import { BusiestCameras } from "./busiest-cameras.js";
import { Choice } from "./choice.js";
import { Comparison } from "./comparison.js";
import {
  countedSelection,
  daysIn,
  daysOfPeriod,
  periodBefore,
  periodOfBar,
  possibleUnits,
  suitableUnit,
} from "./insight-period.js";
import { type Colouring, countsOf } from "./series.js";
import { StackedBars } from "./stacked-bars.js";
import { WeekHours } from "./week-hours.js";

const usualPeriod: RecentPeriod = "30d";

/**
 * The number of alerts by time, place and type, beside the period before. Every number
 * links to the alerts behind it.
 */
export function InsightView() {
  const [result, reexecute] = useQuery({ query: AlertFilterChoicesDocument });
  return (
    <QueryResult result={result} onRetry={() => reexecute({ requestPolicy: "network-only" })}>
      {(choices) => <InsightIfOpen choices={choices} />}
    </QueryResult>
  );
}

function InsightIfOpen({ choices }: { choices: AlertFilterChoicesQuery }) {
  return useMayAnywhere("alerts:read", choices.facilities) ? (
    <Insight choices={choices} />
  ) : (
    <ForbiddenNotice />
  );
}

function Insight({ choices }: { choices: AlertFilterChoicesQuery }) {
  const { messages, words, formats } = useLanguage();
  const { insight } = messages;
  const until = useStepOfTime(quarter);
  const address = useAddress();
  const selection = alertSelectionOf(address);
  const counted = countedSelection(selection, usualPeriod, until);
  const filter = useStable(alertFilterOf(counted, new Date(until)));
  const days = daysIn(filter);
  const possible = possibleUnits(days);
  const unit = possible.find((each) => each === address.get("per")?.toUpperCase()) ?? suitableUnit(days);
  const colouring: Colouring = address.get("by") === "type" ? "type" : "severity";
  const before = { ...filter, ...periodBefore(filter, until) };
  const groupBy = [unit, colouring === "type" ? ("TYPE" as const) : ("SEVERITY" as const)];
  const [result, readAgain] = useRepeatedQuery(
    { query: InsightCountsDocument, variables: useStable({ filter, before, groupBy }) },
    until,
  );
  const asked = choices.facilities.filter(
    ({ id }) => selection.facilityIds.length === 0 || selection.facilityIds.includes(id),
  );
  const { from, to } = daysOfPeriod(
    filter,
    [...new Set(asked.map(({ timeZoneId }) => timeZoneId))],
    until - 1,
  );

  /** The address of the counted alerts, narrowed down by something else. */
  const alertsOf = (narrower: Partial<AlertSelection>): QueryChanges => ({
    view: "alerts",
    ...alertParametersOf({ ...counted, ...narrower }),
  });
  const nameOf = (value: string | null | undefined) => {
    if (value === undefined) return insight.otherTypes;
    if (value === null) return insight.noSeverity;
    return isolated(colouring === "type" ? words.alertType(value) : words.severity(value));
  };
  const selectedBy = (values: readonly string[]) =>
    colouring === "type" ? { types: values } : { severities: values };
  return (
    <div className="insight">
      <div className="insight-toolbar">
        <AlertFilters choices={choices} selection={selection} usualPeriod={usualPeriod} />
        <ExportMenu filter={filter} />
      </div>
      <QueryResult
        result={result}
        onRetry={readAgain}
        placeholder={<div className="insight-panel placeholder" />}
      >
        {(data) => {
          const counts = countsOf(data, colouring, { isByDay: unit === "DAY", days });
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
                  <Choice
                    label={insight.per}
                    options={insight.units}
                    value={unit}
                    possible={possible}
                    onChoose={(per) => changeQuery({ per: per.toLowerCase() })}
                  />
                </header>
                <p className="insight-total">
                  <strong>
                    <Link to={alertsOf({})}>{insight.alerts(counts.total)}</Link>
                  </strong>{" "}
                  <span className="hint">{insight.inPeriod(formats.date(from), formats.date(to))}</span>
                </p>
                <StackedBars
                  counts={counts}
                  nameOf={nameOf}
                  linkOf={(period, values) =>
                    alertsOf({ ...periodOfBar(period, counted, until), ...(values && selectedBy(values)) })
                  }
                />
                <Comparison
                  counts={counts}
                  nameOf={nameOf}
                  linkOf={(values) => alertsOf(selectedBy(values))}
                />
              </section>
              <WeekHours
                filter={filter}
                until={until}
                linkOf={(daysOfWeek, hoursOfDay) => alertsOf({ daysOfWeek, hoursOfDay })}
              />
              <BusiestCameras
                filter={filter}
                until={until}
                linkOf={(cameraId) => alertsOf({ cameraIds: [cameraId] })}
              />
            </>
          );
        }}
      </QueryResult>
    </div>
  );
}

/**
 * Returns the same object while its contents are the same, so that no query runs again.
 */
function useStable<Value>(value: Value): Value {
  const key = JSON.stringify(value);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the value.
  return useMemo(() => value, [key]);
}
