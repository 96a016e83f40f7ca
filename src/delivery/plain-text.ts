/** Breaks a paragraph into lines of at most this many characters, between words where it can. */
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
  return lines.join(`\n${indent}`);
}

/** A word in pieces that fit on a line. */
function pieces(word: string, width: number): string[] {
  const characters = [...word];
  const count = Math.max(1, Math.ceil(characters.length / width));
  return Array.from({ length: count }, (_, index) => characters.slice(index * width, (index + 1) * width).join(""));
}
