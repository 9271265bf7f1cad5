/**
 * Anything that people and machines do to deposit addresses, on real chains: payments of any amount and currency, reindexes
 * and kills in any order, from a seed. In the end the books agree to the unit, and stay so. CAUSEWAY_SEED repeats a run.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { toHex } from "viem"
import type { Hex } from "viem"
import { isLong, tally } from "../../scripts/testing/Tally.ts"
import { addressFor, payTo, reindex } from "./testing/Addressed.ts"
import { discrepancies } from "./testing/AddressBooks.ts"
import type { Opened, Sent } from "./testing/AddressBooks.ts"
import { nativeRequest } from "./testing/Client.ts"
import { spawnHost } from "./testing/HostProcess.ts"
import { ETH, USDC } from "./testing/Tokens.ts"
import type { TestCurrency } from "./testing/Tokens.ts"
import { startNetwork } from "./testing/TransferNetwork.ts"

/** Hundredths of what was quoted, and a unit more or less. */
const amount = fc.oneof(
  fc.constantFrom({ hundredths: 100n, off: 0n }, { hundredths: 100n, off: -1n }, { hundredths: 0n, off: 1n }),
  fc.record({ hundredths: fc.bigInt({ min: 10n, max: 250n }), off: fc.constant(0n) })
)

const which = fc.nat({ max: 3 })
const chain = fc.oneof({ weight: 6, arbitrary: fc.constant("alpha" as const) }, { weight: 1, arbitrary: fc.constant("beta" as const) })

const action = fc.oneof(
  { weight: 6, arbitrary: fc.record({ _tag: fc.constant("pay" as const), which, chain, amount, other: fc.integer({ min: 0, max: 4 }).map((n) => n === 0) }) },
  { weight: 2, arbitrary: fc.record({ _tag: fc.constant("reindex" as const), which, chain }) },
  { weight: 2, arbitrary: fc.record({ _tag: fc.constant("wait" as const), ms: fc.nat({ max: 1_500 }) }) },
  { weight: 1, arbitrary: fc.record({ _tag: fc.constant("mine" as const), chain, blocks: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ _tag: fc.constant("kill" as const) }) }
)
type Action = typeof action extends fc.Arbitrary<infer A> ? A : never

const seed = Number(process.env["CAUSEWAY_SEED"] ?? Math.floor(Math.random() * 2 ** 31))

const account = (index: number, role: number): Hex => toHex(BigInt(seed) * 1_000_000n + BigInt(index * 10 + role) + (1n << 80n), { size: 20 })

/** Two currencies, each at an open and at a strict address. */
const kinds: ReadonlyArray<{ readonly currency: TestCurrency; readonly strict: boolean }> =
  [ETH, USDC].flatMap((currency) => [{ currency, strict: false }, { currency, strict: true }])

const SETTLED_MS = 40_000

const simulate = Effect.fnUntraced(function*(network: Effect.Success<typeof startNetwork>, actions: ReadonlyArray<Action>, round: number) {
  const { chains, environment } = network
  let host = yield* network.startHost()
  const opened = yield* Effect.forEach(kinds, Effect.fnUntraced(function*({ currency, strict }, index) {
    const [depositor, recipient, refundTo] = [account(round * 4 + index, 1), account(round * 4 + index, 2), account(round * 4 + index, 3)]
    const { depositAddress } = yield* addressFor(host.url, {
      ...nativeRequest(depositor, chains.alpha, chains.beta, currency.some, { recipient, refundTo, strict }),
      originCurrency: currency.address,
      destinationCurrency: currency.address
    })
    return { address: depositAddress, strict, currency, depositor, recipient, refundTo, amountIn: currency.some } satisfies Opened
  }))
  const sent: Array<Sent> = []
  const carryOut = Effect.fnUntraced(function*(what: Action) {
    if (what._tag === "wait") return yield* Effect.sleep(what.ms)
    if (what._tag === "mine") return yield* chains[what.chain].mine(what.blocks)
    if (what._tag === "kill") {
      yield* host.kill("SIGKILL")
      tally("kills", 1)
      host = yield* spawnHost("transfer", environment)
      return
    }
    const to = opened[what.which]
    if (to === undefined) return
    if (what._tag === "reindex") {
      // The host may be down, or asked too often: that is an answer too.
      const target = to.strict ? {} : { targetChainId: chains[what.chain].chainId }
      yield* Effect.ignoreCause(reindex(host.url, { chainId: chains.alpha.chainId, depositAddress: to.address, ...target }))
      return
    }
    const currency = what.other ? (to.currency === ETH ? USDC : ETH) : to.currency
    const units = (currency.some * what.amount.hundredths) / 100n + what.amount.off
    yield* payTo(chains[what.chain], chains.users[1] ?? "0x", to.address, currency, units)
    sent.push({ address: to.address, chain: what.chain, currency, units })
  })
  for (const each of actions) yield* carryOut(each)

  yield* host.kill("SIGKILL")
  const { url } = yield* network.startHost()
  const until = Date.now() + SETTLED_MS
  let wrong = yield* discrepancies(url, chains, opened, sent)
  while (wrong.length > 0 && Date.now() < until) {
    yield* Effect.sleep(500)
    wrong = yield* discrepancies(url, chains, opened, sent)
  }
  assert.deepStrictEqual(wrong, [])
  // Nothing follows.
  yield* Effect.sleep("2 seconds")
  assert.deepStrictEqual(yield* discrepancies(url, chains, opened, sent), [])
})

describe("deposit addresses, whatever is done to them", () => {
  it.live("what was paid is filled, given back, shown as kept or still there; nothing twice", () => {
    const rounds = fc.sample(fc.array(action, isLong ? { minLength: 20, maxLength: 25 } : { minLength: 8, maxLength: 10 }), { seed, numRuns: isLong ? 2 : 1 })
    return Effect.forEach(rounds, (actions, round) => {
      tally("inputs", actions.length)
      return Effect.scoped(Effect.flatMap(startNetwork, (network) => simulate(network, actions, round))).pipe(
        Effect.tapCause(() => Effect.sync(() => { process.stdout.write(`CAUSEWAY_SEED=${seed}, round ${round}: ${fc.stringify(actions)}\n`) }))
      )
    }, { discard: true })
  }, isLong ? 500_000 : 120_000)
})
