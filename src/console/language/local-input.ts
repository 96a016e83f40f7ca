/** An instant as a field for local dates and times takes it, on the reader's clock. */
export function localInputValue(instant: string | null | undefined): string {
  if (!instant) return "";
  const time = new Date(instant);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
