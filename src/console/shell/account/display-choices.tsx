import "./display-choices.css";
import { hasKey } from "../../../platform/record.js";
import type { LanguageCode } from "../../../platform/text/language.js";
import { languages, useLanguage } from "../../language/language.js";
import { chooseTheme, themeNamed, themes, useTheme } from "../theme.js";

export function LanguageChoice({ onChosen }: { onChosen?: (code: LanguageCode) => void }) {
  const { code, choose, isMissing, messages } = useLanguage();
  const { part, updated } = messages.broken;
  return (
    <>
      <label className="menu-field">
        <span>{messages.account.language}</span>
        <select
          value={code}
          onChange={({ target }) => {
            const chosen = target.value;
            if (!hasKey(languages, chosen)) return;
            choose(chosen);
            onChosen?.(chosen);
          }}
        >
          {Object.entries(languages).map(([each, { name }]) => (
            <option key={each} value={each} lang={each}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {isMissing && <p className="problem" role="alert">{`${updated.title}. ${part.text}`}</p>}
    </>
  );
}

export function ThemeChoice() {
  const { messages } = useLanguage();
  const theme = useTheme();
  return (
    <label className="menu-field">
      <span>{messages.account.theme}</span>
      <select value={theme} onChange={(event) => chooseTheme(themeNamed(event.target.value))}>
        {themes.map((each) => (
          <option key={each} value={each}>
            {messages.account.themes[each]}
          </option>
        ))}
      </select>
    </label>
  );
}
