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

/** Forms of one request: a payment is rarely replaced more often. */
const AT_ONCE = 50

/** The newest form that the pool has. */
const findPooled = Effect.fnUntraced(
  function*(rpc: CoreRpc, forms: ReadonlyArray<PaymentForm>, deadline: number) {
    const newestFirst = forms.toReversed()
    for (let at = 0; at < newestFirst.length; at += AT_ONCE) {
      const some = newestFirst.slice(at, at + AT_ONCE)
      const answers = yield* rpc.answers(some.map(({ id }) => pooledCall(id)), deadline)
      for (const [nth, form] of some.entries()) {
        const entry = yield* entryOf(answers[nth])
        if (entry !== undefined) return { form, entry }
      }
    }
    return undefined
  }
)

/** Undefined when the node's pool has none of these. `forms`: of one payment, so a pool has at most one. */
export const readPooled = Effect.fnUntraced(
  function*(
    rpc: CoreRpc,
    forms: ReadonlyArray<PaymentForm>,
    deadline: number
  ): Effect.fn.Return<PooledForm | undefined, ReadFault> {
    const found = yield* findPooled(rpc, forms, deadline)
    if (found === undefined) return undefined
    const { entry, form } = found
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
)
