import type { AlertRuleSnoozeFragment, CameraSnoozeFragment } from "../../generated/console.js";
import { isolated } from "../../platform/text-direction.js";
import { Moment } from "../language/moment.js";
import { useNow } from "../language/now.js";
import { useTexts } from "./texts.js";

/** A camera or a rule that may be snoozed. */
export type Snoozed = CameraSnoozeFragment | AlertRuleSnoozeFragment;

/** Whether something is snoozed: that ends by itself. */
export const isSnoozed = ({ snoozedUntil }: Snoozed, now: Date): boolean =>
  snoozedUntil !== null && Date.parse(snoozedUntil) > now.getTime();

/** Until when a camera or a rule is snoozed, and by whom; nothing if it is not. */
export function SnoozedUntil({ of, timeZone }: { of: Snoozed; timeZone: string }) {
  const texts = useTexts();
  const now = useNow();
  if (!isSnoozed(of, now)) return null;
  const { snoozedUntil, snoozedBy } = of;
  const person = snoozedBy?.fullName ?? snoozedBy?.email;
  return (
    <p className="snoozed-until">
      {texts.until} <Moment instant={snoozedUntil as string} timeZone={timeZone} />
      {person && ` ${texts.by(isolated(person))}`}
    </p>
  );
}
