import { useLanguage } from "../language/language.js";
import { Link } from "../navigation/link.js";
import { Card } from "./card.js";
import { addressOfCounted, countedAlerts, nightsCompared } from "./counted-alerts.js";

interface LastNightProps {
  since: string;
  alerts: number;
  /** The number of alerts in the nights before. */
  before: number;
}

/** The alerts of the last night beside the mean of the nights before. */
export function LastNight({ since, alerts, before }: LastNightProps) {
  const { messages, formats } = useLanguage();
  const { night } = messages.today;
  const { lastNight, nightsBefore } = countedAlerts(since);
  const usual = Math.round((before / nightsCompared) * 10) / 10;
  const most = Math.max(1, alerts, usual);
  const { from, to } = lastNight.localTimes;
  return (
    <Card title={night.title}>
      <p>
        {alerts === 0 ? (
          <span className="today-calm">{night.none}</span>
        ) : (
          <Link className="today-figure" to={addressOfCounted(lastNight)}>
            {night.alerts(alerts)}
          </Link>
        )}
      </p>
      <p className="hint">{night.times(formats.clockTime(from), formats.clockTime(to))}</p>
      {before === 0 ? (
        <p className="today-more">{night.unknown}</p>
      ) : (
        <>
          <div className="today-pair">
            <Bar label={night.title} value={alerts} most={most} />
            <Bar label={night.usual} value={usual} most={most} />
          </div>
          <p className="today-more">
            <Link to={addressOfCounted(nightsBefore)}>{night.before(before)}</Link>
          </p>
        </>
      )}
    </Card>
  );
}

function Bar({ label, value, most }: { label: string; value: number; most: number }) {
  const { formats } = useLanguage();
  return (
    <p>
      <span>{label}</span>
      <span className="bar" aria-hidden="true">
        <span style={{ width: `${(value / most) * 100}%` }} />
      </span>
      <span>{formats.number(value)}</span>
    </p>
  );
}
