/**
 * The request timeline, for people: what happened with transactions, what comes next and what it waits for, who paid
 * which fee, what was returned. The page, the terminal and programs all show this one value (STATUS-6).
 *
 * SECURITY: it holds what status and history by id show to anybody, and nothing else: no key, no sponsor's wallet, no
 * other user's request. Its texts may have been written by strangers (names of tokens), so code that displays one must
 * escape it.
 */
import * as Schema from "effect/Schema"
import { Status } from "../transfer/Status.ts"

/** An exact amount: `units` are the currency's smallest, signed; `usd` has six decimals, at the prices of the quote. */
export const TimelineAmount = Schema.Struct({
  units: Schema.String.check(Schema.isPattern(/^-?\d+$/u)).annotate({ description: "smallest units" }),
  text: Schema.String.annotate({
    description: "whole units, exact; smallest units when the currency is none of the chain's"
  }),
  symbol: Schema.String.annotate({ description: "the currency's symbol, or its address" }),
  usd: Schema.NullOr(
    Schema.String.annotate({
      description: "dollars with six decimals at the quote's prices; null when there was no price"
    })
  )
})
export type TimelineAmount = typeof TimelineAmount.Type

/** `url` leads to the chain's explorer; null when the chain's configuration has none. */
export const TimelineTransaction = Schema.Struct({ id: Schema.String, url: Schema.NullOr(Schema.String) })
export type TimelineTransaction = typeof TimelineTransaction.Type

/** A chain as pages name it. */
export const TimelineChain = Schema.Struct({ id: Schema.Int, name: Schema.String })
export type TimelineChain = typeof TimelineChain.Type

/** Something that happened. A time is in milliseconds; null while a transaction is in no block. */
export const TimelineStep = Schema.Struct({
  kind: Schema.Literals(["quoted", "deposit", "confirmed", "lost", "delayed", "sent", "delivered", "refund", "failed"]),
  at: Schema.NullOr(Schema.Int.annotate({ description: "milliseconds; null while the transaction is in no block" })),
  text: Schema.String,
  chain: Schema.NullOr(TimelineChain),
  amount: Schema.NullOr(TimelineAmount),
  transaction: Schema.NullOr(TimelineTransaction)
})
export type TimelineStep = typeof TimelineStep.Type

/** One part of the fees; sender + sponsor = total, exactly. */
export const TimelineFee = Schema.Struct({
  name: Schema.String,
  about: Schema.String.annotate({ description: "what it is for" }),
  total: TimelineAmount,
  sender: TimelineAmount,
  sponsor: TimelineAmount
})
export type TimelineFee = typeof TimelineFee.Type

/** The fees of a request, each with its amount and who pays it. */
export const TimelineFees = Schema.Struct({
  basis: Schema.Literals(["quoted", "actual", "none"]).annotate({
    description:
      "`quoted`: as the quote said; `actual`: from what the payment really cost; `none`: quoted, and never charged"
  }),
  note: Schema.String,
  parts: Schema.Array(TimelineFee).annotate({ description: "they add up to total, sender and sponsor" }),
  total: TimelineAmount,
  sender: TimelineAmount,
  sponsor: TimelineAmount,
  wallet: Schema.NullOr(
    TimelineAmount.annotate({
      description: "beside the fees: gas of the deposit, which the sender's wallet pays to the chain, as estimated"
    })
  )
})
export type TimelineFees = typeof TimelineFees.Type

/** The part of a deposit that is returned. */
export const TimelineRefund = Schema.Struct({
  state: Schema.Literals(["submitted", "paid", "failed", "held", "recorded"]),
  text: Schema.String.annotate({ description: "how it stands" }),
  reason: Schema.String.annotate({ description: "why it goes back" }),
  chain: TimelineChain,
  amount: TimelineAmount,
  gas: Schema.NullOr(TimelineAmount.annotate({ description: "what was taken off for sending it back" })),
  refunded: Schema.NullOr(TimelineAmount.annotate({ description: "amount less gas" })),
  recipient: Schema.NullOr(Schema.String),
  deposit: TimelineTransaction,
  transaction: Schema.NullOr(TimelineTransaction)
})
export type TimelineRefund = typeof TimelineRefund.Type

/** A deposit address that waits for its first deposit, and the exact amount that it waits for. */
export const AwaitedPayment = Schema.Struct({
  address: Schema.String,
  chain: TimelineChain,
  amount: TimelineAmount,
  uri: Schema.String.annotate({
    description:
      "for a QR code: the payment as wallets of the chain read it, or the address alone where they read no more"
  })
})
export type AwaitedPayment = typeof AwaitedPayment.Type

/** How far the hub has credited the solver for one deposit. Nothing of it concerns the sender or the recipient. */
export const TimelineSettlement = Schema.Struct({
  state: Schema.Literals(["open", "submitted", "settled", "refused", "excluded"]),
  text: Schema.String,
  deposit: TimelineTransaction,
  transaction: Schema.NullOr(
    TimelineTransaction.annotate({
      description: "this service's last transaction for it on the hub; null when there is none"
    })
  )
})
export type TimelineSettlement = typeof TimelineSettlement.Type

export const RequestTimeline = Schema.Struct({
  id: Schema.String,
  status: Status,
  headline: Schema.String,
  explanation: Schema.String.annotate({ description: "the state in a sentence" }),
  live: Schema.Literals(["stream", "poll", "none"]).annotate({
    description: "how more is learnt: from the status stream, by asking again now and then, or not at all"
  }),
  quotedAt: Schema.Int.annotate({ description: "milliseconds" }),
  updatedAt: Schema.Int.annotate({ description: "milliseconds" }),
  origin: TimelineChain,
  destination: TimelineChain,
  gives: TimelineAmount.annotate({
    description: "what was deposited and filled, or what the quote asks for while nothing is"
  }),
  gets: TimelineAmount.annotate({ description: "what was paid, or what the quote promises while nothing is" }),
  least: TimelineAmount.annotate({ description: "below this nothing is delivered: the deposit goes back" }),
  otherwise: Schema.String.annotate({ description: "what happens where that cannot arrive" }),
  sender: Schema.String,
  recipient: Schema.String,
  depositAddress: Schema.NullOr(Schema.String),
  referrer: Schema.NullOr(Schema.String),
  steps: Schema.Array(TimelineStep).annotate({ description: "what happened so far, in its order" }),
  next: Schema.NullOr(
    Schema.Struct({
      text: Schema.String,
      waitsFor: Schema.String
    }).annotate({ description: "null when nothing follows" })
  ),
  fees: TimelineFees,
  refunds: Schema.Array(TimelineRefund),
  payment: Schema.NullOr(
    AwaitedPayment.annotate({
      description: "null without a deposit address, and once a deposit was seen: a second payment would not be this one"
    })
  ),
  settlements: Schema.Array(TimelineSettlement).annotate({ description: "of each deposit that was filled or refunded" })
}).annotate({ identifier: "RequestTimeline" })
export type RequestTimeline = typeof RequestTimeline.Type
