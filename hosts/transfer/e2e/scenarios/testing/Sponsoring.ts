/** The sponsor of the scenarios, and what it pays in the end. */
import { Effect, Schema } from "effect"
import { toHex } from "viem"
import type { Hex } from "viem"
import { eventually } from "../../../testing/Misbehaving.ts"
import { ledgerOf } from "../../../testing/Sponsor.ts"
import type { TestSponsor } from "../../../testing/Sponsor.ts"
import { actualOf } from "../../../testing/Sponsored.ts"
import type { Balances } from "./Played.ts"

const ONE_USDC = 1_000_000n

export const sponsor: TestSponsor = { id: "sponsor", wallet: toHex(0x50150, { size: 20 }), balance: 1_000n * ONE_USDC }

/** An order whose id has one is cheaper to carry on an EVM chain: another is asked for. */
export const hasZeroByte = (id: Hex): boolean => [...id.slice(2).matchAll(/../g)].some(([byte]) => byte === "00")

const Sponsored = Schema.Struct({ feeSponsorship: Schema.Unknown })

/** The host, and its store. */
export interface Hosting {
  readonly url: string
  readonly store: string
}

/** Waits until everything after a fill is booked: the sponsor's payment, and app fees. */
export const settled = Effect.fnUntraced(
  function*(
    { store, url }: Hosting,
    answer: unknown,
    quoted: Parameters<typeof actualOf>[1],
    appFees: boolean,
    before: Balances
  ) {
    const actual = Schema.is(Sponsored)(answer)
      ? yield* eventually("settled", Effect.orDie(actualOf(url, quoted)), (each) => each !== undefined)
      : yield* Effect.as(Effect.sleep("3 seconds"), undefined)
    const fees = (ledger: Balances) =>
      Object.entries(ledger).filter(([account]) => account.startsWith("AppFee")).reduce(
        (sum, [, units]) => sum + units,
        0n
      )
    if (appFees) {
      yield* eventually("booked", ledgerOf(store), (ledger) => fees(ledger) > fees(before))
    }
    return actual
  }
)
