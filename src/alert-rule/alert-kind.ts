// Known values for descriptions. Alert types and severities are free texts.

export const alertTypes =
  "such as STATIC_DELIMITATION_AREA or MIN_WORKER_IN_CONFINED_SPACE; others may occur";

export const severities = "such as LOW, MEDIUM or HIGH; others may occur";
