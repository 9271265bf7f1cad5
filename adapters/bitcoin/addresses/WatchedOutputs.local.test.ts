/** When the explorer is asked for an address: what it hid when a process started is found soon (BITCOIN-18). */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Result } from "effect"
import { AddressBalances } from "../../../ports/chain/AddressBalances.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { addressOfScript } from "../../../src/domain/families/bitcoin/BitcoinScript.ts"
import { BitcoinCoins } from "../coins/ListCoins.ts"
import { BitcoinRpc } from "../rpc/BitcoinRpc.ts"
import { account, FINAL_AFTER } from "../testing/LocalBitcoin.ts"
import { depositKey, startPayingBitcoin } from "../testing/PayingBitcoin.ts"
import { makeWatchedOutputs } from "./WatchedOutputs.ts"

const key = depositKey({ generation: 7, number: 9 })
const address = account(key.address)

/** The machine's clock, some milliseconds ahead. */
const ahead = (real: Clock.Clock, state: { ms: number }): Clock.Clock => ({
  currentTimeMillisUnsafe: () => real.currentTimeMillisUnsafe() + state.ms,
  currentTimeMillis: Effect.map(real.currentTimeMillis, (now) => now + state.ms),
  currentTimeNanosUnsafe: () => real.currentTimeNanosUnsafe(),
  currentTimeNanos: real.currentTimeNanos,
  monotonicTimeNanosUnsafe: () => real.monotonicTimeNanosUnsafe(),
  monotonicTimeNanos: real.monotonicTimeNanos,
  sleep: (duration) => real.sleep(duration)
})

/** The number is the hash of no key that anybody knows. */
const addressAt = (number: number, { network }: Chain): Address => {
  const script = new Uint8Array(22)
  script[1] = 20
  new DataView(script.buffer).setUint32(18, number)
  return Result.getOrThrow(addressOfScript(script, network))
}

type Local = Effect.Success<ReturnType<typeof startPayingBitcoin>>

const pay = Effect.fnUntraced(function*({ coin, mine, other, send }: Local, amount: bigint) {
  yield* send([yield* coin(other)], [{ script: key.script, amount }], 2_000n)
  yield* mine(1 + FINAL_AFTER)
})

describe("the outputs of a watched address on Bitcoin", () => {
  it.live("are listed again five minutes after the first listing, and then every hour", () =>
    Effect.scoped(Effect.gen(function*() {
      const local = yield* startPayingBitcoin(1)
      const passed = { ms: 0 }
      const clock = ahead(yield* Clock.Clock, passed)
      let listings = 0
      const explorer = (hides: boolean) =>
        local.setExplorerFault({
          kind: "lie",
          methods: ["/address"],
          tell: (honest) => {
            listings += 1
            return hides ? [] : honest
          }
        })
      yield* Effect.gen(function*() {
        const balances = yield* AddressBalances
        const held = Effect.gen(function*() {
          const [reading] = yield* balances.read(local.bitcoin, address, [local.bitcoin.native], "watched")
          return reading?._tag === "Read" ? reading.units : assert.fail("unread")
        })
        yield* pay(local, 70_000n)
        yield* explorer(true)
        assert.strictEqual(yield* held, 0n)
        yield* explorer(false)
        passed.ms = 240_000
        assert.strictEqual(yield* held, 0n)
        assert.strictEqual(listings, 1)
        passed.ms = 300_000
        assert.strictEqual(yield* held, 70_000n)
        assert.strictEqual(listings, 2)
        // What comes now is in a block that is read.
        yield* pay(local, 50_000n)
        passed.ms = 3_800_000
        assert.strictEqual(yield* held, 120_000n)
        assert.strictEqual(listings, 2)
        passed.ms = 3_900_000
        assert.strictEqual(yield* held, 120_000n)
        assert.strictEqual(listings, 3)
      }).pipe(Effect.provideService(Clock.Clock, clock), Effect.provide(local.ports))
    })))

  it.live(
    "cost no request of the explorer once they were listed, for tens of thousands of addresses",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const local = yield* startPayingBitcoin(0)
        yield* Effect.gen(function*() {
          let listings = 0
          const watched = makeWatchedOutputs(yield* BitcoinRpc, {
            ...yield* BitcoinCoins,
            named: () => Effect.sync(() => (listings += 1, []))
          })
          const addresses: ReadonlyArray<Address> = Array.from(
            { length: 30_000 },
            (_, number) => addressAt(number, local.bitcoin)
          )
          for (const round of [1, 2]) {
            yield* Effect.forEach(addresses, (each) => watched(local.bitcoin, each), {
              concurrency: 500,
              discard: true
            })
            assert.strictEqual(listings, addresses.length, `round ${round}`)
          }
        }).pipe(Effect.provide(local.ports))
      })),
    120_000
  )
})
