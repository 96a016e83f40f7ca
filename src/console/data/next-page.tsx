import { type ReactNode, useEffect, useRef, useState } from "react";
import { useMessages } from "../language/language.js";

interface NextPageProps {
  /** Whether coming near the end of the list asks for it, too. */
  isAutomatic?: boolean;
  children: ReactNode;
}

/** The next page of a list, which is read once the reader asks for it. */
export function NextPage({ isAutomatic = false, children }: NextPageProps) {
  const { common } = useMessages();
  const button = useRef<HTMLButtonElement>(null);
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    if (!isAutomatic || !button.current) return;
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && setShown(true),
      { rootMargin: "600px" },
    );
    observer.observe(button.current);
    return () => observer.disconnect();
  }, [isAutomatic]);
  if (isShown) return children;
  return (
    <button
      ref={button}
      type="button"
      className={isAutomatic ? "more" : "next-page"}
      onClick={() => setShown(true)}
    >
      {common.showMore}
    </button>
  );
}
