/**
 * Turns an order into the steps that the user signs on the origin chain, and reports what they cost the user's own
 * wallet.
 */
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

/** How the user's money is deposited or sent. */
export type DepositWay =
  /** A call of the depository's function, after an approval where the currency is a token. */
  | { readonly _tag: "Depository" }
  /** A plain token transfer to the depository with the order id appended (`explicitDeposit: false`). */
  | { readonly _tag: "Transfer" }
  /**
   * A plain transfer to a deposit address of the order; the transfer does not name the order. `address` is set when the
   * address exists already. Without a factory the address cannot be computed, and the steps receive it once the order
   * exists (`NamedDeposit`).
   */
  | {
    readonly _tag: "Address"
    readonly factory: Address | undefined
    readonly depositor: Address
    readonly address: Address | undefined
  }
  /** The user's signature, which the operator submits. An approval of Permit2 may come before it. */
  | { readonly _tag: "Permit"; readonly terms: PermitTerms }
  /**
   * A call of a swap source's router, within one chain, with the order id appended. `gas` is the gas that it usually
   * uses.
   */
  | { readonly _tag: "Swap"; readonly call: RouterCall; readonly gas: bigint }
  /** A swap source's instructions, within one chain, with a memo that contains the order's id. */
  | { readonly _tag: "Route"; readonly route: InstructionRoute }
  /**
   * A call of the SwapDepositor: it swaps the user's currency through a source's router and deposits the output. `gas`
   * is the gas of the swap.
   */
  | {
    readonly _tag: "SwapDeposit"
    readonly depositor: Address
    readonly call: RouterCall
    readonly gas: bigint
    readonly output: Currency
    readonly minimum: bigint
  }
  /**
   * A swap source's instructions, with the source's call inside a call of the swap depositor (SOLANA-20): the program
   * makes it, and deposits what comes out. `minimum`: the least deposit, smallest units of `output`.
   */
  | {
    readonly _tag: "RouteDeposit"
    readonly depositor: Address
    readonly route: InstructionRoute
    readonly output: Currency
    readonly minimum: bigint
  }
  /** A payment to the recipient directly, within one chain and currency, with the order id appended. */
  | { readonly _tag: "Send"; readonly recipient: Address }

/** What the user deposits, before the order exists. */
export interface DepositIntent {
  readonly origin: Chain
  readonly currency: Currency
  /** Smallest units of the currency. */
  readonly amount: bigint
  readonly user: Address
  readonly way: DepositWay
  /**
   * The account that pays the transaction's fee and the accounts that it opens, and signs first; the user unless set.
   * Only for a Solana origin.
   */
  readonly feePayer?: Address | undefined
  /** The transaction sets a limit on its compute units. Only for a Solana origin. */
  readonly computeUnitLimit?: boolean
  /** The user's public key, where its address does not reveal it. Only for a Bitcoin origin. */
  readonly userPublicKey?: Uint8Array | undefined
}

/** What the steps contain besides the deposit itself. */
export interface NamedDeposit {
  readonly orderId: OrderId
  readonly requestId: RequestId
  /** The address that receives the deposit, when the order has an address of its own. */
  readonly depositAddress?: Address | undefined
  /** Path and query to poll for the request's status. */
  readonly checkEndpoint: string
}

/** What the chain reports about a deposit, in one read. Its steps then need only the order's id. */
export interface PreparedDeposit {
  /** The user's balance, smallest units of the deposited currency. */
  readonly userBalance: bigint
  /** The most that the steps can cost the user's own wallet, smallest units of the native currency. */
  readonly gas: bigint
  readonly steps: (named: NamedDeposit) => ReadonlyArray<Step>
  /**
   * True when the same deposit may be asked for again with this reading, for a second: nothing in it is used up by a
   * quote, and nothing that the user does before the deposit changes its steps.
   */
  readonly repeatable?: boolean
}

/** The chain would reject the user's own transaction: it was simulated with the user's current balance and reverts. */
export class DepositRefused extends Schema.TaggedError<DepositRefused>()("DepositRefused", {
  call: FailedCall,
  block: Schema.BigIntFromString
}) {
  override get message(): string {
    return "the transaction that the quote would ask for was simulated and reverts"
  }
}

/**
 * No such transaction can be made: it is too large, its fee payer or the user lacks the funds, it would take too many
 * coins, the amount is less than nodes relay or the chain transfers, or more than wallets can be told, its recipient could not keep the money or cannot be paid, the token takes a fee on
 * transfers, or the swap does not do what the quote says.
 */
export class DepositUnfit extends Schema.TaggedError<DepositUnfit>()("DepositUnfit", {
  reason: Schema.Union([
    Schema.TaggedStruct("TooLarge", { bytes: Schema.Int, limit: Schema.Int }),
    Schema.TaggedStruct("FeePayerUnfunded", { needed: Schema.BigIntFromString, held: Schema.BigIntFromString }),
    Schema.TaggedStruct("UserUnfunded", { needed: Schema.BigIntFromString, payable: Schema.BigIntFromString }),
    Schema.TaggedStruct("TooManyCoins", { coins: Schema.Int }),
    Schema.TaggedStruct("Dust", { least: Schema.BigIntFromString }),
    Schema.TaggedStruct("BelowLeast", { least: Schema.BigIntFromString }),
    Schema.TaggedStruct("AmountNotExact", { most: Schema.BigIntFromString }),
    Schema.TaggedStruct("RecipientKeepsNothing", {}),
    Schema.TaggedStruct("NobodyPaysRecipient", {}),
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
      case "UserUnfunded":
        return `its coins in blocks can pay ${reason.payable} besides the transaction's fee, and ${reason.needed} of the native currency's smallest unit are needed`
      case "TooManyCoins":
        return `its ${reason.coins} coins are so small that the transaction would be too large for any node`
      case "Dust":
        return `no node relays a payment of less than ${reason.least} of the native currency's smallest unit`
      case "BelowLeast":
        return `the chain takes no transfer of less than ${reason.least} of the currency's smallest unit`
      case "AmountNotExact":
        return `its wallets take an amount as a JSON number, which is exact up to ${reason.most} of the native currency's smallest unit`
      case "RecipientKeepsNothing":
        return "it is no wallet, or would hold less than any account has to"
      case "NobodyPaysRecipient":
        return "it is an account that does not exist, or that nobody may pay"
      case "TransferFee":
        return `${reason.symbol} takes a fee of every transfer: less would arrive than is sent`
      case "NotAsQuoted":
        return `the swap was simulated, and does not do what its source said: ${reason.difference}`
    }
  }
}

/** The steps of a quote that the user signs, and their cost in smallest units of the native currency. */
export class StepBuilder extends Context.Service<StepBuilder, {
  /** Reads what the steps of a deposit need from the chain. Called before the order exists. */
  readonly prepare: (
    intent: DepositIntent
  ) => Effect.Effect<PreparedDeposit, ChainUnavailable | DepositRefused | DepositUnfit>
}>()("causeway/ports/StepBuilder") {}

/** The family of each call of this port. */
export const routeStepBuilder: Routing<StepBuilder["Service"]> = (to) => ({
  prepare: to((it) => it.prepare, ([{ origin }]) => origin.family)
})
