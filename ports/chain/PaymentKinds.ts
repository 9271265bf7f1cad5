/**
 * The payments that the solver makes, one type for each kind. `Fill` and `Fallback` deliver an order. `Refund`,
 * `Excess` and `Payout` are plain payments. `Sweep`, `Permit` and `Submission` spend only gas from the account.
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
import { swapsInItself } from "../../src/domain/swap/FillSwap.ts"
import type { FillSwap } from "../../src/domain/swap/FillSwap.ts"
import type { SignedCall } from "../../src/domain/hub/settling/Packing.ts"

/** The fields of every payment. They are stored with it. */
interface Paying {
  readonly chain: Chain
  readonly currency: Currency
  readonly recipient: Address
  /** Smallest units of the currency. */
  readonly amount: bigint
  /** The order, or the payment's own id if there is no order. */
  readonly orderId: OrderId
}

/**
 * A transfer from the solver's account to the recipient: a whole deposit, the part of a deposit above the quoted
 * amount, or the amount that was requested from an app balance.
 */
export interface PlainPayment extends Paying {
  readonly _tag: "Refund" | "Excess" | "Payout"
  /** Of an excess. */
  readonly besides?: PaidBeside
}

/**
 * What the amount of an excess was computed from. SECURITY: where the excess is signed, the deposit's record must have
 * this amount, and no other payment of the deposit may stand than this one.
 */
export interface PaidBeside {
  /** What the deposit has by its record, smallest units of its currency. */
  readonly recorded: bigint
  /** The purpose of the payment beside which the excess is returned. */
  readonly leg: string
  /** What the deposit had when that was signed; undefined where it is not known. */
  readonly deposited: bigint | undefined
}

interface Delivery extends Paying {
  /** Native currency that the recipient gets in addition, smallest units. */
  readonly topup: bigint
  /** EIP-7702 authorizations that the transaction carries. They belong to accounts other than the solver's. */
  readonly authorizations: ReadonlyArray<Authorization>
}

/** The calls of a fill. The router runs them with the fill's amount and sends what is left to the recipient. */
export interface FillCalls {
  /** In the sequence of the order. */
  readonly list: readonly [RouterCall, ...ReadonlyArray<RouterCall>]
  /** The most gas that all calls together may use (`txsGasLimit`); undefined means the chain's ceiling. */
  readonly gas: bigint | undefined
  /**
   * A token, other than the chain's own currencies, of which the calls may leave some behind. The rest goes to the
   * recipient.
   */
  readonly leftover: CurrencyAddress | undefined
}

/**
 * Delivers an order. Without calls and topup it is a plain payment from the account; with either, the vault pays in one
 * transaction.
 */
export interface FillPayment extends Delivery {
  readonly _tag: "Fill"
  readonly calls: FillCalls | undefined
  /**
   * The payment's transaction swaps `amount` and pays the recipient what comes out; never together with calls. Absent
   * for a payment of `amount` itself, and on chains where calls swap.
   */
  readonly swap?: FillSwap | undefined
}

/**
 * Pays out the currency that would have been swapped, in place of a fill whose swap cannot be made. Where
 * there is a vault it always comes from there, because the vault pays each order once.
 */
export interface FallbackPayment extends Delivery {
  readonly _tag: "Fallback"
}

/** Moves a deposit address's whole balance of one currency into the depository (ADDRESS-4). */
export interface SweepCall {
  readonly address: Address
  /** For an address that is a key: the place where the key is derived. Only the signer needs it. */
  readonly key?: KeyPlace | undefined
  /** The order and the depositor from which the address is computed. */
  readonly orderId: OrderId
  readonly depositor: Address
  /** The order that the deposit names: the address's own, or one that was made for this deposit. */
  readonly depositId: OrderId
  readonly currency: CurrencyAddress
  /**
   * The balance that was seen, smallest units; absent where only the cost is asked for. Where the address pays for its
   * own transactions, a sweep of native currency takes no more than this: the rest is for them.
   */
  readonly units?: bigint | undefined
  /**
   * Where the address pays for its own transactions: what it has left of what earlier sweeps were sent, smallest units of
   * the native currency. It pays for this one with nothing else. Absent while that is not certain, and elsewhere.
   */
  readonly left?: bigint | undefined
}

/**
 * A call to the factory of deposit addresses, or a deposit signed by the key of a deposit address. The recipient is the
 * factory or that address.
 */
export interface SweepPayment extends Paying {
  readonly _tag: "Sweep"
  readonly amount: 0n
  readonly sweep: SweepCall
}

/** What an owner has signed, with the signature. */
export interface PermitCall extends Permitted {
  readonly kind: PermitKind
  readonly forwarder: Address
  readonly signature: Hex
  /** Gas units above the usual amount that the user has paid for. */
  readonly gasOverhead: bigint
}

/** A call to the Forwarder, which moves the owner's money into the depository. The recipient is the Forwarder. */
export interface PermitPayment extends Paying {
  readonly _tag: "Permit"
  readonly amount: 0n
  readonly permit: PermitCall
}

/** Executions that oracles have signed, for a hub's gate (EXEC-6). */
export interface SubmissionCall {
  readonly gate: Address
  /** In the order of execution. */
  readonly calls: ReadonlyArray<SignedCall>
  /**
   * True: the calls go through the chain's Multicall3, where an execution that was already submitted does not block the
   * others. False: there is exactly one call.
   */
  readonly together: boolean
}

/** A submission to the hub. The recipient is the gate. */
export interface SubmissionPayment extends Paying {
  readonly _tag: "Submission"
  readonly amount: 0n
  readonly submission: SubmissionCall
}

/** Any transaction of the account. Each is signed once, stored, and tracked until it is final. */
export type Payment = FillPayment | FallbackPayment | PlainPayment | SweepPayment | PermitPayment | SubmissionPayment

/** The source of a payment: the solver's account or its vault. */
export type Holding = "account" | "vault"

/** Native currency that the recipient gets in addition, smallest units; zero for payments without a topup. */
export const topupIn = (payment: Payment): bigint =>
  payment._tag === "Fill" || payment._tag === "Fallback" ? payment.topup : 0n

/** What an excess was computed from; undefined for every other payment. */
export const besidesOf = (payment: Payment): PaidBeside | undefined =>
  payment._tag === "Excess" ? payment.besides : undefined

/** The calls that a payment runs; undefined for a payment without calls. */
export const callsIn = (payment: Payment): FillCalls | undefined => payment._tag === "Fill" ? payment.calls : undefined

/** The swap that a payment makes itself; undefined for a payment without one. */
export const swapIn = (payment: Payment): FillSwap | undefined => payment._tag === "Fill" ? payment.swap : undefined

/**
 * True for a delivery that runs its recipient's code, if there is any: it hands over native currency, or what calls
 * leave, of which anybody can make some native. Refunds do too, but only to accounts of those who paid.
 */
export const callsRecipient = (payment: Payment): boolean =>
  payment.chain.family.callsRecipients === true && (payment._tag === "Fill" || payment._tag === "Fallback") &&
  (payment.currency.isNative || payment.topup > 0n || callsIn(payment) !== undefined)

/**
 * The holding that a payment is made from: the vault for a fallback, for calls and for a topup, otherwise the account.
 * Where a fill's own transaction swaps there is no vault.
 */
export const holdingOf = (payment: Payment): Holding =>
  (payment._tag === "Fallback" && !swapsInItself(payment.chain.family)) || callsIn(payment) !== undefined ||
    topupIn(payment) > 0n
    ? "vault"
    : "account"

/** True for a plain transfer to the recipient: no vault, no calls, no swap, no authorizations, nothing executed for others. */
export const isPlain = (payment: Payment): boolean => {
  switch (payment._tag) {
    case "Refund":
    case "Excess":
    case "Payout":
      return true
    case "Fill":
      return holdingOf(payment) === "account" && payment.swap === undefined && payment.authorizations.length === 0
    case "Fallback":
      return holdingOf(payment) === "account"
    case "Sweep":
    case "Permit":
    case "Submission":
      return false
  }
}
