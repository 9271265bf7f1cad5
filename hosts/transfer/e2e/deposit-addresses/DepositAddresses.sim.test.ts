/**
 * Random actions on deposit addresses on real chains: payments of any amount and currency, reindexes and kills in any
 * order, from a seed. Runs over one process on SQLite and over two workers on PostgreSQL, of which one at a time is
 * killed. At the end the books agree to the unit, and stay so. CAUSEWAY_SEED repeats a run.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import type { Scope } from "effect"
import * as fc from "fast-check"
import { toHex } from "viem"
import type { Hex } from "viem"
import * as PostgresServer from "../../../../adapters/storage/testing/PostgresServer.ts"
import { requirePostgres } from "../../../../scripts/testing/Capability.ts"
import { anySeed } from "../../../../scripts/testing/Seed.ts"
import { isLong, tally } from "../../../../scripts/testing/Tally.ts"
import { anyFree } from "../../../localnet/nodes/Port.ts"
import { addressFor, payTo, reindex } from "../../testing/Addressed.ts"
import { discrepancies } from "../../testing/AddressBooks.ts"
import type { Opened, Sent } from "../../testing/AddressBooks.ts"
import { nativeRequest } from "../../testing/Client.ts"
import { spawnHost } from "../../testing/HostProcess.ts"
import { ETH, USDC } from "../../testing/Tokens.ts"
import type { TestCurrency } from "../../testing/Tokens.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

/** Hundredths of the quoted amount, and a unit more or less. */
const amount = fc.oneof(
  fc.constantFrom({ hundredths: 100n, off: 0n }, { hundredths: 100n, off: -1n }, { hundredths: 0n, off: 1n }),
  fc.record({ hundredths: fc.bigInt({ min: 10n, max: 250n }), off: fc.constant(0n) })
)

const which = fc.nat({ max: 3 })
const chain = fc.oneof({ weight: 6, arbitrary: fc.constant("alpha" as const) }, {
  weight: 1,
  arbitrary: fc.constant("beta" as const)
})

const action = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      _tag: fc.constant("pay" as const),
      which,
      chain,
      amount,
      other: fc.integer({ min: 0, max: 4 }).map((n) => n === 0)
    })
  },
  { weight: 2, arbitrary: fc.record({ _tag: fc.constant("reindex" as const), which, chain }) },
  { weight: 2, arbitrary: fc.record({ _tag: fc.constant("wait" as const), ms: fc.nat({ max: 1_500 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({ _tag: fc.constant("mine" as const), chain, blocks: fc.integer({ min: 1, max: 3 }) })
  },
  { weight: 1, arbitrary: fc.record({ _tag: fc.constant("kill" as const) }) }
)
type Action = typeof action extends fc.Arbitrary<infer A> ? A : never

const seed = anySeed()

const account = (index: number, role: number): Hex =>
  toHex(BigInt(seed) * 1_000_000n + BigInt(index * 10 + role) + (1n << 80n), { size: 20 })

/** Two currencies, each at an open and at a strict address. */
const kinds: ReadonlyArray<{ readonly currency: TestCurrency; readonly strict: boolean }> = [ETH, USDC].flatMap((
  currency
) => [{ currency, strict: false }, { currency, strict: true }])

/** Far more than another worker needs to take over a killed one's work and end everything, on a busy machine too. */
const SETTLED_MS = 300_000

/** How often in a row, half a second apart, the books have to agree: then nothing follows. */
const CALM = 5

type Network = Effect.Success<typeof startNetwork>

/** The service under test. */
interface Service {
  readonly url: string
  /** SIGKILL, and a replacement without waiting for it. */
  readonly kill: Effect.Effect<void, never, Scope.Scope>
  /** Running again, whatever was killed. */
  readonly settled: Effect.Effect<void, never, Scope.Scope>
}

const alone = Effect.fnUntraced(function*({ environment, startHost }: Network) {
  let host = yield* startHost()
  return {
    url: host.url,
    kill: Effect.gen(function*() {
      yield* host.kill("SIGKILL")
      host = yield* spawnHost("transfer", environment)
    }),
    settled: Effect.andThen(Effect.suspend(() => host.kill("SIGKILL")), Effect.asVoid(startHost()))
  } satisfies Service
})

/** Two workers over PostgreSQL watch the same addresses. Each is killed in turn, and the API keeps running. */
const shared = (programs: PostgresServer.PostgresPrograms) =>
  Effect.fnUntraced(function*({ environment, startHost }: Network) {
    const server = yield* PostgresServer.start(programs)
    const DATABASE_URL = Redacted.value(yield* Effect.orDie(server.createDatabase))
    const { url } = yield* startHost({ DATABASE_URL })
    const worker = (port: number) =>
      Effect.map(
        spawnHost("worker", { ...environment, DATABASE_URL, RUNNER_PORT: `${port}` }),
        ({ kill }) => Effect.as(kill("SIGKILL"), port)
      )
    let workers = yield* Effect.forEach([yield* anyFree, yield* anyFree], worker)
    return {
      url,
      kill: Effect.gen(function*() {
        const [first, ...others] = workers
        if (first !== undefined) workers = [...others, yield* worker(yield* first)]
      }),
      settled: Effect.void
    } satisfies Service
  }, Effect.orDie)

type Place = (network: Network) => Effect.Effect<Service, never, Scope.Scope>

const simulate = Effect.fnUntraced(
  function*(network: Network, place: Place, actions: ReadonlyArray<Action>, round: number) {
    const { chains } = network
    const { kill, settled, url } = yield* place(network)
    const opened = yield* Effect.forEach(
      kinds,
      Effect.fnUntraced(function*({ currency, strict }, index) {
        const [depositor, recipient, refundTo] = [
          account(round * 4 + index, 1),
          account(round * 4 + index, 2),
          account(round * 4 + index, 3)
        ]
        const { depositAddress } = yield* addressFor(url, {
          ...nativeRequest(depositor, chains.alpha, chains.beta, currency.some, { recipient, refundTo, strict }),
          originCurrency: currency.address,
          destinationCurrency: currency.address
        })
        return {
          address: depositAddress,
          strict,
          currency,
          depositor,
          recipient,
          refundTo,
          amountIn: currency.some
        } satisfies Opened
      })
    )
    const sent: Array<Sent> = []
    const carryOut = Effect.fnUntraced(function*(what: Action) {
      if (what._tag === "wait") return yield* Effect.sleep(what.ms)
      if (what._tag === "mine") return yield* chains[what.chain].mine(what.blocks)
      if (what._tag === "kill") {
        yield* kill
        tally("kills", 1)
        return
      }
      const to = opened[what.which]
      if (to === undefined) return
      if (what._tag === "reindex") {
        // The host may be down, or rate-limiting: that is a valid answer too.
        const target = to.strict ? {} : { targetChainId: chains[what.chain].chainId }
        yield* Effect.ignoreCause(
          reindex(url, { chainId: chains.alpha.chainId, depositAddress: to.address, ...target })
        )
        return
      }
      const currency = what.other ? (to.currency === ETH ? USDC : ETH) : to.currency
      const units = (currency.some * what.amount.hundredths) / 100n + what.amount.off
      yield* payTo(chains[what.chain], chains.users[1] ?? "0x", to.address, currency, units)
      sent.push({ address: to.address, chain: what.chain, currency, units })
    })
    for (const each of actions) yield* carryOut(each)

    yield* settled
    // The books are read one after the other while money moves: they must agree, and keep agreeing.
    const until = Date.now() + SETTLED_MS
    let agreedFor = 0
    while (agreedFor < CALM) {
      const wrong = yield* discrepancies(url, chains, opened, sent)
      if (Date.now() > until) assert.deepStrictEqual(wrong, [])
      agreedFor = wrong.length === 0 ? agreedFor + 1 : 0
      yield* Effect.sleep(500)
    }
  }
)

const programs = requirePostgres()

const LENGTHS = isLong ? { minLength: 20, maxLength: 25 } : { minLength: 8, maxLength: 10 }

const rounds = (place: Place, many: number, from: number) =>
  Effect.forEach(fc.sample(fc.array(action, LENGTHS), { seed: seed + from, numRuns: many }), (actions, index) => {
    tally("inputs", actions.length)
    return Effect.scoped(Effect.flatMap(startNetwork, (network) => simulate(network, place, actions, from + index)))
      .pipe(
        Effect.tapCause(() =>
          Effect.sync(() => {
            process.stdout.write(`CAUSEWAY_SEED=${seed}, round ${from + index}: ${fc.stringify(actions)}\n`)
          })
        )
      )
  }, { discard: true })

describe("deposit addresses under any sequence of events", () => {
  it.live("every payment is filled, refunded, shown as kept or still there, and nothing is paid twice", () =>
    rounds(alone, isLong ? 5 : 1, 0))

  if (isLong) {
    it.live.skipIf(programs === undefined)(
      "the same with two workers over one database",
      () => programs === undefined ? Effect.void : rounds(shared(programs), 3, 5)
    )
  }
})
