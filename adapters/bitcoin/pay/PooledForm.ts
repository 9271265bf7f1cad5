/**
 * Which form of a payment a node's pool has, and what others have made of it there. A replacement has to pay for all of
 * that (BITCOIN-11). One node's word: it moves the fee of a payment that waits, within the ceiling.
 */
import { Effect } from "effect"
import type { PaymentForm } from "../../../src/domain/families/bitcoin/treasury/PaymentForm.ts"
import type { PooledFees } from "../../../src/domain/families/bitcoin/treasury/JudgeBump.ts"
import type { ReadFault } from "../../quorum/ReadFault.ts"
import { MempoolEntry, satoshiOf, TxOut } from "../decode/NodeAnswers.ts"
import { pooledCall, resultOf, resultOrUnpooled, unspentCall } from "../rpc/CoreRpc.ts"
import type { CoreRpc } from "../rpc/CoreRpc.ts"
import { changeOf } from "./Change.ts"

export interface PooledForm {
  readonly fees: PooledFees
  /** Something in the pool spends its change, which only the account can. */
  readonly isSpent: boolean
}

const entryOf = resultOrUnpooled(MempoolEntry)
const coinOf = resultOf(TxOut)

/** Undefined when the node's pool has none of these. `forms`: of one payment, so a pool has at most one. */
export const readPooled = Effect.fnUntraced(
  function*(
    rpc: CoreRpc,
    forms: ReadonlyArray<PaymentForm>,
    deadline: number
  ): Effect.fn.Return<PooledForm | undefined, ReadFault> {
    for (const form of forms.toReversed()) {
      const [answer] = yield* rpc.answers([pooledCall(form.id)], deadline)
      const entry = yield* entryOf(answer)
      if (entry === undefined) continue
      const change = changeOf(form)
      const coins = change.length === 0
        ? []
        : yield* rpc.answers(change.map((coin) => unspentCall(coin, true)), deadline)
      const unspent = yield* Effect.forEach(change, (_, at) => coinOf(coins[at]))
      return {
        fees: {
          own: { fee: satoshiOf(entry.fees.base), virtualBytes: entry.vsize },
          withChildren: { fee: satoshiOf(entry.fees.descendant), virtualBytes: entry.descendantsize }
        },
        isSpent: unspent.includes(null)
      }
    }
    return undefined
  }
)
