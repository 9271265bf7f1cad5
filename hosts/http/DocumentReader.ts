/**
 * Shows an OpenAPI document to people, in light or dark as their system is set. Script and style are in the page, which
 * loads nothing from elsewhere. They are megabytes, so the page is made when it is first asked for.
 *
 * SECURITY: the policy runs the page's own scripts by their hashes, and lets it call only this service and the servers
 * that the document names. No other page frames it.
 */
import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { HttpApiScalar, OpenApi } from "effect/http-api"
import type { HttpApi, HttpApiGroup } from "effect/http-api"
import { createHash } from "node:crypto"
import { prepare } from "./ahead/PreparedAnswer.ts"

/** The texts of the page's scripts. A script ends where a browser ends it: at the first closing tag. */
const scriptsOf = (page: string): ReadonlyArray<string> => {
  const scripts: Array<string> = []
  for (let from = page.indexOf("<script>"); from >= 0; from = page.indexOf("<script>", from)) {
    const end = page.indexOf("</script>", from)
    scripts.push(page.slice(from + "<script>".length, end))
    from = end
  }
  return scripts
}

const hash = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`

/** The reader makes styles while it runs, so they cannot be named by hashes. */
const policyOf = (page: string, servers: ReadonlyArray<string>): string =>
  [
    "default-src 'none'",
    `script-src ${scriptsOf(page).map(hash).join(" ")}`,
    "style-src 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src data:",
    `connect-src ${["'self'", ...servers.map((each) => new URL(each).origin)].join(" ")}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join("; ")

/**
 * The reader's own colours are below AA in places, and its hidden texts for screen readers make it wider than a phone.
 * Its toolbar, for authors of documents, is left out.
 */
const customCss = `
.light-mode {
  --scalar-color-2: #555a58; --scalar-color-3: #5f6462; --scalar-sidebar-color-2: #555a58;
  --scalar-sidebar-search-color: #5f6462; --scalar-color-accent: #1f6f5c; --scalar-color-green: #1a6b43;
  --scalar-color-red: #b3261e; --scalar-color-blue: #285a9c; --scalar-color-orange: #96500a;
}
.dark-mode {
  --scalar-color-3: #9aa19e; --scalar-sidebar-search-color: #9aa19e; --scalar-color-accent: #5fc3a8;
  --scalar-color-red: #f2938c;
}
.section-flare, .api-reference-toolbar { display: none; }
.references-rendered { position: relative; overflow-x: clip; }
`

export interface ReaderSettings {
  /** Shown in place of what Effect would make of the API. */
  readonly document: object
  /** Base URLs that the page may send requests to, besides its own. */
  readonly servers?: ReadonlyArray<string>
  /** A data URL. */
  readonly icon?: string
}

export const layerReader = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  path: `/${string}`,
  { document, icon = "data:,", servers = [] }: ReaderSettings
) =>
  HttpRouter.use(Effect.fnUntraced(function*(router) {
    const reader = HttpApiScalar.layer(api.annotate(OpenApi.Transform, () => ({ ...document })), {
      path,
      scalar: { withDefaultFonts: false, hideModels: false, showOperationId: true, customCss }
    })
    const complete = (answer: HttpServerResponse.HttpServerResponse) => {
      const { body } = answer
      if (body._tag !== "Uint8Array") return answer
      const page = new TextDecoder().decode(body.body)
        .replace("<html>", `<html lang="en">`)
        .replace("</title>", `</title>\n    <link rel="icon" href="${icon}">`)
      return HttpServerResponse.text(page, {
        contentType: "text/html; charset=utf-8",
        headers: {
          "content-security-policy": policyOf(page, servers),
          "referrer-policy": "no-referrer",
          "x-content-type-options": "nosniff",
          "x-robots-tag": "noindex"
        }
      })
    }
    const page = yield* Effect.cached(
      Effect.scoped(
        Effect.flatMap(HttpRouter.toHttpEffect(reader), Effect.map((answer) => prepare(complete(answer))))
      )
    )
    yield* router.add("GET", path, ({ headers }) => Effect.map(page, (prepared) => prepared(headers)))
  }))
