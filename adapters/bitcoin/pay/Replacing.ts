/**
 * Replaces payments by the same coins and outputs at a higher fee, out of their change (BITCOIN-11). A payment whose
 * change another one spends is not replaced, because that would kill the other: the store refuses it, and the child's
 * own replacement pays for both.
 */
import { Effect } from "effect"
import type { Replacing } from "../../../ports/chain/Treasury.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { judgeBump } from "../../../src/domain/families/bitcoin/treasury/JudgeBump.ts"
import { feeIn, packageOf, PAID } from "../../../src/domain/families/bitcoin/treasury/PaymentForm.ts"
import type { PaymentForm } from "../../../src/domain/families/bitcoin/treasury/PaymentForm.ts"
import type { BitcoinRates } from "../rate/BitcoinRates.ts"
import type { BitcoinRpc } from "../rpc/BitcoinRpc.ts"
import { readHead } from "../watch/Blocks.ts"
import { placeOf } from "./Landing.ts"
import { claimOf, signSpending, storedForm } from "./SignSpending.ts"
import { addressOn } from "./SolverAccount.ts"
import type { SolverAccount } from "./SolverAccount.ts"

export const changeOf = ({ id, outputs }: Pick<PaymentForm, "id" | "outputs">) =>
  outputs.slice(PAID).map((_, at) => ({ transactionId: id, index: PAID + at }))

export const replacingBy = (
  rpc: BitcoinRpc["Service"],
  rates: BitcoinRates["Service"],
  signers: Pick<SolverAccount["Service"], "account" | "depositAccount">
): Replacing => {
  /** The newest block's time, and those of the transactions that are in no block. */
  const stillWaiting = (chain: Chain, ancestors: ReadonlyArray<PaymentForm>) =>
    rpc.call(chain, "parents of a payment", (client) =>
      client.read(Effect.fnUntraced(function*(core, deadline) {
        const { time } = yield* readHead(core, chain, deadline)
        const waiting = yield* Effect.filter(
          ancestors,
          ({ id }) => Effect.map(placeOf(core, id, deadline), (place) => place?.block === undefined)
        )
        return { headTime: time * 1_000, waiting }
      })))

  return {
    judge: Effect.fn("Treasury.judge")(function*(chain, { since, variants }, bounds, now) {
      const forms = variants.map(({ raw }) => storedForm(raw))
      const first = storedForm(variants[0].raw)
      const { ancestors, form: newest, makers } = forms.at(-1) ?? first
      const { headTime, waiting } = yield* stillWaiting(chain, ancestors)
      const judged = judgeBump(
        { first: first.form, newest, parents: packageOf(waiting), since },
        { rate: yield* rates.rate(chain), ceiling: rates.ceiling, headTime },
        bounds,
        now
      )
      if (judged._tag !== "Bump") return judged
      const { funding } = judged
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
          undoes: forms.flatMap(({ form }) => changeOf(form)).map(claimOf),
          sign: signSpending(signers, funding, { ancestors, makers })
        }),
        // A payment on Bitcoin runs no calls: there is no gas to reduce.
        within: Effect.succeed(undefined)
      }
    }),
    withoutAuthorizations: () => Effect.die(new Error("no payment on a Bitcoin chain carries authorizations"))
  }
}
