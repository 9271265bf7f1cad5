/** Fees of the solver's transactions before their coins are chosen. */
import { dustOf } from "../../../src/domain/families/bitcoin/spending/Dust.ts"
import { feeOf } from "../../../src/domain/families/bitcoin/spending/FeeRate.ts"
import type { FeeRate } from "../../../src/domain/families/bitcoin/spending/FeeRate.ts"
import { virtualBytesOf, weightOf } from "../../../src/domain/families/bitcoin/spending/TransactionSize.ts"
import type { BtcOutput } from "../../../src/domain/families/bitcoin/evidence/BtcTransaction.ts"

/** Of a transaction of so many coins, with all the change that it may make; change that would be dust is left to it. */
export const mostFee = (
  rate: FeeRate,
  coins: number,
  outputs: ReadonlyArray<BtcOutput>,
  change: Uint8Array,
  split: number
): bigint => {
  const inputs = Array.from({ length: Math.max(1, coins) }, () => "P2WPKH" as const)
  const scripts = [...outputs.map(({ script }) => script), ...Array.from({ length: split }, () => change)]
  return feeOf(rate, virtualBytesOf(weightOf(inputs, scripts))) + dustOf(change)
}
