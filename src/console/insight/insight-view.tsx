import "./insight.css";
import { type AlertFilterChoicesQuery, InsightCountsDocument } from "../../generated/console.js";
import { isolated } from "../../platform/text/text-direction.js";
import { AlertChoices, timeZonesOf } from "../alerts/alert-choices.js";
import { AlertFilters } from "../alerts/alert-toolbar.js";
import {
  type AlertSelection,
  addressOfAlerts,
  alertFilterOf,
  alertSelectionOf,
  quarter,
  type RecentPeriod,
} from "../alerts/filter/alert-filter.js";
import { ExportMenu } from "../export/export-menu.js";
import { SegmentedChoice } from "../form/segmented-choice.js";
import { useFacilityClock, useLanguage, useStepOfTime } from "../language/language.js";
import { changeQuery, Link, useAddress } from "../navigation/location.js";
import { InsightIcon } from "../shell/icons.js";
import { Notice } from "../shell/notice/notice.js";
import { QuietPlaces } from "../snooze/quiet-places.js";
import { BusiestCameras } from "./busiest-cameras.js";
import { Comparison, Facilities, Weekdays } from "./comparison.js";
import { countedAlerts } from "./counted-alerts.js";
import {
  countedSelection,
  daysIn,
  daysOfPeriod,
  lastDayOver,
  possibleUnits,
  suitableUnit,
} from "./insight-period.js";
import { CountsQuery, Panel } from "./panel.js";
import { type Colouring, countsOf } from "./series.js";
import { StackedBars } from "./stacked-bars.js";
import { useTexts } from "./texts.js";
import { WeekHours } from "./week-hours.js";

const usualPeriod: RecentPeriod = "30d";

/** The number of alerts by time, place and type, beside the period before. Each links to the alerts behind it. */
export const InsightView = () => <AlertChoices>{(choices) => <Insight choices={choices} />}</AlertChoices>;

function Insight({ choices }: { choices: AlertFilterChoicesQuery }) {
  const { messages, words, formats } = useLanguage();
  const insight = useTexts();
  const until = useStepOfTime(quarter);
  const address = useAddress();
  const selection = alertSelectionOf(address);
  const counted = countedSelection(selection, usualPeriod, until);
  const alerts = countedAlerts(counted, until);
  const filter = alertFilterOf(alerts.all, new Date(until));
  const before = alertFilterOf(alerts.before, new Date(until));
  const days = daysIn(filter);
  const possible = possibleUnits(days);
  const unit = possible.find((each) => each === address.get("per")?.toUpperCase()) ?? suitableUnit(days);
  const colouring: Colouring = address.get("by") === "type" ? "type" : "severity";
  const dimensions = {
    unit,
    colouring: colouring === "type" ? ("TYPE" as const) : ("SEVERITY" as const),
  };
  const groupBy = [dimensions.unit, dimensions.colouring];
  const timeZones = timeZonesOf(choices, selection);
  const clock = useFacilityClock(timeZones);
  const { from, to } = daysOfPeriod(filter, timeZones, until - 1);

  /** The address of alerts, narrowed down by something else. */
  const addressOf = (selected: AlertSelection, narrower: Partial<AlertSelection> = {}) =>
    addressOfAlerts({ ...selected, ...narrower });
  const nameOf = (value: string | null | undefined) => {
    if (value === undefined) return insight.otherTypes;
    if (value === null) return messages.noSeverity;
    return isolated(colouring === "type" ? words.alertType(value) : words.severity(value));
  };
  return (
    <div className="insight">
      <div className="insight-toolbar">
        <AlertFilters choices={choices} selection={selection} usualPeriod={usualPeriod} />
        <ExportMenu filter={filter} />
      </div>
      <QuietPlaces facilityIds={selection.facilityIds} cameraIds={selection.cameraIds} />
      <CountsQuery query={InsightCountsDocument} variables={{ filter, before, groupBy, ...dimensions }}>
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
              <Panel
                title={insight.overTime}
                beside={
                  <>
                    <SegmentedChoice
                      label={insight.by}
                      options={{ severity: insight.bySeverity, type: insight.byType }}
                      value={colouring}
                      onChoose={(by) => changeQuery({ by: by === "severity" ? undefined : by })}
                    />
                    <SegmentedChoice
                      label={insight.per}
                      options={insight.units}
                      value={unit}
                      possible={possible}
                      onChoose={(per) => changeQuery({ per: per.toLowerCase() })}
                    />
                  </>
                }
              >
                <p className="insight-total">
                  <strong>
                    <Link to={addressOf(alerts.all)}>{insight.alerts(counts.total)}</Link>
                  </strong>{" "}
                  <span className="hint">
                    {insight.inPeriod(formats.date(from), formats.date(to))}. {clock.words}
                  </span>
                </p>
                <StackedBars
                  counts={counts}
                  nameOf={nameOf}
                  linkOf={(period, part) => addressOf(alerts.inBar(period), part)}
                />
                <Comparison
                  counts={counts}
                  nameOf={nameOf}
                  linkOf={(part) => addressOf(alerts.all, part)}
                  linkBefore={(part) => addressOf(alerts.before, part)}
                />
              </Panel>
              <WeekHours filter={filter} linkOf={(at) => addressOf(alerts.at(at))} />
              <div className="insight-pair">
                <Facilities
                  filter={filter}
                  before={before}
                  linkOf={(id) => addressOf(alerts.all, { facilityIds: [id] })}
                  linkBefore={(id) => addressOf(alerts.before, { facilityIds: [id] })}
                />
                <Weekdays
                  counted={counted}
                  lastDay={lastDayOver(filter, timeZones, until - 1)}
                  until={until}
                />
              </div>
              <BusiestCameras
                filter={filter}
                linkOf={(cameraId) => addressOf(alerts.all, { cameraIds: [cameraId] })}
              />
            </>
          );
        }}
      </CountsQuery>
    </div>
  );
}
