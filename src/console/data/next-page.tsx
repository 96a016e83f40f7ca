import { type ReactNode, useState } from "react";
import { useMessages } from "../language/language.js";

/** The next page of a list, which is read once the reader asks for it. */
export function NextPage({ children }: { children: ReactNode }) {
  const { common } = useMessages();
  const [isShown, setShown] = useState(false);
  if (isShown) return children;
  return (
    <button type="button" className="next-page" onClick={() => setShown(true)}>
      {common.showMore}
    </button>
  );
}
