/**
 * Several processes over one PostgreSQL: they share the work, take over from each other, and are replaced without a
 * failed request.
 */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import type { Scope } from "effect"
import { parseEther, toHex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import * as PostgresServer from "../../../../adapters/storage/testing/PostgresServer.ts"
import { requirePostgres } from "../../../../scripts/testing/Capability.ts"
import { tally } from "../../../../scripts/testing/Tally.ts"
import { rollingRestart, wrongUnless200 } from "../../../http/testing/RollingRestart.ts"
import type { Ask } from "../../../http/testing/RollingRestart.ts"
import { anyFree } from "../../../localnet/nodes/Port.ts"
import { marked, transferCall } from "../app-balance/testing/CreditFixture.ts"
import { askPayout, balanceOf, payoutEnded } from "../app-balance/testing/SignedPayouts.ts"
import { begin } from "../crash/testing/Scenarios.ts"
import { ended, nativeRequest, quote, reader, sendCall, sendDeposit } from "../../testing/Client.ts"
import { untilDivided } from "../../testing/DividedWork.ts"
import { eventsOf } from "../../testing/Events.ts"
import { spawnHost } from "../../testing/HostProcess.ts"
import type { HostProcess } from "../../testing/HostProcess.ts"
import { eventually, sentBy } from "../../testing/Misbehaving.ts"
import { held, USDC } from "../../testing/Tokens.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

const programs = requirePostgres()

const makeRunning = Effect.gen(function*() {
  const { chains, environment, startHost, startInstance } = yield* startNetwork
  const server = yield* PostgresServer.start(programs ?? { initdb: "", pgCtl: "" })
  /** A new, empty store, and hosts over it. */
  const fixture = Effect.gen(function*() {
    const DATABASE_URL = Redacted.value(yield* server.createDatabase)
    /** Within this process: nothing happens to it. */
    const startApi = startInstance({ DATABASE_URL })
    /** As a process. */
    const spawnApi = (changes: Readonly<Record<string, string>>) => startHost({ DATABASE_URL, ...changes })
    const startWorker = Effect.fnUntraced(function*(changes: Readonly<Record<string, string>> = {}) {
      return yield* spawnHost("worker", { ...environment, DATABASE_URL, RUNNER_PORT: `${yield* anyFree}`, ...changes })
    })
    return { spawnApi, startApi, startWorker, url: DATABASE_URL }
  })
  return { chains, fixture }
})

class Running extends fixtureOf<Running>()("test/PostgresRunning", makeRunning) {}

/** How many payments a worker has broadcast, by its own output (`FAILPOINT=??`). */
const broadcasts = ({ output }: HostProcess): number =>
  output().match(/^failpoint Treasury\.broadcast:after$/gm)?.length ?? 0

const test = (name: string, effect: Effect.Effect<void, unknown, Running | Scope.Scope>) => ({
  name,
  effect: Effect.orDie(Effect.scoped(effect))
})

const successor = test(
  "API and worker are separate processes, and a killed worker's successor continues",
  Effect.gen(function*() {
    const { chains, fixture } = yield* Running
    const { startApi, startWorker } = yield* fixture
    const api = yield* startApi
    const recipient = "0x0000000000000000000000000000000000009051"
    const key = chains.users[0] ?? "0x"
    const user = privateKeyToAccount(key).address
    const balance = () => Effect.promise(() => reader(chains.beta).getBalance({ address: recipient }))
    const request = nativeRequest(user, chains.alpha, chains.beta, parseEther("0.1"), { recipient })

    const doomed = yield* startWorker({ FAILPOINT: "Treasury.broadcast:after" })
    const first = yield* quote(api.url, request)
    yield* sendDeposit(chains.alpha, key, first)
    assert.strictEqual(yield* doomed.ended, "SIGKILL", doomed.output())
    tally("kills", 1)
    const next = yield* startWorker()
    assert.strictEqual((yield* ended(api.url, first)).status, "success", next.output())
    const second = yield* quote(api.url, request)
    yield* sendDeposit(chains.alpha, key, second)
    assert.strictEqual((yield* ended(api.url, second)).status, "success")
    assert.strictEqual(
      yield* balance(),
      BigInt(first.details.currencyOut.amount) + BigInt(second.details.currencyOut.amount)
    )
  })
)

const TRANSFERS = 24

const shared = test(
  "two workers share the work; one is killed under load, the other takes over, and nothing is paid twice",
  Effect.gen(function*() {
    const { chains, fixture } = yield* Running
    const { startApi, startWorker, url } = yield* fixture
    const api = yield* startApi
    const keyOf = (index: number) => chains.users[index % chains.users.length] ?? "0x"
    const before = (yield* sentBy(chains.beta, chains.solver)).length
    const workers = [yield* startWorker({ FAILPOINT: "??" }), yield* startWorker({ FAILPOINT: "??" })] as const
    const indices = Array.from({ length: TRANSFERS }, (_, index) => index)
    const begun = yield* Effect.forEach(indices, (index) => begin(api.url, chains, keyOf(index), "fill", 5_000 + index))
    const send = (from: number, to: number) =>
      Effect.forEach(
        indices.slice(from, to),
        (index) => sendDeposit(chains.alpha, keyOf(index), begun[index]?.quoted ?? assert.fail()),
        { discard: true, concurrency: 4 }
      )
    const half = TRANSFERS / 2
    yield* untilDivided(url, workers)
    yield* send(0, half)
    yield* Effect.forEach(begun.slice(0, half), ({ quoted }) => ended(api.url, quoted), { discard: true })
    for (const worker of workers) assert.isAbove(broadcasts(worker), 0, worker.output())
    assert.strictEqual(broadcasts(workers[0]) + broadcasts(workers[1]), half)

    const rest = yield* Effect.forkScoped(send(half, TRANSFERS))
    // In the middle of its work: it has made some payments of this half, and not all.
    yield* Effect.repeat(Effect.sleep("20 millis"), {
      until: () => broadcasts(workers[0]) + broadcasts(workers[1]) > half
    })
    yield* workers[0].kill("SIGKILL")
    tally("kills", 1)
    yield* Fiber.join(rest)
    const ends = yield* Effect.forEach(begun, ({ quoted }) => ended(api.url, quoted), { concurrency: "unbounded" })
    assert.deepStrictEqual([...new Set(ends.map(({ status }) => status))], ["success"], workers[1].output())

    // Asked to stop, it ends, and another worker has its work at once.
    const third = yield* startWorker()
    assert.strictEqual(yield* workers[1].kill("SIGTERM"), 0)
    const last = yield* begin(api.url, chains, keyOf(0), "fill", 5_000 + TRANSFERS)
    yield* sendDeposit(chains.alpha, keyOf(0), last.quoted)
    assert.strictEqual((yield* ended(api.url, last.quoted)).status, "success", third.output())

    const paid = (yield* sentBy(chains.beta, chains.solver)).slice(before)
    const first = paid[0]?.nonce ?? -1
    assert.deepStrictEqual(
      paid.map(({ nonce }) => nonce),
      [...indices, TRANSFERS].map((index) => first + index),
      "one payment each, none of their numbers left out"
    )
    assert.lengthOf(new Set(paid.map(({ input }) => input)), TRANSFERS + 1)
  })
)

const payouts = test(
  "a wallet is credited by one worker and paid by its successor, once: the first is killed with the payment broadcast",
  Effect.gen(function*() {
    const { chains, fixture } = yield* Running
    const { startApi, startWorker } = yield* fixture
    const { url } = yield* startApi
    const key = chains.users[5] ?? "0x"
    const wallet = privateKeyToAccount(key).address
    const doomed = yield* startWorker({ CREDITS_FROM_BLOCK: "0", FAILPOINT: "Treasury.broadcast:after" })
    yield* sendCall(chains.beta, key, {
      to: USDC.address,
      data: transferCall(chains.solver, 5_000_000n, marked(wallet))
    })
    yield* eventually("the credit is seen", balanceOf(url, wallet), ({ amount }) => amount === "5000000")
    const recipient = toHex(0x9057_0001, { size: 20 })
    const asked = yield* askPayout(url, chains, key, { kind: "withdraw", recipient, amount: 2_000_000n, nonce: 1n })
    assert.strictEqual(yield* doomed.ended, "SIGKILL", doomed.output())
    tally("kills", 1)
    const next = yield* startWorker()
    assert.strictEqual((yield* payoutEnded(asked, url)).status, "success", next.output())
    assert.strictEqual(yield* held(chains.beta, USDC, recipient), 2_000_000n)
    assert.strictEqual((yield* balanceOf(url, wallet)).amount, "3000000")
    assert.lengthOf(
      (yield* sentBy(chains.beta, chains.solver)).filter(({ input }) => input.endsWith(asked.id.slice(2))),
      1
    )
  })
)

const rolling = test(
  "a rolling restart of the API fails no request: each process answers 503 first and exits with 0",
  Effect.gen(function*() {
    const { chains, fixture } = yield* Running
    const { spawnApi, startApi } = yield* fixture
    const ports = [yield* anyFree, yield* anyFree]
    const start = (number: number) => spawnApi({ TRANSFER_PORT: `${ports[number] ?? 0}`, SHUTDOWN_DELAY_SECONDS: "5" })
    const user = privateKeyToAccount(chains.users[0] ?? "0x").address
    const request = nativeRequest(user, chains.alpha, chains.beta, 10n ** 16n)
    const known = yield* Effect.scoped(Effect.flatMap(startApi, ({ url }) => quote(url, request)))
    const query = `requestId=${known.steps[0]?.requestId ?? ""}`
    const post = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(request) }
    const asks: ReadonlyArray<Ask> = [
      { name: "a quote", at: async (url) => wrongUnless200(await fetch(`${url}/quote`, post)) },
      { name: "a state", at: async (url) => wrongUnless200(await fetch(`${url}/intents/status?${query}`)) },
      {
        // Waits for a deposit that never comes: only the end of the process ends it.
        name: "a stream",
        at: async (url) => {
          const response = await fetch(`${url}/intents/status/stream?${query}`)
          const events = eventsOf(await response.text())
          return response.status === 200 && events.length === 1
            ? undefined
            : `${response.status}, ${events.length} events`
        }
      }
    ]
    const { answered, ends, failures, readiness } = yield* rollingRestart({
      start,
      count: 2,
      readiness: "/ready",
      asks
    })
    assert.deepStrictEqual(failures, [])
    assert.deepStrictEqual(readiness, [503, 503])
    assert.deepStrictEqual(ends, [0, 0])
    assert.isAbove(answered, 100)
  })
)

describe.skipIf(programs === undefined)("on PostgreSQL", () => {
  layer(Running.layer, { excludeTestServices: true })((it) => {
    for (const { effect, name } of [successor, shared, payouts, rolling]) it.effect(name, () => effect)
  })
})
