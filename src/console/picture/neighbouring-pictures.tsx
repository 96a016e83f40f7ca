import "./neighbouring-pictures.css";
import { useEffect, useState } from "react";
import { useQuery } from "urql";
import {
  type AlertItemFragment,
  AlertsAroundDocument,
  type AlertsAroundQuery,
} from "../../generated/console.js";
import { isolated } from "../../platform/text/text-direction.js";
import { addressWithAlert } from "../alerts/alert-address.js";
import { AlertPicture } from "../alerts/details/alert-picture.js";
import { useAlertTexts } from "../alerts/texts.js";
import { useLanguage } from "../language/language.js";
import { Link, useAddress } from "../navigation/location.js";

const onEachSide = 2;
/** How long an alert is shown before its neighbours are read, in milliseconds: not while the reader passes by. */
const pause = 250;

function around({ after, before }: AlertsAroundQuery, id: string): AlertItemFragment[] {
  const found = new Map([...after.nodes, ...before.nodes].map((alert) => [alert.id, alert]));
  const ordered = [...found.values()].sort(
    (one, other) => Date.parse(other.createdAt) - Date.parse(one.createdAt) || (one.id < other.id ? 1 : -1),
  );
  const index = ordered.findIndex((alert) => alert.id === id);
  return ordered
    .slice(Math.max(0, index - onEachSide), index + onEachSide + 1)
    .filter((alert) => alert.id !== id);
}

export function NeighbouringPictures({ alert }: { alert: AlertItemFragment }) {
  const { words, formats } = useLanguage();
  const texts = useAlertTexts().picture;
  const [isDue, setDue] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setDue(true), pause);
    return () => clearTimeout(timer);
  }, []);
  const ofCamera = { cameraIds: [alert.cameraId] };
  const [{ data }] = useQuery({
    query: AlertsAroundDocument,
    variables: {
      after: { ...ofCamera, start: alert.createdAt, end: "9999-12-31T00:00:00.000Z" },
      before: {
        ...ofCamera,
        start: "1970-01-01T00:00:00.000Z",
        end: new Date(Date.parse(alert.createdAt) + 1).toISOString(),
      },
    },
    pause: !isDue,
  });
  const neighbours = data ? around(data, alert.id) : undefined;
  const address = useAddress();
  const distanceOf = (other: AlertItemFragment) => {
    const distance = Date.parse(other.createdAt) - Date.parse(alert.createdAt);
    // Half a minute rounds to one.
    const duration = Math.abs(distance) < 30_000 ? texts.seconds : formats.duration(Math.abs(distance));
    return distance < 0 ? texts.earlier(duration) : texts.later(duration);
  };
  return (
    <section className="neighbouring-pictures" aria-busy={!neighbours}>
      <h3>{texts.neighbours}</h3>
      {neighbours?.length === 0 && <p className="hint">{texts.noNeighbours}</p>}
      {neighbours && neighbours.length > 0 && (
        <ul>
          {neighbours.map((each) => (
            <li key={each.id}>
              <Link
                className="neighbour"
                to={addressWithAlert(address, each.id)}
                aria-label={`${isolated(words.alertType(each.name))}, ${distanceOf(each)}`}
                title={`${words.alertType(each.name)}, ${formats.moment(each.createdAt)}`}
              >
                <AlertPicture alert={each} fills />
              </Link>
              <span className="hint" aria-hidden="true">
                {distanceOf(each)}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
