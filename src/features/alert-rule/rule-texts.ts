// What descriptions of several fields say of rules.

export const notifiedWhen = (channel: string) =>
  `Used for alerts that are not observations, while the rule's \`status\` is ACTIVE, and only if \`Workspace.deliveryChannels\` lists ${channel}.`;

export const daysAppliedBy =
  "If the rule is `evaluated`, the gateway applies them to days at the facility, and 0 is Sunday; otherwise the detector applies them, and defines which day is 0.";

export const timesAppliedBy =
  "If the rule is `evaluated`, the gateway takes the clock times that the facility's time zone shows at these instants, for each day; otherwise the detector applies it.";

export const nodesOfTrees =
  "a GROUP node with `operator` AND or OR and `children`; AREA leaves with `name`, `color` such as #ff8800 and 3 to 100 `points` in pixels; detection leaves whose `type` is an alert type and whose `objects` are the labels of the objects to detect, such as PERSON, or any object if empty. A detection leaf may have `minSeconds`, how long an object must stay (1 by default); `minConfidence` (0.5 by default); `attributes` that the objects must have; and `minCount` (1 by default) and `maxCount`, the number of objects. A type that begins with MIN_ detects a shortage: fewer objects than `minCount` (2 by default), but at least one. A type that begins with MAX_ detects an excess: more objects than `maxCount` (0 by default). The root may have `cooldownSeconds`, the shortest time between two alerts (60 by default).";
