import { useState } from "react";
import { isBeingWritten } from "../form/edit-form.js";
import { changeQuery, useAddress } from "../navigation/location.js";

/** What is added, by its name in the address, such as `/?view=settings&add=facility`. */
type Addable = "facility" | "camera" | "person" | "key" | "connector" | "snooze";

/** Whether a form to add something is open: asked for here or by the address, or interrupted while being filled in. */
export function useAdding(
  addable: Addable,
  draftKey: string,
  mayAdd: boolean,
): [isAdding: boolean, setAdding: (isAdding: boolean) => void] {
  const [isOpen, setOpen] = useState(() => isBeingWritten(draftKey));
  const isAsked = useAddress().get("add") === addable;
  const setAdding = (isAdding: boolean) => {
    setOpen(isAdding);
    if (!isAdding) changeQuery({ add: undefined, permissions: undefined }, { replace: true });
  };
  return [mayAdd && (isOpen || isAsked), setAdding];
}
