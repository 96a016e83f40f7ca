/** The name of the space bar in shortcuts. */
export const space = "Space";

interface PressedKey {
  key: string;
  code: string;
  shiftKey: boolean;
}

/**
 * The name of a pressed key: a letter as Shift alone makes it, whatever CapsLock says. Where a keyboard writes another
 * script, such as Greek, it is the Latin letter at the key's place.
 */
export function keyIn({ key, code, shiftKey }: PressedKey): string {
  if (key === " ") return space;
  const letter = /^\p{L}$/u.test(key) && !/^[a-z]$/i.test(key) ? /^Key([A-Z])$/.exec(code)?.[1] : key;
  const name = letter ?? key;
  return /^[a-z]$/i.test(name) ? (shiftKey ? name.toUpperCase() : name.toLowerCase()) : name;
}
