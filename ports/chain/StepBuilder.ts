/** Turns an order into what the user signs on the origin chain, and says what that costs the user's own wallet. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Address } from "../../src/domain/chain/Address.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import type { Currency } from "../../src/domain/money/Currency.ts"
import type { OrderId } from "../../src/domain/order/Order.ts"
import type { RouterCall } from "../../src/domain/order/RouterCall.ts"
import type { InstructionRoute } from "../../src/domain/swap/UserCall.ts"
import type { PermitTerms } from "../../src/domain/permit/Permit.ts"
import type { Step } from "../../src/domain/quote/wire/Step.ts"
import type { RequestId } from "../../src/domain/transfer/RequestId.ts"
import type { ChainUnavailable } from "./ChainUnavailable.ts"
import { FailedCall } from "./Treasury.ts"
import type { Routing } from "./Routing.ts"

/** How the user's money goes on its way. */
export type DepositWay =
  /** Through the depository's function, after an approval where the currency is a token. */
  | { readonly _tag: "Depository" }
  /** A plain token transfer to the depository with the order id appended (`explicitDeposit: false`). */
  | { readonly _tag: "Transfer" }
  /**
   * By a plain transfer to an address of the order's own, which says nothing of it; `address` is one that there is
   * already. Without a factory nobody computes it: the steps are told it when the order exists (`NamedDeposit`).
   */
  | {
    readonly _tag: "Address"
    readonly factory: Address | undefined
    readonly depositor: Address
    readonly address: Address | undefined
  }
  /** By a signature of the user's, which somebody else submits; an approval of Permit2 may come before it. */
  | { readonly _tag: "Permit"; readonly terms: PermitTerms }
  /**
   * By the call of a swap source's router, within one chain, with the order id appended; `gas` is what it usually
   * takes.
   */
  | { readonly _tag: "Swap"; readonly call: RouterCall; readonly gas: bigint }
  /** By a source's instructions, within one chain, beside a memo that is the order's id. */
  | { readonly _tag: "Route"; readonly route: InstructionRoute }
  /**
   * By the SwapDepositor, which swaps what the user pays by a call of a source's router and deposits the output; `gas`
   * is the swap's.
   */
  | {
    readonly _tag: "SwapDeposit"
    readonly depositor: Address
    readonly call: RouterCall
    readonly gas: bigint
    readonly output: Currency
    readonly minimum: bigint
  }
  /** To the recipient itself, within one chain and currency, with the order id appended. */
  | { readonly _tag: "Send"; readonly recipient: Address }

/** What the user pays with, before the order exists. */
export interface DepositIntent {
  readonly origin: Chain
  readonly currency: Currency
  /** Smallest units of the currency. */
  readonly amount: bigint
  readonly user: Address
  readonly way: DepositWay
  /**
   * Who pays the transaction's fee and what it opens, and signs it first; the user unless named. Of a Solana origin
   * only.
   */
  readonly feePayer?: Address | undefined
  /** The transaction says how much it may compute at most. Of a Solana origin only. */
  readonly computeUnitLimit?: boolean
}

/** What steps say beside the deposit itself. */
export interface NamedDeposit {
  readonly orderId: OrderId
  readonly requestId: RequestId
  /** Where the deposit is paid to, when that is an address of the order's own. */
  readonly depositAddress?: Address | undefined
  /** Path and query at which the request's status is polled. */
  readonly checkEndpoint: string
}

/** What the chain said of a deposit, read together: its steps wait for the order's id and nothing else. */
export interface PreparedDeposit {
  /** What the user has, smallest units of the deposited currency. */
  readonly userBalance: bigint
  /** The most that the steps cost the user's own wallet, smallest units of the native currency. */
  readonly gas: bigint
  readonly steps: (named: NamedDeposit) => ReadonlyArray<Step>
}

/** The chain would not carry out the user's own transaction: it was simulated with the balance that is there. */
export class DepositRefused extends Schema.TaggedError<DepositRefused>()("DepositRefused", {
  call: FailedCall,
  block: Schema.BigIntFromString
}) {
  override get message(): string {
    return "the transaction that the quote would ask for was simulated and reverts"
  }
}

/**
 * There is no such transaction: it is too large, its payer could not pay, its recipient could not keep it, or it does
 * not do what its quote says.
 */
export class DepositUnfit extends Schema.TaggedError<DepositUnfit>()("DepositUnfit", {
  reason: Schema.Union([
    Schema.TaggedStruct("TooLarge", { bytes: Schema.Int, limit: Schema.Int }),
    Schema.TaggedStruct("FeePayerUnfunded", { needed: Schema.BigIntFromString, held: Schema.BigIntFromString }),
    Schema.TaggedStruct("RecipientKeepsNothing", {}),
    Schema.TaggedStruct("TransferFee", { symbol: Schema.String }),
    Schema.TaggedStruct("NotAsQuoted", { difference: Schema.String })
  ])
}) {
  override get message(): string {
    const { reason } = this
    switch (reason._tag) {
      case "TooLarge":
        return `it would take a transaction of ${reason.bytes} bytes, and the chain takes ${reason.limit}`
      case "FeePayerUnfunded":
        return `the account that is to pay the deposit's fee holds ${reason.held} and needs ${reason.needed} of the native currency's smallest unit`
      case "RecipientKeepsNothing":
        return "it is no wallet, or would hold less than any account has to"
      case "TransferFee":
        return `${reason.symbol} takes a fee of every transfer: less would arrive than is sent`
      case "NotAsQuoted":
        return `the swap was simulated, and does not do what its source said: ${reason.difference}`
    }
  }
}

export class StepBuilder extends Context.Service<StepBuilder, {
  /** Reads what the steps of a deposit need to know; asked before the order exists. */
  readonly prepare: (
    intent: DepositIntent
  ) => Effect.Effect<PreparedDeposit, ChainUnavailable | DepositRefused | DepositUnfit>
}>()("causeway/ports/StepBuilder") {}

export const routeStepBuilder: Routing<StepBuilder["Service"]> = (to) => ({
  prepare: to((it) => it.prepare, ([{ origin }]) => origin.family)
})
