/**
 * Builds the timeline of a request from its record (`RequestTimeline.ts`): the one place that decides what people read about a
 * request.
 */
import { fallsBack } from "../transfer/Transfer.ts"
import { isTerminal } from "../transfer/Status.ts"
import type { Status } from "../transfer/Status.ts"
import { excessReason, headlines, reasons } from "./StatusSentences.ts"
import type { RequestTimeline, TimelineRefund } from "./RequestTimeline.ts"
import { amountOn, quotedAmount } from "./TimelineMoney.ts"
import { chainOf, fallbackOf, filledDepositOf, fillOf, transactionOf } from "./TimelineRecord.ts"
import type { TimelineSource, TimelineRefundRecord } from "./TimelineRecord.ts"
import { buildFees } from "./BuildFees.ts"
import { buildPayment } from "./BuildPayment.ts"
import { buildSettlements } from "./BuildSettlements.ts"
import { buildSteps } from "./BuildSteps.ts"

const legText: Readonly<Record<TimelineRefundRecord["state"], string>> = {
  submitted: "On its way back",
  paid: "Sent back",
  failed: "Sending it back failed on its chain",
  held:
    "Not sent back yet: held back by UNATTESTED_REFUNDS_USD, the operator’s limit on what goes back in a day without being attested",
  recorded: "Kept on record: not worth the gas of sending it back"
}

const refund = (told: TimelineSource) =>
(
  { amount, deposit, kind, payment, reason, state }: TimelineRefundRecord
): TimelineRefund => {
  const { chainId, currency, transactionId } = deposit
  return {
    state,
    text: legText[state],
    reason: kind === "excess" ? excessReason : reasons[reason ?? "UNKNOWN"],
    chain: chainOf(told, chainId),
    amount: amountOn(told, chainId, currency, amount),
    gas: payment === undefined ? null : amountOn(told, chainId, currency, amount - payment.amount),
    refunded: payment === undefined ? null : amountOn(told, chainId, currency, payment.amount),
    recipient: payment?.recipient ?? null,
    deposit: transactionOf(told, chainId, transactionId),
    transaction: payment === undefined ? null : transactionOf(told, chainId, payment.transactionId)
  }
}

/** The state in a sentence. */
const explain = (told: TimelineSource): string => {
  const { failReason, status, terms } = told.transfer
  const origin = chainOf(told, terms.originChainId).name
  const destination = chainOf(told, terms.destinationChainId).name
  switch (status) {
    case "waiting":
      return `Nothing was seen on ${origin} yet.`
    case "depositing":
      return `The deposit is on ${origin} and is being confirmed.`
    case "pending":
      return `The payment on ${destination} is being made.`
    case "submitted":
      return `The payment is on its way into a block of ${destination}.`
    case "delayed":
      return "Nothing is lost: either the payment is made, or the deposit goes back."
    case "success": {
      const instead = fallbackOf(told)
      if (instead === undefined) return `The payment was made on ${destination}.`
      const [got, quoted] = [
        amountOn(told, instead.chainId, instead.currency, instead.amount),
        quotedAmount(told.transfer.quote.details.currencyOut)
      ]
      return `The exchange on ${destination} could not be made: ${got.text} ${got.symbol} arrived there instead of ${quoted.text} ${quoted.symbol}.`
    }
    case "refund":
      return reasons[failReason ?? "UNKNOWN"]
    case "failure":
      return `${reasons[failReason ?? "UNKNOWN"]} Nothing was delivered, and nothing more will be sent back.`
  }
}

/** What comes next, for the states that have a next step. */
const following = (told: TimelineSource): Readonly<Partial<Record<Status, Exclude<RequestTimeline["next"], null>>>> => {
  const { quote: { details }, terms } = told.transfer
  const origin = chainOf(told, terms.originChainId).name
  const destination = chainOf(told, terms.destinationChainId).name
  const { text, symbol } = quotedAmount(details.currencyIn)
  const where = terms.depositAddress === undefined ? `by ${terms.user}` : `to ${terms.depositAddress.address}`
  const paid = `The payment on ${destination} is made`
  return {
    waiting: terms.send === true
      ? { text: `${terms.user} pays the recipient`, waitsFor: `a payment of ${text} ${symbol} on ${origin}` }
      : terms.userSwap !== undefined
      ? { text: `${terms.user} makes the swap`, waitsFor: `its transaction of ${text} ${symbol} on ${origin}` }
      : { text: "The deposit is made", waitsFor: `${text} ${symbol} on ${origin}, ${where}` },
    depositing: { text: paid, waitsFor: `the blocks of ${origin} that confirm the deposit` },
    pending: { text: paid, waitsFor: `its transaction on ${destination}` },
    submitted: { text: `It arrives on ${destination}`, waitsFor: `a block of ${destination} that holds the payment` },
    delayed: { text: `${paid}, or the deposit goes back`, waitsFor: `funds on ${destination}, or its network` }
  }
}

const nextOf = (told: TimelineSource): RequestTimeline["next"] => {
  const { feeSponsorship, refunds, transfer: { status, terms } } = told
  const held = refunds.find(({ state }) => state === "held")
  const back = held === undefined ? undefined : {
    text: `The deposit on ${chainOf(told, held.deposit.chainId).name} goes back`,
    waitsFor: "the operator: UNATTESTED_REFUNDS_USD holds it back until there is room under it, or somebody has decided"
  }
  // A request that waits for its payment shows that, whatever is held of strangers' deposits.
  if (status === "delayed" && back !== undefined && fillOf(told) === undefined) return back
  const next = following(told)[status]
  if (next !== undefined) return next
  const leg = refunds.find(({ state }) => state === "submitted")
  if (leg !== undefined) {
    const { name } = chainOf(told, leg.deposit.chainId)
    return { text: `A refund arrives on ${name}`, waitsFor: `a block of ${name} that holds it` }
  }
  if (back !== undefined) return back
  const isOpen = feeSponsorship !== undefined && feeSponsorship.actual === undefined &&
    feeSponsorship.quoted.sponsoredTotal.amount !== "0"
  return status === "success" && isOpen
    ? {
      text: "The fees are known as they really were",
      waitsFor: `the payment to be final on ${chainOf(told, terms.destinationChainId).name}`
    }
    : null
}

/** The minimum that arrives. For a swap this is what the swap gives, not what is paid for it. */
const leastOf = (told: TimelineSource) => {
  const { destinationChainId, destinationCurrency, destinationSwap: swap, minimumOut } = told.transfer.terms
  return swap === undefined
    ? amountOn(told, destinationChainId, destinationCurrency, minimumOut)
    : amountOn(told, destinationChainId, swap.currency, swap.minimumOut)
}

export const buildTimeline = (told: TimelineSource): RequestTimeline => {
  const { id, quote: { details }, quotedAt, status, terms, updatedAt } = told.transfer
  const [deposit, fill] = [filledDepositOf(told), fillOf(told)]
  const next = nextOf(told)
  const bridged = amountOn(told, terms.destinationChainId, terms.destinationCurrency, terms.amountOut)
  return {
    id,
    status,
    headline: headlines[status],
    explanation: explain(told),
    live: !isTerminal(status) ? "stream" : next === null ? "none" : "poll",
    quotedAt,
    updatedAt,
    origin: chainOf(told, terms.originChainId),
    destination: chainOf(told, terms.destinationChainId),
    gives: deposit === undefined
      ? quotedAmount(details.currencyIn)
      : amountOn(told, deposit.chainId, deposit.currency, deposit.amount),
    gets: fill === undefined || (terms.destinationSwap !== undefined && fallbackOf(told) === undefined)
      ? quotedAmount(details.currencyOut)
      : amountOn(told, fill.chainId, fill.currency, fill.amount),
    least: leastOf(told),
    otherwise: fallsBack(terms) ? `${bridged.text} ${bridged.symbol} do` : "the deposit goes back",
    sender: terms.user,
    recipient: terms.recipient,
    depositAddress: terms.depositAddress?.address ?? null,
    referrer: terms.referrer ?? null,
    steps: buildSteps(told),
    next,
    fees: buildFees(told),
    refunds: told.refunds.map(refund(told)),
    payment: buildPayment(told),
    settlements: buildSettlements(told)
  }
}
