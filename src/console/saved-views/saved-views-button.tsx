import { useRef, useState } from "react";
import { useMessages } from "../language/language.js";
import { SavedViewsIcon } from "../shell/icons.js";
import { part, ViewBoundary } from "../shell/part.js";

const SavedViews = part(() => import("./saved-views.js"), "SavedViews");

const menuId = "saved-views";

/** Opens the menu of the saved views from another menu. */
export const showSavedViews = (): void => document.getElementById(menuId)?.showPopover();

interface SavedViewsButtonProps {
  isSaving: boolean;
  onSavingChange: (isSaving: boolean) => void;
}

/** The menu of the saved views, in the header. Its content is loaded when it is first needed. */
export function SavedViewsButton({ isSaving, onSavingChange }: SavedViewsButtonProps) {
  const messages = useMessages();
  const menu = useRef<HTMLDivElement>(null);
  const [isNeeded, setNeeded] = useState(false);
  if (isSaving && !isNeeded) setNeeded(true);
  return (
    <>
      <button
        type="button"
        className="icon-button wide-window"
        popoverTarget={menuId}
        aria-label={messages.savedViews}
        title={messages.savedViews}
      >
        <SavedViewsIcon />
      </button>
      <div
        ref={menu}
        id={menuId}
        popover="auto"
        className="menu"
        onToggle={({ target, currentTarget }) => target === currentTarget && setNeeded(true)}
      >
        {isNeeded && (
          <ViewBoundary>
            <SavedViews
              isSaving={isSaving}
              onSavingChange={onSavingChange}
              onLeave={() => menu.current?.hidePopover()}
            />
          </ViewBoundary>
        )}
      </div>
    </>
  );
}
