/** Values as pages show them: ids that can be copied, amounts that are cut, and the exact ones on demand. */
import {
  amountText,
  roundedAmountText,
  roundedText,
  usdText,
  utcText
} from "../../../src/domain/timeline/DisplayText.ts"
import type { TimelineAmount, TimelineTransaction } from "../../../src/domain/timeline/RequestTimeline.ts"
import { html } from "./Html.ts"
import type { Html } from "./Html.ts"

/** The last characters of an id, which stay visible when the whole id does not fit. */
const TAIL = 6

/** The whole id is in the text, so that a selection holds all of it. The style cuts a long id in the middle. */
const idText = (text: string): Html =>
  html`<code class="id"><span>${text.slice(0, -TAIL)}</span><span>${text.slice(-TAIL)}</span></code>`

/** The script copies the text of the element before the button. Without a script the button is not shown. */
const copyButton = (what: string): Html =>
  html`<button class="copy" type="button" aria-label="Copy ${what}">Copy</button>`

const copyable = (shown: Html, what: string): Html => html`<span class="copyable">${shown}${copyButton(what)}</span>`

/** `what` names the value for the button that copies it. */
export const id = (text: string, what: string): Html => copyable(idText(text), what)

export const transaction = ({ id: text, url }: TimelineTransaction, what: string): Html =>
  copyable(
    url === null ? idText(text) : html`<a class="tx" href="${url}" rel="noreferrer noopener">${idText(text)}</a>`,
    what
  )

export const usd = (amount: TimelineAmount): Html | undefined => {
  const text = usdText(amount)
  return text === undefined ? undefined : html` <span class="usd">≈&#8239;${text}</span>`
}

const isCut = ({ text }: TimelineAmount): boolean => roundedText(text).endsWith("…")

/** Cut to six significant digits; the title has the exact amount. */
export const rounded = (amount: TimelineAmount): Html =>
  isCut(amount)
    ? html`<span class="money" title="${amountText(amount)}">${roundedAmountText(amount)}</span>`
    : html`<span class="money">${roundedAmountText(amount)}</span>`

export const money = (amount: TimelineAmount): Html => html`${rounded(amount)}${usd(amount)}`

/** An exact amount to pay. What is copied is the number alone, as wallets take it. */
export const payable = ({ symbol, text }: TimelineAmount): Html =>
  html`<code class="exact">${text}</code> ${symbol} ${copyButton("the amount")}`

export interface LabelledAmount {
  readonly label: string
  readonly amount: TimelineAmount
}

/** The exact amounts of a section where any is cut: for keyboards, touch and screen readers, which get no title. */
export const exactAmounts = (section: string, amounts: ReadonlyArray<LabelledAmount>): Html | undefined => {
  const cut = amounts.filter(({ amount }) => isCut(amount))
  return cut.length === 0
    ? undefined
    : html`<details id="${section}-exact"><summary>Exact amounts</summary><dl class="rows">${
      cut.map(({ amount, label }) =>
        html`<div><dt>${label}</dt><dd>${amountText(amount)}</dd></div>
`
      )
    }</dl></details>`
}

export const time = (at: number): Html => html`<time datetime="${new Date(at).toISOString()}">${utcText(at)}</time>`
