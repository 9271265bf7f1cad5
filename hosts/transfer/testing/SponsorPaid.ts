/** A sponsored transfer of any two families, when it has ended: who paid, by the history and by the ledger. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "./Misbehaving.ts"
import { ledgerOf } from "./Sponsor.ts"
import type { TestSponsor } from "./Sponsor.ts"
import { actualOf } from "./Sponsored.ts"

/** Micro-dollars. */
export const microsOf = (share: { readonly total: { readonly amountUsd: string } } | undefined): bigint =>
  BigInt(Math.round(Number(share?.total.amountUsd) * 1e6))

/**
 * What the sponsor paid for its only transfer, once it is known. Its balance fell by that, nothing of it is held, and
 * the user paid nothing.
 */
export const sponsorPaid = Effect.fnUntraced(
  function*(
    { store, url }: { readonly store: string; readonly url: string },
    { balance, wallet = "" }: TestSponsor,
    of: { readonly steps: ReadonlyArray<{ readonly requestId: string }> }
  ) {
    const actual = (yield* eventually("settled", actualOf(url, of), (known) => known !== undefined)) ??
      assert.fail("not settled")
    const all = yield* ledgerOf(store)
    assert.strictEqual(all[`Wallet:${wallet}`], balance - BigInt(actual.sponsorPayment.amount))
    assert.isFalse(Object.keys(all).some((account) => account.startsWith(`Hold:${wallet}`)))
    assert.strictEqual(actual.userPaysTotal.amount, "0")
    return actual
  }
)
