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

/**
 * Whether all that it spends of the account, but for its fee, stays with the account: what others get is what it spends
 * of others. A transaction to itself, and the sweep of a deposit address. `spent`: the coins of all inputs.
 */
export const movesNothing = (
  own: Uint8Array,
  spent: ReadonlyArray<BtcOutput>,
  { outputs }: Pick<BtcTransaction, "outputs">
): boolean => {
  const ofOthers = (all: ReadonlyArray<BtcOutput>) => held(all.filter(({ script }) => !sameBytes(script, own)))
  return ofOthers(outputs) <= ofOthers(spent)
}
