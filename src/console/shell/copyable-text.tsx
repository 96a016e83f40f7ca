import { copyText } from "../../platform/pages/copy-text.js";
import "./copyable-text.css";
import { useRef, useState } from "react";
import { withText } from "../../platform/text/plural.js";
import { translated } from "../language/language.js";

const useTexts = translated(
  {
    copy: withText("Copy: #"),
    copyShort: "Copy",
    copied: "Copied",
    selected: "Selected, ready to copy",
  },
  {
    copy: withText("Kopieren: #"),
    copyShort: "Kopieren",
    copied: "Kopiert",
    selected: "Markiert, bereit zum Kopieren",
  },
);

export function CopyableText({ label, text }: { label: string; text: string }) {
  const texts = useTexts();
  const [state, setState] = useState<"copied" | "selected">();
  const element = useRef<HTMLPreElement>(null);
  const copy = async () => {
    const isCopied = await copyText(text);
    // The reader copies what the browser does not.
    if (!isCopied && element.current) getSelection()?.selectAllChildren(element.current);
    setState(isCopied ? "copied" : "selected");
  };
  return (
    <div className="copyable">
      <div className="copyable-head">
        <span>{label}</span>
        <span className="hint" role="status">
          {state && texts[state]}
        </span>
        <button type="button" aria-label={texts.copy(label)} onClick={() => void copy()}>
          {texts.copyShort}
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach scrollable elements. */}
      <section tabIndex={0} aria-label={label}>
        <pre ref={element}>{text}</pre>
      </section>
    </div>
  );
}
