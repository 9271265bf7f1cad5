/** Payments signed again at another fee, under their own sequence. */
import * as Effect from "effect/Effect"
import { PaymentRefused } from "../../../../ports/chain/Treasury.ts"
import type { PreparedReplacement, SignedPayment } from "../../../../ports/chain/Treasury.ts"
import { inTime } from "../../../../ports/signing/InTime.ts"
import type { Payments, StoredPayment } from "../../../../ports/store/orders/Payments.ts"
import type { MemoryStore } from "../../MemoryStore.ts"
import type { CostRow } from "../../rows/OrderRows.ts"
import { keyOf } from "../../Tables.ts"
import type { Tables } from "../../Tables.ts"
import { addVariant, committedOf, readPayment } from "./StoredPayments.ts"
import { nextSequence } from "./AccountSequences.ts"
import { isClaimed } from "./PaymentClaims.ts"
import { sameForms } from "../../../../src/domain/transfer/payment/SameForms.ts"

const OPERATION = "Payments.replace"

interface Replacing {
  readonly _tag: "Replacing"
  readonly now: StoredPayment
  readonly costs: ReadonlyArray<CostRow>
}

/** What is signed next, or what is answered without a signature. */
const decide = (
  tables: Tables,
  payment: StoredPayment,
  { extra, undoes }: Pick<PreparedReplacement, "extra" | "undoes">
) => {
  const now = readPayment(tables, payment.orderId, payment.leg)
  const newest = now?.variants.at(-1)
  if (
    now === undefined || newest === undefined || !sameForms(now, payment) || now.state === "reverted"
  ) return now
  nextSequence(tables, now.chainId, now.account, now.sequence)
  if (undoes !== undefined && isClaimed(tables, now.chainId, undoes)) return now
  const isRaised = ({ currency, holder }: CostRow) => currency === extra.currency && holder === extra.holder
  const costs = (tables.costs.get(newest.transactionId) ?? []).map((cost) =>
    isRaised(cost) ? { ...cost, amount: cost.amount + extra.amount } : cost
  )
  // What was in a block and is not any more is not among what is committed: all of it has to be covered again.
  const needed = now.state === "included" ? costs.find(isRaised)?.amount ?? extra.amount : extra.amount
  return undoes !== undefined || extra.balance - committedOf(tables, now.chainId, extra) >= needed
    ? { _tag: "Replacing", now, costs } satisfies Replacing
    : new PaymentRefused({ reason: "insufficient-funds" })
}

const write = (tables: Tables, { costs, now }: Replacing, signed: SignedPayment, at: number) => {
  const { raw, transactionId } = signed
  addVariant(tables, now, now.variants.length, signed, at)
  if (costs.length > 0) tables.costs.add(transactionId, costs)
  tables.payments.change(keyOf(now.orderId, now.leg), (row) => ({
    ...row,
    transactionId,
    raw,
    state: "signed",
    block: undefined,
    gasPaid: undefined
  }))
  return readPayment(tables, now.orderId, now.leg)
}

export const replacedPayments = (
  { call, transaction }: MemoryStore["Service"]
): Pick<Payments["Service"], "replace"> => ({
  replace: (payment, { sign, ...replacement }, at) =>
    transaction(Effect.gen(function*() {
      const decided = yield* call(OPERATION, (tables) => decide(tables, payment, replacement))
      if (decided === undefined || !("_tag" in decided) || decided._tag === "PaymentRefused") return decided
      const signed = yield* inTime(sign)
      return yield* call(OPERATION, (tables) => write(tables, decided, signed, at))
    })).pipe(
      Effect.flatMap((answer) =>
        answer !== undefined && "_tag" in answer ? Effect.fail(answer) : Effect.succeed(answer)
      )
    )
})
