import { within } from "./elements.js";

const contents = within(document, "#contents");

/** The links of the table of contents, by the id of their target. */
const links = new Map([...contents.querySelectorAll("a")].map((link) => [link.hash.slice(1), link]));

function markCurrent(id: string): void {
  const current = links.get(id);
  for (const link of links.values()) link.removeAttribute("aria-current");
  current?.setAttribute("aria-current", "true");
  const offset = (current?.offsetTop ?? 0) - contents.scrollTop;
  // Avoid `scrollIntoView`, which would end a running scroll of the page.
  if (offset < 0 || offset > contents.clientHeight - 40)
    contents.scrollTop += offset - contents.clientHeight / 2;
}

/** Marks the section that is read in the table of contents, and closes its menu. */
export function followReading(): void {
  contents.addEventListener("click", ({ target }) => {
    if (target instanceof Element && target.closest("a")) contents.hidePopover();
  });
  const reading = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) if (isIntersecting) markCurrent(target.id);
    },
    // The section that crosses a line in the upper part of the window counts as being read.
    { rootMargin: "-20% 0px -80% 0px" },
  );
  for (const section of document.querySelectorAll("article, #authentication, #errors"))
    reading.observe(section);
}
