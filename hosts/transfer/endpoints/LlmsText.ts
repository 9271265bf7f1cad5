/** GET /llms.txt: what this service is, and where a language model or its user finds everything else. */
import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { prepare } from "../../http/ahead/PreparedAnswer.ts"
import { operationsOf } from "./ApiDocument.ts"

/** Absolute links, because the text is read away from its place. */
const text = (base: string): string =>
  [
    "# Causeway transfer service",
    "",
    "> Cross-chain transfers: it quotes a transfer (swap, bridge, call), watches for the deposit, pays the recipient exactly once, and refunds what it cannot fill. Amounts are decimal strings in a currency's smallest unit.",
    "",
    "To transfer: POST /quote, have the user's wallet send `data` of each item of each step in order, then poll the item's `check` endpoint until `status` is success, refund or failure. POST /price gives the same figures without an order.",
    "",
    "## Documents",
    "",
    `- [OpenAPI document](${base}/openapi.json): every operation, with examples`,
    `- [Reference](${base}/documentation): the same for people`,
    `- [Chains and currencies](${base}/chains): what is served here, and the contracts`,
    `- [Error codes](${base}/documentation/errors/INVALID_REQUEST): one page a code; every error links its own in \`docs\``,
    "",
    "## Operations",
    "",
    ...operationsOf().map(({ name, summary }) => `- ${name}: ${summary}`),
    ""
  ].join("\n")

export const layer = (baseUrl: string) => {
  const prepared = prepare(
    HttpServerResponse.text(text(baseUrl.replace(/\/+$/u, "")), { contentType: "text/plain; charset=utf-8" })
  )
  return HttpRouter.add("GET", "/llms.txt", ({ headers }) => Effect.succeed(prepared(headers)))
}
