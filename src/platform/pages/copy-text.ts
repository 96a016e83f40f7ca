/** Copies a text by a command, which pages of plain http may use, too. Returns whether it was copied. */
export function copyByCommand(text: string): boolean {
  let isCopied = false;
  const copy = (event: ClipboardEvent) => {
    event.clipboardData?.setData("text/plain", text);
    event.preventDefault();
    isCopied = event.clipboardData !== null;
  };
  document.addEventListener("copy", copy);
  const isAllowed = document.execCommand("copy");
  document.removeEventListener("copy", copy);
  return isAllowed && isCopied;
}

/** Copies a text, where there is no clipboard by a command. Returns whether it was copied. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyByCommand(text);
  }
}
