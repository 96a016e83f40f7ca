/** Breaks a paragraph into lines of at most n characters, between words if possible. */
export function wrapped(text: string, { width, indent = "" }: { width: number; indent?: string }): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ").flatMap((each) => pieces(each, width - indent.length))) {
    const room = width - (lines.length > 0 ? indent.length : 0);
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && [...longer].length > room) {
      lines.push(line);
      line = word;
    } else {
      line = longer;
    }
  }
  lines.push(line);
  return withClosedIsolates(lines).join(`\n${indent}`);
}

/** Closes isolates at the end of each line, and opens them on the next: mail programs take lines for paragraphs. */
function withClosedIsolates(lines: readonly string[]): string[] {
  let isOpen = false;
  return lines.map((line) => {
    const start = isOpen ? "\u2068" : "";
    if (/[\u2068\u2069]/.test(line)) isOpen = line.lastIndexOf("\u2068") > line.lastIndexOf("\u2069");
    return `${start}${line}${isOpen ? "\u2069" : ""}`;
  });
}

/** Splits a word into pieces that fit on a line. */
function pieces(word: string, width: number): string[] {
  const characters = [...word];
  const count = Math.max(1, Math.ceil(characters.length / width));
  return Array.from({ length: count }, (_, index) =>
    characters.slice(index * width, (index + 1) * width).join(""),
  );
}
