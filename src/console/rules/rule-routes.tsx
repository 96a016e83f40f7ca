import type { CameraRuleFragment, DeliveryChannel, RulesCameraFragment } from "../../generated/console.js";
import { isolated } from "../../platform/text/text-direction.js";
import { useAlertTexts } from "../alerts/texts.js";
import { Moment } from "../language/language.js";
import { Link } from "../navigation/location.js";
import { channelNames, channels } from "./channels.js";
import { useTexts } from "./texts.js";

interface Route {
  channel: DeliveryChannel;
  /** The targets that the rule itself names, which get its tests. */
  own: readonly string[];
  ofCamera: readonly string[];
}

const routesOf = (rule: CameraRuleFragment, camera: RulesCameraFragment): Route[] =>
  channelNames
    .map((channel) => {
      const { own, ofCamera, ignoresCase } = channels[channel];
      const keyOf = (target: string) => (ignoresCase ? target.toLowerCase() : target);
      const named = new Set(own(rule).map(keyOf));
      const others = (ofCamera?.(camera) ?? []).filter((target) => !named.has(keyOf(target)));
      return { channel, own: own(rule), ofCamera: others };
    })
    .filter((route) => route.own.length + route.ofCamera.length > 0);

/** Whether a test of the rule would be sent to anybody. */
export const canTest = (
  rule: CameraRuleFragment,
  camera: RulesCameraFragment,
  setUp: readonly string[],
): boolean =>
  routesOf(rule, camera).some(
    ({ channel, own }) => own.length > 0 && setUp.includes(channel) && !channels[channel].isOff?.(rule),
  );

interface RuleRoutesProps {
  rule: CameraRuleFragment;
  camera: RulesCameraFragment;
  /** The channels that are set up. */
  setUp: readonly string[];
}

export function RuleRoutes({ rule, camera, setUp }: RuleRoutesProps) {
  const alertTexts = useAlertTexts();
  const rules = useTexts();
  const { webhookTexts } = rules;
  const routes = routesOf(rule, camera);
  if (routes.length === 0) return <p className="hint">{rules.tellsNobody}</p>;
  return (
    <dl className="routes">
      {routes.map(({ channel, own, ofCamera }) => (
        <div key={channel}>
          <dt>{alertTexts.delivery.channels[channel]}</dt>
          <dd>
            {own.map(isolated).join(", ")}
            {ofCamera.length > 0 && (
              <span className="route-state">
                {rules.ofCamera(ofCamera.map(isolated).join(", "))}{" "}
                <Link to={{ view: "settings", facility: camera.facility.id }}>{rules.cameraSettings}</Link>
              </span>
            )}
            {channels[channel].isSigned && (
              <span className="route-state">
                {channels[channel].isSigned(rule) ? webhookTexts.signed : webhookTexts.unsigned}
              </span>
            )}
            <RouteState rule={rule} channel={channel} camera={camera} setUp={setUp} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface RouteStateProps extends RuleRoutesProps {
  channel: DeliveryChannel;
}

export function RouteState({ rule, channel, camera, setUp }: RouteStateProps) {
  const rules = useTexts();
  const last = rule.deliveries.nodes.find((delivery) => delivery.channel === channel);
  if (!setUp.includes(channel)) return <span className="route-state">{rules.notSetUp}</span>;
  if (channels[channel].isOff?.(rule)) return <span className="route-state">{rules.webhookTexts.off}</span>;
  const isSilent = rule.status !== "ACTIVE" || (rule.observation && !channels[channel].hearsObservations);
  if (isSilent && last?.kind !== "TEST") return <span className="route-state">{rules.silent}</span>;
  if (!last) return <span className="route-state">{rules.nothingSent}</span>;
  return (
    <span className="route-state" data-state={last.state} role={last.kind === "TEST" ? "status" : undefined}>
      {last.kind === "TEST" ? rules.testStates[last.state] : rules.states[last.state]}{" "}
      <Moment instant={last.sentAt ?? last.createdAt} timeZone={camera.facility.timeZoneId} form="relative" />
      {last.state !== "SENT" && last.lastError && `: ${isolated(last.lastError)}`}
    </span>
  );
}
