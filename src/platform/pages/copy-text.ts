/** Copies a text, also on pages of plain http, by a command instead of the clipboard. Returns whether it was copied. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
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
}
