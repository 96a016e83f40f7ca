import type { TodayQuery } from "../../generated/console.js";
import { useLanguage } from "../language/language.js";
import { Link } from "../navigation/link.js";
import { Card } from "./card.js";
import { addressOfCounted, countedAlerts } from "./counted-alerts.js";

interface WorstHourProps {
  since: string;
  /** The numbers of alerts by hour of the day, without hours that had none. */
  hours: TodayQuery["raisedByHour"];
}

/** The hour of the day with the most alerts, and the other hours beside it. */
export function WorstHour({ since, hours }: WorstHourProps) {
  const { messages, formats } = useLanguage();
  const { worstHour } = messages.today;
  const { raised } = countedAlerts(since);
  const total = hours.reduce((sum, { count }) => sum + count, 0);
  const worst = hours.reduce<WorstHourProps["hours"][number] | undefined>(
    (most, each) => (most && most.count >= each.count ? most : each),
    undefined,
  );
  if (!worst)
    return (
      <Card title={worstHour.title}>
        <p className="today-calm">{worstHour.none}</p>
      </Card>
    );
  const hour = worst.hourOfDay as number;
  return (
    <Card title={worstHour.title}>
      <p>
        <Link className="today-figure" to={addressOfCounted({ ...raised, hoursOfDay: [hour] })}>
          {worstHour.hour(formats.hourOfDay(hour), formats.hourOfDay((hour + 1) % 24), worst.count)}
        </Link>
      </p>
      <p className="hint">{worstHour.clock}</p>
      <HourBars hours={hours} worst={hour} most={worst.count} />
      <p className="today-more">
        <Link to={addressOfCounted(raised)}>{worstHour.inAll(total)}</Link>
      </p>
    </Card>
  );
}

const height = 36;

/** The day as bars. The text beside them says which is the highest. */
function HourBars({ hours, worst, most }: Pick<WorstHourProps, "hours"> & { worst: number; most: number }) {
  const { formats } = useLanguage();
  const countOf = new Map(hours.map(({ hourOfDay, count }) => [hourOfDay, count]));
  const barOf = (hour: number) => {
    const bar = Math.max(1, ((countOf.get(hour) ?? 0) / most) * height);
    return `M${hour * 10} ${height}v${-bar}h8v${bar}z`;
  };
  const others = Array.from({ length: 24 }, (_, hour) => hour).filter((hour) => hour !== worst);
  return (
    <div className="hour-bars" aria-hidden="true">
      <svg viewBox={`0 0 238 ${height}`} preserveAspectRatio="none" aria-hidden="true">
        <path d={others.map(barOf).join("")} />
        <path className="worst" d={barOf(worst)} />
      </svg>
      <p className="hint">
        {[0, 6, 12, 18].map((each) => (
          <span key={each}>{formats.hourOfDay(each)}</span>
        ))}
      </p>
    </div>
  );
}
