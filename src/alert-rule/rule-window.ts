/** Who applies the days of a rule and how, for their descriptions in the schema. */
export const daysAppliedBy =
  "If the rule is `evaluated`, the gateway applies them to days at the facility, and 0 is Sunday; otherwise the detector applies them, and defines which day is 0.";

/** Who applies the times of a rule and how, for their descriptions in the schema. */
export const timesAppliedBy =
  "If the rule is `evaluated`, the gateway takes the clock times that the facility's time zone shows at these instants, for each day; otherwise the detector applies it.";
