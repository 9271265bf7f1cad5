/**
 * The dashboard's page and its built files: read-only bytes with an ETag, and a policy that allows nothing but them
 * (DASH-5).
 *
 * This host never builds. The package brings the files; in a checkout `npm start` and `npm run dashboard` build them
 * (`Build.ts`). Without them the page says so.
 */
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { existsSync, readFileSync } from "node:fs"
import { prepare } from "../../http/ahead/PreparedAnswer.ts"
import type { PreparedAnswer } from "../../http/ahead/PreparedAnswer.ts"
import { builtFolders } from "../PackageFiles.ts"
import { icon } from "../page/Document.ts"

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

const headers = {
  "content-security-policy": policy,
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
  "x-robots-tag": "noindex"
}

/** Paths are relative, because a proxy may serve the host below a path. */
const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Dashboard</title>
<link rel="icon" href="${icon}">
<link rel="stylesheet" href="dashboard/app.css">
</head>
<body>
<div id="app"><noscript>The dashboard needs JavaScript.</noscript></div>
<script type="module" src="dashboard/app.js"></script>
</body>
</html>
`

const missing = HttpServerResponse.text(
  "<!doctype html><title>Not built</title><p>The dashboard has not been built here: run <code>npm run dashboard</code>, and load this page again.</p>\n",
  { status: 503, contentType: "text/html; charset=utf-8", headers: { "cache-control": "no-store" } }
)

const served = (body: Uint8Array, contentType: string): PreparedAnswer =>
  prepare(HttpServerResponse.uint8Array(body, { contentType, headers }))

const answer = (prepared: PreparedAnswer) =>
  Effect.map(HttpServerRequest.HttpServerRequest, (request) => prepared(request.headers))

/** Reads a file once, when it is there. */
const makeBuilt = (name: string, contentType: string) => {
  let file: PreparedAnswer | undefined
  return Effect.suspend(() => {
    const folder = builtFolders.find((each) => existsSync(new URL(name, each)))
    if (file === undefined && folder !== undefined) file = served(readFileSync(new URL(name, folder)), contentType)
    return file === undefined ? Effect.succeed(missing) : answer(file)
  })
}

const script = makeBuilt("app.js", "text/javascript; charset=utf-8")
const document = served(new TextEncoder().encode(page), "text/html; charset=utf-8")

/** The paths that `layer` serves, all with GET. */
export const filePaths: ReadonlyArray<string> = ["/dashboard", "/dashboard/app.js", "/dashboard/app.css"]

export const layer = Layer.mergeAll(
  HttpRouter.add(
    "GET",
    "/dashboard",
    Effect.flatMap(script, (built) => built === missing ? Effect.succeed(missing) : answer(document))
  ),
  HttpRouter.add("GET", "/dashboard/app.js", script),
  HttpRouter.add("GET", "/dashboard/app.css", makeBuilt("app.css", "text/css; charset=utf-8"))
)
