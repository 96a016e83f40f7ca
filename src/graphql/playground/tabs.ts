/**
 * Corrects the roles of GraphiQL's tabs: a tab may contain no buttons, and each of these
 * has two, to open it and to close it. They are a list of buttons, of which the current
 * one says so.
 */
export function observeTabs(root: HTMLElement): void {
  const correct = () => {
    root.querySelector(".graphiql-tabs")?.removeAttribute("role");
    const session = root.querySelector("#graphiql-session");
    // Setting it again would be a change to correct.
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
