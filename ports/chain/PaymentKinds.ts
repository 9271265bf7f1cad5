/**
 * What the solver pays, one form for each kind: `Fill` and `Fallback` deliver an order, `Refund`, `Excess` and `Payout`
 * pay plainly, and `Sweep`, `Permit` and `Submission` move nothing of the account's own but gas.
 */
import type { Address, CurrencyAddress } from "../../src/domain/chain/Address.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import type { Hex } from "../../src/domain/encoding/Hex.ts"
import type { KeyPlace } from "../../src/domain/deposit-address/HardenedKeys.ts"
import type { Currency } from "../../src/domain/money/Currency.ts"
import type { OrderId } from "../../src/domain/order/Order.ts"
import type { RouterCall } from "../../src/domain/order/RouterCall.ts"
import type { PermitKind } from "../../src/domain/permit/Permit.ts"
import type { Permitted } from "../../src/domain/permit/PermitSpender.ts"
import type { Authorization } from "../../src/domain/quote/request/RequestLists.ts"
import type { SignedCall } from "../../src/domain/hub/settling/Packing.ts"

/** What every payment says of itself, and is kept of it. */
interface Paying {
  readonly chain: Chain
  readonly currency: Currency
  readonly recipient: Address
  /** Smallest units of the currency. */
  readonly amount: bigint
  /** The order; the payment's own id where there is none. */
  readonly orderId: OrderId
}

/**
 * From the solver's account to the recipient: all of a deposit, what it was above the quoted amount, or what was asked
 * of an app balance.
 */
export interface PlainPayment extends Paying {
  readonly _tag: "Refund" | "Excess" | "Payout"
}

interface Delivery extends Paying {
  /** Native currency that the recipient gets besides, smallest units. */
  readonly topup: bigint
  /** EIP-7702 authorizations that the transaction carries, of accounts other than the solver's. */
  readonly authorizations: ReadonlyArray<Authorization>
}

/** The calls of a fill: the router runs them with its amount, and sends what is left to the recipient. */
export interface FillCalls {
  /** In the order's own sequence. */
  readonly list: readonly [RouterCall, ...ReadonlyArray<RouterCall>]
  /** The most gas that they may take together (`txsGasLimit`); the chain's ceiling when undefined. */
  readonly gas: bigint | undefined
  /** A token that they may leave besides the chain's own currencies: what is left of it is the recipient's. */
  readonly leftover: CurrencyAddress | undefined
}

/** What an order promises: a plain payment of the account's; with calls or a topup the vault's, in one transaction. */
export interface FillPayment extends Delivery {
  readonly _tag: "Fill"
  readonly calls: FillCalls | undefined
}

/**
 * What would have been swapped, in place of a fill whose swap cannot be made. Always the vault's, which pays each order
 * once.
 */
export interface FallbackPayment extends Delivery {
  readonly _tag: "Fallback"
}

/** All that a deposit address has of a currency, into the depository (ADDRESS-4). */
export interface SweepCall {
  readonly address: Address
  /** Where its key is derived, of an address that is one; only the signer has to know it. */
  readonly key?: KeyPlace | undefined
  /** The order and the depositor that the address follows from. */
  readonly orderId: OrderId
  readonly depositor: Address
  /** The order that the deposit is to name: the address's own, or one that was made for this deposit. */
  readonly depositId: OrderId
  readonly currency: CurrencyAddress
}

/**
 * A call of the factory of deposit addresses, or a deposit by the key of one. The recipient is the factory or the
 * address.
 */
export interface SweepPayment extends Paying {
  readonly _tag: "Sweep"
  readonly amount: 0n
  readonly sweep: SweepCall
}

/** What an owner has signed for, with the signature. */
export interface PermitCall extends Permitted {
  readonly kind: PermitKind
  readonly forwarder: Address
  readonly signature: Hex
  /** Gas units beyond the usual that the user has paid for. */
  readonly gasOverhead: bigint
}

/** A call of the Forwarder, which moves the owner's money into the depository. The recipient is the Forwarder. */
export interface PermitPayment extends Paying {
  readonly _tag: "Permit"
  readonly amount: 0n
  readonly permit: PermitCall
}

/** Executions that oracles have signed, for the gate of a hub (EXEC-6). */
export interface SubmissionCall {
  readonly gate: Address
  /** In the order in which they are carried out. */
  readonly calls: ReadonlyArray<SignedCall>
  /**
   * By the chain's Multicall3, where an execution that was already submitted does not block the others; else there is
   * one alone.
   */
  readonly together: boolean
}

/** A submission to the hub. The recipient is the gate. */
export interface SubmissionPayment extends Paying {
  readonly _tag: "Submission"
  readonly amount: 0n
  readonly submission: SubmissionCall
}

/** What the account sends. Each is signed once, stored, and looked after until it is final. */
export type Payment = FillPayment | FallbackPayment | PlainPayment | SweepPayment | PermitPayment | SubmissionPayment

/** Which holding pays: the solver's account, or its vault. */
export type Holding = "account" | "vault"

/** Native currency that the recipient gets besides, smallest units. */
export const topupIn = (payment: Payment): bigint =>
  payment._tag === "Fill" || payment._tag === "Fallback" ? payment.topup : 0n

/** The calls that the payment runs. */
export const callsIn = (payment: Payment): FillCalls | undefined => payment._tag === "Fill" ? payment.calls : undefined

/** Which holding the payment is made from. */
export const holdingOf = (payment: Payment): Holding =>
  payment._tag === "Fallback" || callsIn(payment) !== undefined || topupIn(payment) > 0n ? "vault" : "account"

/** A transfer to its recipient and nothing else: no vault, no calls, nothing carried out for others. */
export const isPlain = (payment: Payment): boolean => {
  switch (payment._tag) {
    case "Refund":
    case "Excess":
    case "Payout":
      return true
    case "Fill":
      return holdingOf(payment) === "account" && payment.authorizations.length === 0
    case "Fallback":
    case "Sweep":
    case "Permit":
    case "Submission":
      return false
  }
}
