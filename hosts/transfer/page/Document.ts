/**
 * A complete page: its head, its headers, its policy. It sends requests to this service only.
 *
 * SECURITY: the policy allows only the one style and the one script of this folder, by their hashes. Anything that got
 * into the page unescaped would be neither run nor loaded.
 */
import { HttpServerResponse } from "effect/http"
import { createHash } from "node:crypto"
import { html, raw } from "./Html.ts"
import type { Html } from "./Html.ts"
import { script } from "./Script.ts"
import { style } from "./Style.ts"

const hash = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`

const policyOf = (forms: "'none'" | "'self'"): string =>
  [
    "default-src 'none'",
    `script-src ${hash(script)}`,
    `style-src ${hash(style)}`,
    "img-src data:",
    "connect-src 'self'",
    "base-uri 'none'",
    `form-action ${forms}`,
    "frame-ancestors 'none'"
  ].join("; ")

export const policy = policyOf("'none'")

const headers = {
  "content-security-policy": policy,
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-robots-tag": "noindex",
  "cache-control": "no-store",
  vary: "accept"
}

/** Two river banks, and the causeway between them. */
export const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath d='M2 3v10M14 3v10M2 8h12' stroke='%231f6f5c' stroke-width='2.4' stroke-linecap='round'/%3E%3C/svg%3E"

export interface Page {
  readonly status: number
  readonly title: string
  readonly body: Html
  /** True for a page with a form, which is sent to this service alone. */
  readonly hasForm?: boolean
}

const text = ({ body, title }: Page): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${raw(icon)}">
<style>${raw(style)}</style>
</head>
<body>
${body}
<script>${raw(script)}</script>
</body>
</html>
`.text

export const answer = (page: Page): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(text(page), {
    status: page.status,
    contentType: "text/html; charset=utf-8",
    headers: page.hasForm === true ? { ...headers, "content-security-policy": policyOf("'self'") } : headers
  })
