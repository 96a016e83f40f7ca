import { useId, useState } from "react";
import { Checkbox } from "../form/field.js";
import { choose, useIsChosen } from "./choices.js";
import { canNotify, notify } from "./notifications.js";
import { playSound } from "./sound.js";
import { useTexts } from "./texts.js";

export function NewAlertChoices() {
  const texts = useTexts();
  const title = useId();
  return (
    <section aria-labelledby={title}>
      <h3 id={title}>{texts.title}</h3>
      <p className="hint">{texts.text}</p>
      <NotificationChoice />
      <SoundChoice />
    </section>
  );
}

function NotificationChoice() {
  const texts = useTexts();
  const isChosen = useIsChosen("notification");
  const [problem, setProblem] = useState<"notificationDenied" | "notificationMissing">();
  const change = async (isOn: boolean) => {
    setProblem(undefined);
    if (!isOn) return choose("notification", false);
    if (!canNotify()) return setProblem("notificationMissing");
    if ((await Notification.requestPermission()) !== "granted") return setProblem("notificationDenied");
    const example = { title: texts.notificationShown, tag: "example", to: { view: "alerts" } };
    if (notify(example)) choose("notification", true);
    else setProblem("notificationMissing");
  };
  return (
    <>
      <Checkbox checked={isChosen} onChange={({ currentTarget }) => void change(currentTarget.checked)}>
        {texts.notification}
      </Checkbox>
      <p className="hint" role="status">
        {problem && texts[problem]}
      </p>
    </>
  );
}

function SoundChoice() {
  const texts = useTexts();
  const isChosen = useIsChosen("sound");
  const hint = useId();
  return (
    <>
      <Checkbox
        aria-describedby={hint}
        checked={isChosen}
        onChange={({ currentTarget: { checked } }) => {
          choose("sound", checked);
          if (checked) void playSound();
        }}
      >
        {texts.sound}
      </Checkbox>
      <p id={hint} className="hint">
        {texts.soundHint}
      </p>
    </>
  );
}
