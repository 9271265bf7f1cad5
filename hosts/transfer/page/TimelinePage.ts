/**
 * A timeline as a page. It is complete without a script, which only replaces sections with newer ones. It adds only
 * labels: the texts are the timeline's (src/domain/timeline).
 */
import { durationText, roundedAmountText, thousandths } from "../../../src/domain/timeline/DisplayText.ts"
import type {
  RequestTimeline,
  TimelineAmount,
  TimelineFee,
  TimelineFees,
  TimelineRefund,
  TimelineSettlement,
  TimelineStep
} from "../../../src/domain/timeline/RequestTimeline.ts"
import type { Page } from "./Document.ts"
import { html } from "./Html.ts"
import type { Html } from "./Html.ts"
import { qrCode } from "./QrCode.ts"
import { exactAmounts, id, money, payable, rounded, time, transaction, usd } from "./Values.ts"
import type { LabelledAmount } from "./Values.ts"

const side = (label: string, amount: TimelineAmount, chain: string): Html =>
  html`<div class="side"><dt>${label}</dt><dd><strong>${rounded(amount)}</strong>${
    usd(amount)
  }<span class="on">on ${chain}</span></dd></div>`

/** True when the transfer did not happen, so it must not be shown as if it had. */
const isVoid = ({ status }: RequestTimeline): boolean => status === "refund" || status === "failure"

const what = (timeline: RequestTimeline): Html => {
  const [from, to] = isVoid(timeline) ? ["Was quoted for", "Was to arrive"] as const : ["From", "To"] as const
  return html`<section id="what" aria-label="What is transferred"><dl class="sides">${
    side(from, timeline.gives, timeline.origin.name)
  }<div class="arrow" aria-hidden="true"></div>${side(to, timeline.gets, timeline.destination.name)}</dl>${
    exactAmounts("what", [{ label: from, amount: timeline.gives }, { label: to, amount: timeline.gets }])
  }</section>`
}

/** The payment that a deposit address waits for. It is exact: less would go back. */
const payment = ({ payment: awaited }: RequestTimeline): Html => {
  if (awaited === null) return html`<section id="payment" hidden></section>`
  const { address, amount, chain, uri } = awaited
  return html`<section id="payment" aria-labelledby="payment-title"><h2 id="payment-title">Pay to this address</h2><div class="payment">${
    qrCode(uri, `QR code of the deposit address on ${chain.name}, for a wallet`)
  }<dl class="rows">${row("Amount, exactly", payable(amount))}${row("On", chain.name)}${
    row("To", id(address, "the address to pay to"))
  }${row("On this device", uri === address ? null : html`<a href="${uri}">Open a wallet</a>`)}</dl></div></section>`
}

/** The last time before a step; undefined for the first, and before steps whose transactions are in no block. */
const timeBefore = (steps: ReadonlyArray<TimelineStep>, index: number): number | undefined =>
  steps.slice(0, index).findLast(({ at }) => at !== null)?.at ?? undefined

/** Blocks and this service have different clocks. A step that seems to be before the last one gets no duration. */
const later = (at: number, before: number | undefined): Html | undefined =>
  before === undefined || at < before
    ? undefined
    : html` <span class="later">· ${durationText(at - before)} later</span>`

const step = (
  { amount, at, kind, text, transaction: made }: TimelineStep,
  index: number,
  steps: ReadonlyArray<TimelineStep>
): Html =>
  html`<li class="${kind}"><p class="told">${text}</p>${
    amount === null ? undefined : html`<p class="amount">${rounded(amount)}</p>`
  }
<p class="when">${at === null ? "in no block yet" : html`${time(at)}${later(at, timeBefore(steps, index))}`}</p>${
    made === null ? undefined : transaction(made, "the transaction’s id")
  }</li>
`

const next = ({ next: following }: RequestTimeline): Html | undefined =>
  following === null
    ? undefined
    : html`<li class="next"><p class="told"><span class="label">Next</span> ${following.text}</p><p class="when">Waits for ${following.waitsFor}.</p></li>`

const happened = (timeline: RequestTimeline): Html =>
  html`<section id="happened" aria-labelledby="happened-title"><h2 id="happened-title">What happened</h2>
<ol class="steps">
${timeline.steps.map(step)}${next(timeline)}</ol>${
    exactAmounts(
      "happened",
      timeline.steps.flatMap(({ amount, text }) => amount === null ? [] : [{ label: text, amount }])
    )
  }</section>`

const percent = (per: number): string => `${Math.floor(per / 10)}.${per % 10}%`

/** The sender's part first, then the sponsor's. The text beside it says the same. */
const bar = ({ sender, sponsor }: Pick<TimelineFee, "sender" | "sponsor">, whole: bigint): Html => {
  const own = thousandths(sender, whole)
  const theirs = Math.min(thousandths(sponsor, whole), 1_000 - own)
  const rect = (name: string, from: number, width: number) =>
    width === 0
      ? undefined
      : html`<rect class="${name}" x="${percent(from)}" width="${percent(width)}" height="100%"></rect>`
  return html`<svg class="bar" aria-hidden="true" focusable="false">${rect("sender", 0, own)}${
    rect("sponsor", own, theirs)
  }</svg>`
}

const payer = (who: "sender" | "sponsor", amount: TimelineAmount): Html | undefined =>
  amount.units === "0"
    ? undefined
    : html`<span class="payer ${who}">${who === "sender" ? "Sender" : "Sponsor"} ${money(amount)}</span>`

const fee = (part: TimelineFee, whole: bigint): Html =>
  html`<li><p class="fee"><span class="name">${part.name}</span> <span class="about">${part.about}</span></p>${
    bar(part, whole)
  }<p class="payers">${payer("sender", part.sender)}${payer("sponsor", part.sponsor)}</p></li>
`

const wallet = ({ wallet: gas }: TimelineFees): Html | undefined =>
  gas === null
    ? undefined
    : html`<p class="note">The gas of the deposit is not among them: for that the sender’s wallet pays the chain about ${
      money(gas)
    }.</p>`

const shares = (fees: TimelineFees): Html => {
  if (fees.basis === "none") return html`<p class="note">${fees.note}</p>`
  if (fees.parts.length === 0) return html`<p class="note">There are none.</p>`
  const whole = BigInt(fees.total.units)
  return html`<p class="whole">${money(fees.total)}</p>${bar(fees, whole)}<p class="payers">${
    payer("sender", fees.sender)
  }${payer("sponsor", fees.sponsor)}</p>
<p class="note">${fees.note}</p><ul class="parts">
${fees.parts.map((part) => fee(part, whole))}</ul>`
}

/** Each part, split where a sponsor pays some of it, and the gas of the wallet. */
const feeAmounts = (
  { basis, parts, sender, sponsor, total, wallet: gas }: TimelineFees
): ReadonlyArray<LabelledAmount> => [
  ...(basis === "none" ? [] : [{ name: "Together", total, sender, sponsor }, ...parts]).flatMap((part) => [
    { label: part.name, amount: part.total },
    ...(part.sponsor.units === "0" ? [] : [
      { label: `${part.name}, sender`, amount: part.sender },
      { label: `${part.name}, sponsor`, amount: part.sponsor }
    ])
  ]),
  ...(gas === null ? [] : [{ label: "Gas of the deposit", amount: gas }])
]

const feesOf = ({ fees }: RequestTimeline): Html =>
  html`<section id="fees" aria-labelledby="fees-title"><h2 id="fees-title">Fees, and who pays them</h2>
${shares(fees)}${wallet(fees)}${exactAmounts("fees", feeAmounts(fees))}</section>`

const row = (label: string, value: Html | string | null): Html | undefined =>
  value === null ? undefined : html`<div><dt>${label}</dt><dd>${value}</dd></div>`

const refund = (leg: TimelineRefund): Html =>
  html`<li class="${leg.state}"><p class="told">${leg.text}</p><p class="why">${leg.reason}</p>
<dl class="rows">${row("Deposited", html`${money(leg.amount)} on ${leg.chain.name}`)}${
    row("Its gas", leg.gas === null ? null : money(leg.gas))
  }${row("Goes back", leg.refunded === null ? null : money(leg.refunded))}${
    row("To", leg.recipient === null ? null : id(leg.recipient, "the refund’s recipient"))
  }${row("Deposit", transaction(leg.deposit, "the deposit’s id"))}${
    row("Refund", leg.transaction === null ? null : transaction(leg.transaction, "the refund’s id"))
  }</dl></li>
`

const refundsOf = ({ refunds }: RequestTimeline): Html =>
  refunds.length === 0
    ? html`<section id="refunds" hidden></section>`
    : html`<section id="refunds" aria-labelledby="refunds-title"><h2 id="refunds-title">Refunds</h2><ul class="legs">
${refunds.map(refund)}</ul>${
      exactAmounts(
        "refunds",
        refunds.flatMap(({ amount, gas, refunded }) => [
          { label: "Deposited", amount },
          ...(gas === null ? [] : [{ label: "Its gas", amount: gas }]),
          ...(refunded === null ? [] : [{ label: "Goes back", amount: refunded }])
        ])
      )
    }</section>`

const settlement = ({ deposit, state, text, transaction: made }: TimelineSettlement): Html =>
  html`<li class="${state}"><p class="told">${text}</p><dl class="rows">${
    row("Deposit", transaction(deposit, "the deposit’s id"))
  }${row("On the hub", made === null ? null : transaction(made, "the settlement’s id"))}</dl></li>
`

const settlementsOf = ({ settlements }: RequestTimeline): Html =>
  settlements.length === 0
    ? html`<section id="settlement" hidden></section>`
    : html`<section id="settlement" aria-labelledby="settlement-title"><h2 id="settlement-title">Settlement</h2><p class="note">Between the solver and the hub, as of when this page was loaded. Nothing of it concerns sender or recipient.</p><ul class="legs">
${settlements.map(settlement)}</ul></section>`

/** Relative, as the paths of the script. A browser asks `/requests/:id` for a page, so it links to the data behind it. */
const asJson = ({ id: request }: RequestTimeline): Html =>
  html`<a href="../intents/status?requestId=${request}">status</a>, <a href="../requests?id=${request}">history</a>`

const details = (timeline: RequestTimeline): Html =>
  html`<section id="details" aria-labelledby="details-title"><h2 id="details-title">Details</h2><dl class="rows">
${row("Request", id(timeline.id, "the request’s id"))}${row("Sender", id(timeline.sender, "the sender’s address"))}${
    row("Recipient", id(timeline.recipient, "the recipient’s address"))
  }${
    row("Deposit address", timeline.depositAddress === null ? null : id(timeline.depositAddress, "the deposit address"))
  }${
    row("At least", timeline.live === "stream" ? html`${money(timeline.least)} arrive, or ${timeline.otherwise}` : null)
  }${row("Asked for by", timeline.referrer)}${row("Last change", time(timeline.updatedAt))}${
    row("As JSON", asJson(timeline))
  }</dl>${
    exactAmounts("details", timeline.live === "stream" ? [{ label: "At least", amount: timeline.least }] : [])
  }</section>`

export const timelinePage = (timeline: RequestTimeline): Page => ({
  status: 200,
  title: `${timeline.headline} · ${roundedAmountText(timeline.gives)} to ${timeline.destination.name}`,
  body: html`<main class="${timeline.status}" data-request="${timeline.id}" data-live="${timeline.live}">
<header><p class="brand">Transfer from ${timeline.origin.name} to ${timeline.destination.name}</p>
<div id="state" aria-live="polite" aria-atomic="true"><h1><span class="dot" aria-hidden="true"></span>${timeline.headline}</h1><p class="explanation">${timeline.explanation}</p></div></header>
${what(timeline)}
${payment(timeline)}
${happened(timeline)}
${refundsOf(timeline)}
${feesOf(timeline)}
${settlementsOf(timeline)}
${details(timeline)}
<footer><p id="connection" role="status"></p><p id="copied" role="status"></p><noscript><p>Without JavaScript this page does not change by itself: load it again to see what is new.</p></noscript></footer>
</main>`
})

/** A page for an id that is malformed or unknown. */
export const sorryPage = (status: number, title: string, sentence: string): Page => ({
  status,
  title,
  body:
    html`<main class="sorry"><header><p class="brand">Transfer</p><h1>${title}</h1><p class="explanation">${sentence}</p></header></main>`
})
