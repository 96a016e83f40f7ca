import { type Html, html, type Inserted } from "../../../platform/text/html.js";
import type { LanguageCode } from "../../../platform/text/language.js";
import { wrapped } from "./plain-text.js";

export interface MailMessage {
  subject: string;
  text: string;
  html: string;
  attachments: MailAttachment[];
  /** Mails with the same value form one conversation. */
  thread: string;
}

/** An inline picture. The HTML refers to its `cid`. */
export interface MailAttachment {
  filename: string;
  contentType: string;
  content: Buffer;
  cid: string;
}

/** The content of a mail from top to bottom. A layout presents it as HTML and as plain text. */
export interface MailContent {
  language?: LanguageCode;
  subject: string;
  /** The text that mailboxes show after the subject. */
  preview: string;
  /** Tells the reader that the mail is a test. */
  notice?: string | null;
  label?: { text: string; tone: Tone } | null;
  heading: string;
  subheading: string;
  introduction?: string;
  picture?: { cid: string; description: string; caption: string | null } | null;
  facts?: { name: string; value: string }[];
  lists?: MailList[];
  /** The first link is the most prominent. */
  links: MailLink[];
  footer: string;
}

export interface MailLink {
  label: string;
  url: string;
}

/** The alerts, or other things, that a mail sums up. */
export interface MailList {
  /** Null if the heading of the mail says enough. */
  heading: string | null;
  /** A row has a short title, such as a time. */
  rows: { title: string; description: string; links: MailLink[] }[];
  /** A sentence about omitted rows. */
  remainder: string | null;
}

/** The tone of a label, which determines its color. White text on these colors is legible in light and dark mode. */
export type Tone = "danger" | "warning" | "notice" | "good" | "neutral";

const toneColors: Record<Tone, string> = {
  danger: "#b42318",
  warning: "#a15c07",
  notice: "#175cd3",
  good: "#067647",
  neutral: "#475467",
};

/** Lays out the content of a mail as HTML and as plain text. */
export const layOut = (
  content: MailContent,
  thread: string,
  attachments: MailAttachment[] = [],
): MailMessage => ({
  subject: content.subject,
  text: plainText(content),
  html: page(content).toString(),
  attachments,
  thread,
});

const textWidth = 76;

function plainText(content: MailContent): string {
  const { notice, label, heading, subheading, introduction, picture, links, footer } = content;
  const { facts = [], lists = [] } = content;
  const sections = [
    notice && wrapped(`*** ${notice} ***`, { width: textWidth }),
    [label ? `[${label.text}] ${heading}` : heading, subheading]
      .map((line) => wrapped(line, { width: textWidth }))
      .join("\n"),
    introduction && wrapped(introduction, { width: textWidth }),
    facts.length > 0 && factLines(facts),
    ...lists.map(listLines),
    ...links.map(({ label, url }) => `${label}:\n${url}`),
    picture && "The picture is attached.",
    // Mail programs recognize this line, and show the text after it as a signature.
    `-- \n${wrapped(footer, { width: textWidth })}`,
  ];
  return `${sections.filter((section) => typeof section === "string" && section !== "").join("\n\n")}\n`;
}

function factLines(facts: NonNullable<MailContent["facts"]>): string {
  const column = Math.max(...facts.map(({ name }) => name.length)) + 2;
  return facts
    .map(({ name, value }) =>
      wrapped(`${name.padEnd(column)}${value}`, { width: textWidth, indent: " ".repeat(column) }),
    )
    .join("\n");
}

function listLines({ heading, rows, remainder }: MailList): string {
  const lines = rows.map(({ title, description, links }) =>
    [
      wrapped(`* ${title}  ${description}`, { width: textWidth, indent: "  " }),
      ...links.map(({ label, url }) => `  ${label}: ${url}`),
    ].join("\n"),
  );
  return [...(heading ? [heading] : []), ...lines, ...(remainder ? [remainder] : [])].join("\n");
}

const font = html`font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif`;

/** Colors for mail programs with a dark mode. Other programs use those of the inline styles. */
const darkMode = html`
    :root { color-scheme: light dark; supported-color-schemes: light dark; }
    @media (prefers-color-scheme: dark) {
      .page { background-color: #101418 !important; }
      .card { background-color: #1b2127 !important; border-color: #333c46 !important; }
      .strong { color: #f2f4f7 !important; }
      .quiet { color: #a9b4c0 !important; }
      .link { color: #84adff !important; }
      .line { border-color: #333c46 !important; }
      .notice { background-color: #3a2c05 !important; border-color: #7a5c0a !important; color: #fdeac0 !important; }
    }`;

function page(content: MailContent): Html {
  const {
    language = "en",
    subject,
    preview,
    notice,
    label,
    heading,
    subheading,
    introduction,
    picture,
    facts = [],
    lists = [],
    links,
    footer,
  } = content;
  const [mainLink, ...otherLinks] = links;
  return html`<!doctype html>
<html lang="${language}">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <meta name="supported-color-schemes" content="light dark">
  <title>${subject}</title>
  <style>${darkMode}
  </style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#f2f4f7;-webkit-text-size-adjust:100%">
<div style="display:none;max-height:0;overflow:hidden;mso-hide:all">${markedUp(preview)}${previewPadding}</div>
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" border="0" style="background-color:#f2f4f7">
<tr><td align="center" style="padding:16px 8px">
<!--[if mso]><table role="presentation" width="600" cellpadding="0" cellspacing="0" border="0"><tr><td><![endif]-->
<table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:600px;background-color:#ffffff;border:1px solid #e0e4e9;border-radius:12px">
<tr><td style="padding:20px;${font};text-align:left;overflow-wrap:anywhere">
${notice && noticeBox(notice)}${label && badge(label)}
<h1 class="strong" style="margin:0;font-size:22px;line-height:28px;font-weight:600;color:#101828">${markedUp(heading)}</h1>
<p class="quiet" style="margin:4px 0 0;font-size:15px;line-height:22px;color:#475467">${markedUp(subheading)}</p>
${introduction && paragraph(introduction)}${picture && embedded(picture)}${facts.length > 0 && factTable(facts)}
${lists.map(listTable)}${mainLink && button(mainLink)}
${otherLinks.map(otherLink)}
</td></tr>
</table>
<p class="quiet" style="max-width:560px;margin:12px auto 0;padding:0 12px;${font};font-size:12px;line-height:18px;text-align:left;color:#667085;overflow-wrap:anywhere">${markedUp(footer)}</p>
<!--[if mso]></td></tr></table><![endif]-->
</td></tr>
</table>
</body>
</html>
`;
}

/** Turns the isolates of a text into elements, because some mail programs know only these. */
function markedUp(text: string): Inserted {
  return text
    .split(/\u2068([^\u2069]*)\u2069/)
    .map((part, index) => (index % 2 === 1 ? html`<bdi>${part}</bdi>` : part));
}

/** Keeps mailboxes from showing the beginning of the page after the preview. */
const previewPadding = Array.from({ length: 60 }, () => html`&#8199;&#65279;&#847; `);

function noticeBox(notice: string): Html {
  return html`<p class="notice" style="margin:0 0 16px;padding:10px 12px;font-size:15px;line-height:21px;font-weight:600;background-color:#fef7e0;border:1px solid #e6c35c;border-radius:8px;color:#5f4600">${notice}</p>`;
}

function badge({ text, tone }: { text: string; tone: Tone }): Html {
  return html`<p style="margin:0 0 10px"><span style="display:inline-block;padding:2px 10px;font-size:13px;line-height:20px;font-weight:700;letter-spacing:0.4px;background-color:${toneColors[tone]};border-radius:6px;color:#ffffff">${markedUp(text)}</span></p>`;
}

function paragraph(text: string): Html {
  return html`<p class="strong" style="margin:14px 0 0;font-size:15px;line-height:22px;color:#1d2939">${text}</p>`;
}

function embedded({ cid, description, caption }: NonNullable<MailContent["picture"]>): Html {
  return html`<img src="cid:${cid}" alt="${description}" width="558" style="display:block;width:100%;max-width:100%;height:auto;margin:16px 0 0;border:0;border-radius:8px;font-size:14px;line-height:20px">
${caption === null ? null : html`<p class="quiet" style="margin:6px 0 0;font-size:13px;line-height:18px;color:#475467">${caption}</p>`}`;
}

function factTable(facts: NonNullable<MailContent["facts"]>): Html {
  const rows = facts.map(
    ({ name, value }) => html`<tr>
<th class="quiet" scope="row" align="left" valign="top" style="padding:5px 14px 5px 0;font-size:14px;line-height:20px;font-weight:400;text-align:left;white-space:nowrap;color:#667085">${name}</th>
<td class="strong" valign="top" style="padding:5px 0;font-size:14px;line-height:20px;color:#1d2939">${markedUp(value)}</td>
</tr>`,
  );
  return html`<table cellpadding="0" cellspacing="0" border="0" style="margin:14px 0 0;border-collapse:collapse;${font}">${rows}</table>`;
}

function listTable({ heading, rows, remainder }: MailList): Html {
  const cell = html`padding:8px 0;border-top:1px solid #e0e4e9;font-size:14px;line-height:20px`;
  const lines = rows.map(
    ({ title, description, links }) => html`<tr>
<th class="strong line" scope="row" align="left" valign="top" style="${cell};padding-right:12px;font-weight:600;text-align:left;white-space:nowrap;color:#1d2939">${title}</th>
<td class="strong line" valign="top" width="100%" style="${cell};padding-right:12px;color:#1d2939">${markedUp(description)}</td>
<td class="line" valign="top" align="right" style="${cell};text-align:right;white-space:nowrap">${links.map(listLink)}</td>
</tr>`,
  );
  const caption =
    heading === null
      ? null
      : html`<h2 class="strong" style="margin:20px 0 0;font-size:16px;line-height:24px;font-weight:600;color:#101828">${heading}</h2>
`;
  return html`${caption}<table width="100%" cellpadding="0" cellspacing="0" border="0" style="margin:16px 0 0;border-collapse:collapse;${font}">${lines}</table>
${remainder === null ? null : html`<p class="quiet line" style="margin:0;padding:8px 0 0;border-top:1px solid #e0e4e9;font-size:14px;line-height:20px;color:#475467">${remainder}</p>`}`;
}

function listLink({ label, url }: MailLink, index: number): Html {
  return html`${index === 0 ? null : html` &nbsp;`}<a class="link" href="${url}" style="color:#175cd3">${label}</a>`;
}

function button({ label, url }: MailLink): Html {
  return html`<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:20px 0 0"><tr>
<td style="background-color:#175cd3;border-radius:8px"><a href="${url}" style="display:inline-block;padding:11px 20px;${font};font-size:15px;line-height:20px;font-weight:600;color:#ffffff;text-decoration:none">${label}</a></td>
</tr></table>`;
}

function otherLink({ label, url }: MailLink): Html {
  return html`<p style="margin:14px 0 0;font-size:14px;line-height:20px"><a class="link" href="${url}" style="color:#175cd3">${label}</a></p>`;
}
