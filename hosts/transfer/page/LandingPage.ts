/** `/`: what the service is, a search for any id, the last transfers, the chains and their state, the documents. */
import type { Page } from "./Document.ts"
import { html } from "./Html.ts"
import type { Html } from "./Html.ts"

/** A chain as the page shows it. */
export interface ShownChain {
  readonly name: string
  readonly symbols: ReadonlyArray<string>
  readonly state: "open" | "paused" | "not served now"
}

/** A transfer in a list. */
export interface FoundTransfer {
  readonly id: string
  readonly status: string
  /** An amount and a chain. */
  readonly from: string
  readonly to: string
}

const search = (text: string): Html =>
  html`<form class="search" action="search" method="get" role="search"><input name="q" value="${text}" maxlength="128" required aria-label="Request id, order id, transaction or deposit address" placeholder="Any id, hash or address" autocomplete="off" spellcheck="false"><button type="submit">Find</button></form>`

const dots = { open: "good", paused: "warn", "not served now": "bad" } as const

const chain = ({ name, state, symbols }: ShownChain): Html =>
  html`<div><dt>${name}</dt><dd class="chain"><span class="mark ${dots[state]}">${state}</span><span>${
    [...new Set(symbols)].join(", ")
  }</span></dd></div>
`

const statusMarks: Readonly<Record<string, string>> = {
  success: "good",
  refund: "warn",
  delayed: "warn",
  failure: "bad"
}

const foundRow = ({ from, id, status, to }: FoundTransfer): Html =>
  html`<li><p class="told"><a href="requests/${id}">${from} → ${to}</a></p><p class="when"><span class="mark ${
    statusMarks[status] ?? "busy"
  }">${status}</span></p><code class="id"><span>${id.slice(0, -6)}</span><span>${id.slice(-6)}</span></code></li>
`

const recentTransfers = (recent: ReadonlyArray<FoundTransfer>): Html =>
  html`<section aria-labelledby="recent-title"><h2 id="recent-title">Recent transfers</h2>${
    recent.length === 0
      ? html`<p class="note">None yet. A transfer is listed once its recipient or its sender was paid.</p>`
      : html`<ul class="legs">
${recent.map(foundRow)}</ul>`
  }</section>`

export interface LandingView {
  readonly chains: ReadonlyArray<ShownChain>
  /** The last first. */
  readonly recent: ReadonlyArray<FoundTransfer>
}

export const landingPage = ({ chains, recent }: LandingView): Page => ({
  status: 200,
  title: "Causeway transfer service",
  hasForm: true,
  body: html`<main>
<header><p class="brand">Causeway</p><h1>Transfer service</h1><p class="explanation">Quotes transfers between chains, pays each recipient once, and returns what it cannot pay.</p></header>
<section aria-labelledby="find-title"><h2 id="find-title">Find a transfer</h2>${search("")}</section>
${recentTransfers(recent)}
<section aria-labelledby="chains-title"><h2 id="chains-title">Chains</h2><dl class="rows">
${chains.map(chain)}</dl></section>
<section aria-labelledby="documents-title"><h2 id="documents-title">Documents</h2><ul>
<li><a href="dashboard">The dashboard: keys, app balance, webhooks, costs</a></li>
<li><a href="documentation">The API, to read and to try</a></li>
<li><a href="openapi.json">The same as an OpenAPI document</a></li>
<li><a href="llms.txt">In short, for language models</a></li>
<li><a href="ready">The state of each chain as JSON</a></li>
<li><a href="chains">Chains, currencies and contracts as JSON</a></li>
</ul></section>
</main>`
})

/** Several transfers, or none. */
const unknown =
  "No request, order, transaction or deposit address of this service is written like that. Quotes that were never paid are forgotten after some days."

/** A list of somebody's transfers is for the key that asked for them (HISTORY-1). */
const ofSomebody = (chain: string): string =>
  `This is an address of ${chain}, and no deposit address of this service. A list of its transfers is shown only to the key that asked for them: in the dashboard, and by GET /requests. Each single one is found here by its transaction, which an explorer of the chain lists for this address.`

/** `addressOf`: the chain of which the text is an address. */
export const searchPage = (
  text: string,
  found: ReadonlyArray<FoundTransfer>,
  addressOf: string | undefined
): Page => ({
  status: found.length === 0 ? 404 : 200,
  title: found.length === 0 ? "Nothing found" : `${found.length} transfers`,
  hasForm: true,
  body: html`<main>
<header><p class="brand"><a href="./">Causeway</a></p><h1>${
    found.length === 0 ? "Nothing found" : `${found.length} transfers`
  }</h1><p class="explanation">${
    found.length > 0 ? "The newest first." : addressOf === undefined ? unknown : ofSomebody(addressOf)
  }</p></header>
<section aria-label="Search">${search(text)}</section>
${
    found.length === 0 ? undefined : html`<section aria-label="Transfers"><ul class="legs">
${found.map(foundRow)}</ul></section>`
  }
</main>`
})
