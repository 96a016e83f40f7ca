/**
 * Corrects the roles of GraphiQL's tabs. A tab may contain no buttons, but each of these
 * has two: open and close. Presents them as a list of buttons instead, with the current
 * one marked.
 */
export function observeTabs(root: HTMLElement): void {
  const correct = () => {
    root.querySelector(".graphiql-tabs")?.removeAttribute("role");
    const session = root.querySelector("#graphiql-session");
    // Setting the role again would count as a change to correct.
    if (session?.getAttribute("role") === "tabpanel") session.setAttribute("role", "region");
    for (const tab of root.querySelectorAll(".graphiql-tab")) {
      tab.removeAttribute("role");
      tab.removeAttribute("aria-selected");
      const button = tab.querySelector(".graphiql-tab-button");
      if (tab.classList.contains("graphiql-tab-active")) button?.setAttribute("aria-current", "true");
      else button?.removeAttribute("aria-current");
    }
  };
  new MutationObserver(correct).observe(root, {
    subtree: true,
    childList: true,
    attributeFilter: ["role", "aria-selected"],
  });
}
