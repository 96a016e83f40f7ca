import type { StateCountFragment } from "../../generated/console.js";
import { useLanguage } from "../language/language.js";
import { changeQuery } from "../navigation/location.js";
import { cameraStates, countIn, statesOfConcern, toneOf } from "./camera-states.js";
import type { FleetFilter } from "./fleet-filter.js";
import { useTexts } from "./texts.js";

interface StateFilterProps {
  filter: FleetFilter;
  /** The numbers of the cameras that match the rest of the filter. */
  counts: readonly StateCountFragment[];
  onToggleConcern: () => void;
}

/**
 * Chooses the cameras by their states, each with the number of its cameras. Without a
 * choice, all are shown.
 */
export function StateFilter({ filter, counts, onToggleConcern }: StateFilterProps) {
  const { messages, formats } = useLanguage();
  const texts = useTexts();
  const concerning = countIn(statesOfConcern, counts);
  const chosen = filter.isOfConcern ? [] : filter.states;
  const offered = cameraStates.filter((state) => countIn([state], counts) > 0 || chosen.includes(state));
  return (
    <fieldset className="state-filter" aria-label={texts.state}>
      <button type="button" aria-pressed={filter.isOfConcern} onClick={onToggleConcern}>
        {texts.concern}
        <span className="badge" data-alarming={concerning > 0}>
          {formats.number(concerning)}
        </span>
      </button>
      {offered.map((state) => {
        const isChosen = chosen.includes(state);
        const states = isChosen ? chosen.filter((each) => each !== state) : [...chosen, state];
        return (
          <button
            key={state}
            type="button"
            className="state-chip"
            data-tone={toneOf(state)}
            aria-pressed={isChosen}
            onClick={() => changeQuery({ state: states, operational: undefined })}
          >
            {messages.fleet.states[state]}
            <span className="badge">{formats.number(countIn([state], counts))}</span>
          </button>
        );
      })}
    </fieldset>
  );
}
