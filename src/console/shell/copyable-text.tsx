import { copyText } from "../../platform/pages/copy-text.js";
import "./copyable-text.css";
import { useRef, useState } from "react";
import { useMessages } from "../language/language.js";

export function CopyableText({ label, text }: { label: string; text: string }) {
  const messages = useMessages();
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
          {state && messages.apiCalls[state]}
        </span>
        <button type="button" aria-label={messages.apiCalls.copy(label)} onClick={() => void copy()}>
          {messages.apiCalls.copyShort}
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach scrollable elements. */}
      <section tabIndex={0} aria-label={label}>
        <pre ref={element}>{text}</pre>
      </section>
    </div>
  );
}
