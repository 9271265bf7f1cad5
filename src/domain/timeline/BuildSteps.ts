/**
 * What happened to a request, in order: the quote, deposits, payments, and the changes of state that people should know
 * about.
 *
 * Changes of state have this service's time and transactions the time of their block, and clocks differ. So the quote
 * always comes first, and the filled deposit comes before everything that followed from it, whatever the clocks say.
 */
import type { Status } from "../transfer/Status.ts"
import { isTerminal } from "../transfer/Status.ts"
import { reasons } from "./StatusSentences.ts"
import type { TimelineStep } from "./RequestTimeline.ts"
import { amountOn, quotedAmount } from "./TimelineMoney.ts"
import { chainOf, fallbackOf, filledDepositOf, fillOf, transactionOf } from "./TimelineRecord.ts"
import type { TimelineSource, TimelineEvent } from "./TimelineRecord.ts"

/** A step with the time that it is sorted by, milliseconds. */
interface Placed {
  readonly step: TimelineStep
  readonly key: number
}

const nothing = { chain: null, amount: null, transaction: null } as const

const millis = (seconds: number): number => seconds * 1_000

const quoted = (told: TimelineSource): Placed => {
  const { details } = told.transfer.quote
  const { quotedAt, terms: { destinationChainId } } = told.transfer
  return {
    key: Number.NEGATIVE_INFINITY,
    step: {
      kind: "quoted",
      at: quotedAt,
      text: `Quote made, to arrive on ${chainOf(told, destinationChainId).name}`,
      ...nothing,
      amount: quotedAmount(details.currencyOut)
    }
  }
}

/** When the first reaction to a deposit happened: the deposit was seen before that. */
const firstAnswer = ({ events }: TimelineSource): number =>
  events.find(({ status }) => status !== "waiting")?.at ?? Number.POSITIVE_INFINITY

const deposits = (told: TimelineSource): ReadonlyArray<Placed> => {
  const claiming = filledDepositOf(told) ?? told.deposits[0]?.deposit
  return told.deposits.map(({ deposit }) => {
    const { amount, block, chainId, currency, onchainId, transactionId } = deposit
    const at = millis(block.time)
    const chain = chainOf(told, chainId)
    return {
      key: onchainId === claiming?.onchainId ? Math.min(at, firstAnswer(told)) : at,
      step: {
        kind: "deposit",
        at,
        text: `Deposited on ${chain.name}`,
        chain,
        amount: amountOn(told, chainId, currency, amount),
        transaction: transactionOf(told, chainId, transactionId)
      }
    }
  })
}

/** The user's own transaction of a direct payment: deposit and delivery at once. */
const sends = (told: TimelineSource): ReadonlyArray<Placed> => {
  const { send, transfer: { terms: { amountIn, originChainId, originCurrency } } } = told
  if (send === undefined) return []
  const at = millis(send.block.time)
  const chain = chainOf(told, originChainId)
  return [{
    key: Math.min(at, firstAnswer(told)),
    step: {
      kind: "deposit",
      at,
      text: `Paid to the recipient on ${chain.name}`,
      chain,
      amount: amountOn(told, originChainId, originCurrency, amountIn),
      transaction: transactionOf(told, originChainId, send.transactionId)
    }
  }]
}

/** The payment on the destination, shown for the change of state that it caused. */
const payment = (told: TimelineSource, kind: "sent" | "delivered", at: number): TimelineStep => {
  const fill = fillOf(told)
  const chain = chainOf(told, fill?.chainId ?? told.transfer.terms.destinationChainId)
  return {
    kind,
    at,
    chain,
    text: kind === "sent"
      ? `Payment sent on ${chain.name}`
      : `${
        fallbackOf(told) === undefined ? "Arrived" : "Arrived instead of the exchange, which could not be made,"
      } on ${chain.name}`,
    amount: fill === undefined ? null : amountOn(told, fill.chainId, fill.currency, fill.amount),
    transaction: fill === undefined ? null : transactionOf(told, fill.chainId, fill.transactionId)
  }
}

const ofEvent = (
  told: TimelineSource,
  { at, failReason, status }: TimelineEvent,
  before: Status | undefined
): TimelineStep | undefined => {
  switch (status) {
    case "waiting":
      return before === undefined
        ? undefined
        : { kind: "lost", at, text: `${reasons.DEPOSIT_REORGED} It is waited for again.`, ...nothing }
    case "depositing":
      // The deposit itself is already shown.
      return undefined
    case "pending":
      return {
        kind: "confirmed",
        at,
        text: "Deposit confirmed",
        ...nothing,
        chain: chainOf(told, told.transfer.terms.originChainId)
      }
    case "submitted":
      return payment(told, "sent", at)
    case "delayed":
      return { kind: "delayed", at, text: "It takes longer than expected", ...nothing }
    case "success":
      return told.send === undefined
        ? payment(told, "delivered", at)
        : {
          kind: "delivered",
          at,
          text: "Confirmed",
          ...nothing,
          chain: chainOf(told, told.transfer.terms.originChainId)
        }
    case "refund":
      // Its refunds are shown one by one.
      return told.refunds.some(({ payment }) => payment !== undefined)
        ? undefined
        : { kind: "refund", at, text: "Sent back", ...nothing }
    case "failure":
      return { kind: "failed", at, text: `Neither paid nor sent back. ${reasons[failReason ?? "UNKNOWN"]}`, ...nothing }
  }
}

const changes = (told: TimelineSource): ReadonlyArray<Placed> =>
  told.events.flatMap((event, index) => {
    const step = ofEvent(told, event, told.events[index - 1]?.status)
    return step === undefined ? [] : [{ step, key: event.at }]
  })

const refundText: Readonly<Record<TimelineSource["refunds"][number]["state"], string>> = {
  submitted: "Being sent back",
  paid: "Sent back",
  failed: "Sending back failed",
  held: "",
  recorded: ""
}

const refunds = (told: TimelineSource): ReadonlyArray<Placed> =>
  told.refunds.flatMap(({ deposit: { chainId, currency }, payment, state }) => {
    if (payment === undefined) return []
    const block = told.payments.find(({ transactionId }) => transactionId === payment.transactionId)?.block ?? null
    const ended = told.events.find(({ status }) => isTerminal(status))?.at
    const at = block === null ? null : millis(block.time)
    const chain = chainOf(told, chainId)
    return [{
      key: Math.max(at ?? Number.POSITIVE_INFINITY, told.transfer.status === "refund" ? ended ?? 0 : 0),
      step: {
        kind: "refund" as const,
        at,
        text: `${refundText[state]} on ${chain.name}`,
        chain,
        amount: amountOn(told, chainId, currency, payment.amount),
        transaction: transactionOf(told, chainId, payment.transactionId)
      }
    }]
  })

/** Oldest first; transactions that are in no block yet come last. */
export const buildSteps = (told: TimelineSource): ReadonlyArray<TimelineStep> =>
  [quoted(told), ...deposits(told), ...sends(told), ...changes(told), ...refunds(told)]
    .toSorted((a, b) => a.key < b.key ? -1 : a.key > b.key ? 1 : 0)
    .map(({ step }) => step)
