/**
 * When a signed payment can never be in a block any more (BITCOIN-9): a final transaction other than itself spends one
 * of its inputs, or one that a transaction spends whose output it needs, however far back.
 *
 * SECURITY: only a dead payment is signed again with other inputs. Age proves nothing, and neither does a mempool that
 * has forgotten it: anybody who has seen the bytes can send them again. What is not known to be spent is not spent.
 */
import type { BtcOutpoint } from "../evidence/BtcTransaction.ts"

/** A transaction by its id and the coins that it spends. */
export interface SpendingInputs {
  readonly id: string
  readonly inputs: ReadonlyArray<BtcOutpoint>
}

/** What final blocks hold, as a quorum shows it. */
export interface FinalSpends {
  readonly isFinal: (transactionId: string) => boolean
  /** The id of the final transaction that spends a coin. Undefined while there is none. */
  readonly spenderOf: (coin: BtcOutpoint) => string | undefined
}

/**
 * Whether this form of a payment is dead. `known`: every transaction that it needs and that was not final when it was
 * signed. Any other one was, so it cannot die.
 */
export const isDead = (
  transaction: SpendingInputs,
  known: ReadonlyMap<string, SpendingInputs>,
  { isFinal, spenderOf }: FinalSpends
): boolean => {
  const seen = new Set<string>()
  const waiting: Array<SpendingInputs> = [transaction]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { id, inputs } = next
    if (seen.has(id) || isFinal(id)) continue
    seen.add(id)
    for (const input of inputs) {
      // It is not final itself, so a final spender is another transaction.
      if (spenderOf(input) !== undefined) return true
      const maker = known.get(input.transactionId)
      if (maker !== undefined) waiting.push(maker)
    }
  }
  return false
}

/** Whether a payment may be signed anew: each of its forms is dead. */
export const isPaymentDead = (
  variants: ReadonlyArray<SpendingInputs>,
  known: ReadonlyMap<string, SpendingInputs>,
  final: FinalSpends
): boolean => variants.every((variant) => isDead(variant, known, final))
