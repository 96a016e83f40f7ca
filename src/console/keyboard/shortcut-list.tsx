import "./shortcut-list.css";
import { Fragment } from "react";
import { Checkbox } from "../form/field.js";
import { useMessages } from "../language/language.js";
import { switchShortcuts, useShortcutGroups, useShortcutsOn } from "./shortcuts.js";

export function ShortcutList() {
  const messages = useMessages();
  const groups = useShortcutGroups();
  const isOn = useShortcutsOn();
  return (
    <>
      {groups.map(({ title, shortcuts }) => (
        <section key={title}>
          <h3>{title}</h3>
          <dl className="shortcuts">
            {shortcuts.map(({ keys, label }) => (
              <div key={keys}>
                <dt>{label}</dt>
                <dd>
                  {keys.split(" ").map((key, index) => (
                    <Fragment key={key}>
                      {index > 0 && <span> {messages.keys.thenKey} </span>}
                      <kbd>{key}</kbd>
                    </Fragment>
                  ))}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      <Checkbox checked={isOn} onChange={(event) => switchShortcuts(event.target.checked)}>
        {messages.keys.on}
      </Checkbox>
    </>
  );
}
