/** Kills a host at named places of a payout, one place after the other, and checks every payout at the end. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { toHex } from "viem"
import type { Address, Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { reader, sendCall } from "../../../testing/Client.ts"
import { spawnHost } from "../../../testing/HostProcess.ts"
import { eventually } from "../../../testing/Misbehaving.ts"
import { held, USDC } from "../../../testing/Tokens.ts"
import { startNetwork } from "../../../testing/TransferNetwork.ts"
import { killedBy, placesOf, telling, toldBy } from "../../crash/testing/InjectCrash.ts"
import { marked, transferCall } from "./CreditFixture.ts"
import { askPayout, balanceOf, payoutEnded, sendPayout } from "./SignedPayouts.ts"
import type { Asked } from "./SignedPayouts.ts"

const ONE = 1_000_000n
const CREDIT = 100n * ONE

const fresh = (index: number): Address => toHex(0xc4a_0000_0000n + BigInt(index), { size: 20 })

/** Fixed deadlines, so that a repeated request is the same payout. */
const asked = (index: number): Asked => ({
  kind: "withdraw",
  recipient: fresh(index),
  amount: 2n * ONE,
  nonce: BigInt(index),
  deadline: 4_000_000_000
})

/**
 * Learns the places of a credit and a withdrawal, crashes at the `chosen` ones, and checks at the end that each
 * withdrawal was paid once, to the unit, and that nothing was lost in between.
 */
export const injectPayoutCrashes = (chosen: (place: string) => boolean) =>
  Effect.scoped(Effect.gen(function*() {
    const { chains, environment, startHost, startInstance } = yield* startNetwork
    const { beta, solver } = chains
    const key: Hex = chains.users[0] ?? "0x"
    const wallet = privateKeyToAccount(key).address
    const settings = { CREDITS_FROM_BLOCK: "0" }

    const places = yield* Effect.scoped(Effect.gen(function*() {
      const host = yield* startHost({ ...settings, ...telling })
      yield* sendCall(beta, key, { to: USDC.address, data: transferCall(solver, CREDIT, marked(wallet)) })
      yield* eventually("the credit is seen", balanceOf(host.url, wallet), ({ amount }) => amount === `${CREDIT}`)
      const payout = yield* askPayout(host.url, chains, key, asked(0))
      yield* payoutEnded(payout, host.url)
      return placesOf(
        toldBy(host),
        (place) => /Credits\.record|Payouts|payout|Treasury\.broadcast/.test(place) && chosen(place)
      )
    }))

    let credited = CREDIT
    for (const [at, place] of places.entries()) {
      yield* Effect.scoped(Effect.gen(function*() {
        const host = yield* spawnHost("transfer", { ...environment, ...settings, FAILPOINT: place })
        if (place.startsWith("Credits.record:")) {
          credited += ONE
          yield* sendCall(beta, key, { to: USDC.address, data: transferCall(solver, ONE, marked(wallet)) })
        }
        yield* killedBy(host, place, sendPayout(host.url, chains, key, asked(at + 1)))
      }))
    }

    const { url } = yield* startInstance(settings)
    // A client without an answer asks again.
    const payouts = yield* Effect.forEach(
      Array.from({ length: places.length + 1 }, (_, at) => at),
      (at) => askPayout(url, chains, key, asked(at))
    )
    for (const payout of payouts) assert.strictEqual((yield* payoutEnded(payout, url)).status, "success")
    for (const at of payouts.keys()) assert.strictEqual(yield* held(beta, USDC, fresh(at)), 2n * ONE, places[at - 1])
    const sent = yield* Effect.promise(() => reader(beta).getTransactionCount({ address: solver }))
    assert.strictEqual(sent, payouts.length)
    const left = `${credited - 2n * ONE * BigInt(payouts.length)}`
    yield* eventually("all credits are there, once", balanceOf(url, wallet), ({ amount }) => amount === left)
  }))
