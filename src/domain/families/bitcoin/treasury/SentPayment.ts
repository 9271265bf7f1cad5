/** What a transaction of the solver's account pays, if it has the form of this service's payments. Pure. */
import * as Result from "effect/Result"
import type { Address } from "../../../chain/Address.ts"
import type { ChainNetwork } from "../../../chain/ChainNetwork.ts"
import { OrderId } from "../../../order/Order.ts"
import { addressOfScript } from "../BitcoinScript.ts"
import type { BtcOutput, BtcTransaction } from "../evidence/BtcTransaction.ts"
import { orderIdsOf } from "../evidence/Payments.ts"
import { sameBytes } from "../evidence/SpentCoins.ts"

const OP_RETURN = 0x6a

/** The order that a transaction of the account pays. */
export interface PaidOrder {
  readonly orderId: OrderId
  readonly recipient: Address
  /** Satoshi. */
  readonly amount: bigint
}

/** Undefined unless it names one order, pays one recipient, and returns the rest to the account. */
export const paidOrderIn = (
  { outputs }: Pick<BtcTransaction, "outputs">,
  own: Uint8Array,
  network: ChainNetwork
): PaidOrder | undefined => {
  const [orderId, ...more] = orderIdsOf({ outputs })
  const [paid, ...others] = outputs.filter(({ script }) => script[0] !== OP_RETURN && !sameBytes(script, own))
  if (orderId === undefined || paid === undefined || more.length + others.length > 0) return undefined
  const recipient = addressOfScript(paid.script, network)
  return Result.isFailure(recipient)
    ? undefined
    : { orderId: OrderId.make(orderId), recipient: recipient.success, amount: paid.amount }
}

const held = (outputs: ReadonlyArray<BtcOutput>): bigint => outputs.reduce((sum, { amount }) => sum + amount, 0n)

/** Satoshi that these outputs hold, of the account or of all others. */
const heldBy = (who: "account" | "others", own: Uint8Array, outputs: ReadonlyArray<BtcOutput>): bigint =>
  held(outputs.filter(({ script }) => sameBytes(script, own) === (who === "account")))

/**
 * Whether all that it spends of the account, but for its fee, stays with the account: what others get is what it spends
 * of others. A transaction to itself, and the sweep of a deposit address. `spent`: the coins of all inputs.
 */
export const movesNothing = (
  own: Uint8Array,
  spent: ReadonlyArray<BtcOutput>,
  { outputs }: Pick<BtcTransaction, "outputs">
): boolean => heldBy("others", own, outputs) <= heldBy("others", own, spent)

/** Satoshi of the fee that the account paid: all of it, unless others' coins that it spends paid a part (BITCOIN-12). */
export const feeOfAccount = (
  own: Uint8Array,
  spent: ReadonlyArray<BtcOutput>,
  { outputs }: Pick<BtcTransaction, "outputs">
): bigint => {
  const rest = heldBy("others", own, spent) - heldBy("others", own, outputs)
  return held(spent) - held(outputs) - (rest > 0n ? rest : 0n)
}
