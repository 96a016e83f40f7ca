import { type Html, html } from "../text/html.js";

/** The pages of the gateway, by what they are called in the header. */
const pages = {
  console: { path: "/", name: "Console" },
  playground: { path: "/graphql", name: "Playground" },
  docs: { path: "/docs", name: "REST" },
};

/** The links in front of a page's content: to its content, and to all pages. */
export function pageHeader(current: keyof typeof pages): Html {
  const [console, ...forDevelopers] = Object.entries(pages).map(
    ([page, { path, name }]) =>
      html`<a href="${path}" data-text="${page}"${page === current && html` aria-current="page"`}>${name}</a>`,
  );
  return html`<a class="skip" href="#content" data-text="skip">Skip to the content</a>
<header class="page-header" data-page="${current}">
<a class="brand" href="/"><img src="/favicon.svg" alt="" width="24" height="24"><span>Camera monitoring gateway</span></a>
<nav class="pages" aria-label="Pages" data-label="label">${console}<button type="button" popovertarget="developers" data-text="developers"${current !== "console" && html` aria-current="true"`}>Developers</button><div id="developers" popover>${forDevelopers}</div></nav>
<div class="page-actions" id="page-actions"></div>
</header>`;
}
