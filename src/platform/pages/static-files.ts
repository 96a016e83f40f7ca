import { readFileSync } from "node:fs";
import path from "node:path";
import express, { type RequestHandler, type Router } from "express";
import expressStaticGzip from "express-static-gzip";

const day = 24 * 3600;

/**
 * What all pages show: their icon, with the number of open alerts if `open` is given. `directory` is the build output.
 */
export function sharedFiles(directory: string): Router {
  const router = express.Router();
  const icon = readFileSync(path.join(directory, "favicon.svg"), "utf8");
  router.get("/favicon.svg", ({ query }, response) => {
    const open = typeof query.open === "string" && /^[1-9]\d{0,8}$/.test(query.open) ? Number(query.open) : 0;
    response.set({
      "cache-control": `public, max-age=${day}`,
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
    });
    response
      .type("svg")
      .send(open === 0 ? icon : icon.replace(/<circle [^>]*\/>\s*<\/svg>/, `${badge(open)}</svg>`));
  });
  return router;
}

/** A number for the upper part of the icon, in at most three characters. */
function badge(count: number): string {
  const text = count > 99 ? "99+" : String(count);
  const [width, size] = text.length === 1 ? [20, 17] : [30, text.length === 2 ? 17 : 14];
  return [
    `<rect x="${31 - width}" y="1" width="${width}" height="20" rx="6" fill="#d92d20" stroke="#fff" stroke-width="1.5" />`,
    `<text x="${31 - width / 2}" y="17" text-anchor="middle" font-family="sans-serif" font-weight="700" font-size="${size}" fill="#fff">${text}</text>`,
  ].join("");
}

/** The scripts and styles of a page, as the build compressed them. They never change: names say what is in them. */
export const pageAssets = (directory: string): RequestHandler =>
  expressStaticGzip(directory, {
    enableBrotli: true,
    orderPreference: ["br"],
    index: false,
    serveStatic: { immutable: true, maxAge: "1 year", redirect: false },
  });
