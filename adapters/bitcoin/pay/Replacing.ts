/**
 * Replaces payments by the same coins and outputs at a higher fee, out of their change (BITCOIN-11). A payment whose
 * change another one spends is not replaced, because that would kill the other: the store refuses it, and the child's
 * own replacement pays for both. Where nodes have no such child, because they refuse it or its parent, that would hold
 * up both for ever: then the parent is replaced, and its child is dead once that is final (BITCOIN-9).
 */
import { Effect } from "effect"
import type { Replacing } from "../../../ports/chain/Treasury.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { judgeBump } from "../../../src/domain/families/bitcoin/treasury/JudgeBump.ts"
import { feeIn, packageOf } from "../../../src/domain/families/bitcoin/treasury/PaymentForm.ts"
import type { PaymentForm } from "../../../src/domain/families/bitcoin/treasury/PaymentForm.ts"
import type { BitcoinRates } from "../rate/BitcoinRates.ts"
import type { BitcoinRpc } from "../rpc/BitcoinRpc.ts"
import { readHead } from "../watch/Blocks.ts"
import { changeOf } from "./Change.ts"
import { placeOf } from "./Landing.ts"
import { readPooled } from "./PooledForm.ts"
import { claimOf, signSpending, storedForm } from "./SignSpending.ts"
import { addressOn } from "./SolverAccount.ts"
import type { SolverAccount } from "./SolverAccount.ts"

export const replacingBy = (
  rpc: BitcoinRpc["Service"],
  rates: BitcoinRates["Service"],
  signers: Pick<SolverAccount["Service"], "account" | "depositAccount">
): Replacing => {
  /** The newest block's time, the parents that are in no block, and what the pool has of all these. */
  const stillWaiting = (chain: Chain, forms: ReadonlyArray<PaymentForm>, ancestors: ReadonlyArray<PaymentForm>) =>
    rpc.call(chain, "pool around a payment", (client) =>
      client.read(Effect.fnUntraced(function*(core, deadline) {
        const { time } = yield* readHead(core, chain, deadline)
        const placed = yield* Effect.forEach(ancestors, (form) =>
          Effect.map(placeOf(core, form.id, deadline), (place) => ({ form, place })))
        return {
          headTime: time * 1_000,
          waiting: placed.flatMap(({ form, place }) =>
            place?.block === undefined ? [form] : []
          ),
          lacksParent: placed.some(({ place }) => place === undefined),
          pooled: yield* readPooled(core, forms, deadline)
        }
      })))

  return {
    judge: Effect.fn("Treasury.judge")(function*(chain, { since, variants }, bounds, now) {
      const forms = variants.map(({ raw }) => storedForm(raw))
      const first = storedForm(variants[0].raw)
      const { ancestors, form: newest, makers } = forms.at(-1) ?? first
      const { headTime, lacksParent, pooled, waiting } = yield* stillWaiting(
        chain,
        forms.map(({ form }) => form),
        ancestors
      )
      const judged = judgeBump(
        { first: first.form, lacksParent, newest, parents: packageOf(waiting), pooled: pooled?.fees, since },
        { rate: yield* rates.rate(chain), ceiling: rates.ceiling, headTime },
        bounds,
        now
      )
      if (judged._tag !== "Bump") return judged
      const { funding } = judged
      // A child that was signed a moment ago is not refused yet.
      const isChildless = pooled?.isSpent !== true && Math.min(now, headTime) - since >= bounds.stuckMs
      return {
        _tag: "Replace",
        whole: Effect.succeed({
          extra: {
            holder: addressOn(signers.account, chain),
            currency: chain.native.address,
            amount: funding.fee - feeIn(newest),
            balance: 0n
          },
          mostGas: funding.fee,
          undoes: isChildless ? [] : forms.flatMap(({ form }) => changeOf(form)).map(claimOf),
          sign: signSpending(signers, funding, { ancestors, makers })
        }),
        // A payment on Bitcoin runs no calls: there is no gas to reduce.
        within: Effect.succeed(undefined)
      }
    }),
    withoutAuthorizations: () => Effect.die(new Error("no payment on a Bitcoin chain carries authorizations"))
  }
}
