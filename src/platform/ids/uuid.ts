/** The shape of UUIDs, for regular expressions. */
export const uuidShape = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";

const whole = new RegExp(`^${uuidShape}$`);

/** Whether a text is a UUID, in lower case. */
export const isUuid = (text: string): boolean => whole.test(text);
