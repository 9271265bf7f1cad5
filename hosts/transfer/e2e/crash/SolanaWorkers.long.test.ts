/**
 * A worker over PostgreSQL that is killed around a payment on Solana, after signing and after broadcasting: a plain fill,
 * a refund, and a fill that swaps. The API continues, and another worker ends it.
 */
import { assert, describe, it } from "@effect/vitest"
import { address, createSolanaRpc } from "@solana/kit"
import { Effect, Redacted } from "effect"
import { parseEther } from "viem"
import { randomBytes } from "node:crypto"
import * as PostgresServer from "../../../../adapters/storage/testing/PostgresServer.ts"
import { requirePostgres } from "../../../../scripts/testing/Capability.ts"
import { tally } from "../../../../scripts/testing/Tally.ts"
import { anyFree } from "../../../localnet/nodes/Port.ts"
import { keyOfSeed } from "../../../localnet/nodes/solana/node/LocalKey.ts"
import { holding } from "../../../localnet/nodes/solana/node/TokenAccount.ts"
import { tokenAccount } from "../../../localnet/nodes/solana/DepositoryProgram.ts"
import type { Mint } from "../../../localnet/nodes/solana/Mints.ts"
import { usdc } from "../../../localnet/nodes/solana/Mints.ts"
import { gem } from "../../../localnet/nodes/solana/pools/Pools.ts"
import { execute, quote } from "../../testing/Client.ts"
import { spawnHost } from "../../testing/HostProcess.ts"
import { orderIdOf } from "../../testing/Misbehaving.ts"
import { endedAnywhere, toSolana } from "../../testing/SolanaClient.ts"
import { startSolanaNetwork } from "../../testing/SolanaNetwork.ts"
import { hostsOver } from "../../testing/TransferNetwork.ts"
import { assertEachOnceOnSolana, beginSolana, holdingsOf, paySolana } from "./testing/SolanaScenarios.ts"
import type { SolanaBegun } from "./testing/SolanaScenarios.ts"

const programs = requirePostgres()

const NATIVE = "0x0000000000000000000000000000000000000000"

/** The payment of each kind that a worker is killed around, by its name at the places where it is signed. */
const payments = { plain: "fill", returned: "refund" } as const

const placesOf = (payment: "fill" | "refund") => [`Payments.signOnce ${payment}:after`, "Treasury.broadcast:after"]

const strike = Effect.gen(function*() {
  const network = yield* startSolanaNetwork()
  const { chains, environment, partyOf, solana, solanaSolver } = network
  const server = yield* PostgresServer.start(programs ?? { initdb: "", pgCtl: "" })
  const DATABASE_URL = Redacted.value(yield* server.createDatabase)
  // A process that only answers HTTP has no seed.
  const { DEPOSIT_ADDRESS_SEED: _, ...apart } = environment
  const api = yield* hostsOver(apart).startInstance({ DATABASE_URL })
  const worker = Effect.fnUntraced(function*(changes: Readonly<Record<string, string>> = {}) {
    return yield* spawnHost("worker", { ...environment, DATABASE_URL, RUNNER_PORT: `${yield* anyFree}`, ...changes })
  })
  const held = (owner: string, mint: Mint) =>
    Effect.map(
      Effect.promise(() => tokenAccount(address(owner), mint.address, mint.program)),
      (account) => holding(solana.chain.read(account, "processed"))?.amount ?? 0n
    )
  /** One worker is killed at the place after the deposit, and the next one ends the request. */
  const carriedOut = Effect.fnUntraced(function*<E, R>(
    place: string,
    deposit: Effect.Effect<{ readonly steps: ReadonlyArray<{ readonly requestId: string }> }, E, R>
  ) {
    const doomed = yield* worker({ FAILPOINT: place })
    const quoted = yield* deposit
    assert.strictEqual(yield* doomed.ended, "SIGKILL", doomed.output())
    tally("kills", 1)
    return yield* Effect.scoped(Effect.gen(function*() {
      const next = yield* worker()
      const { status } = yield* endedAnywhere(api.url, quoted)
      assert.include(["success", "refund"], status, next.output())
      return status
    }))
  })

  const holdings = yield* holdingsOf(network)
  const begun: Array<SolanaBegun> = []
  for (const scenario of ["plain", "returned"] as const) {
    for (const place of placesOf(payments[scenario])) {
      const index = begun.length
      const one = yield* beginSolana(api.url, network, scenario, index)
      begun.push(one)
      yield* carriedOut(place, Effect.as(paySolana(network, one, index), one.quoted))
    }
  }
  // To the unit of the quotes and by one transaction each, with the balances of solver and vault.
  yield* assertEachOnceOnSolana(api.url, network, begun, holdings)

  const rpc = createSolanaRpc(solana.url)
  for (const [at, place] of placesOf("fill").entries()) {
    const recipient = keyOfSeed(new Uint8Array(randomBytes(32))).address
    const before = yield* held(solanaSolver, usdc)
    const { evmUser, key } = partyOf(begun.length + at)
    const quoted = yield* quote(
      api.url,
      toSolana(evmUser, recipient, NATIVE, gem.address, chains.alpha.chainId, parseEther("0.1"))
    )
    const status = yield* carriedOut(place, Effect.as(execute(chains.alpha, key, quoted), quoted))
    assert.strictEqual(status, "success")
    // Enough time for any other signed transaction to be executed, if there were one.
    yield* solana.mine(5)
    assert.strictEqual(yield* held(recipient, gem), BigInt(quoted.details.currencyOut.amount), place)
    const named = yield* Effect.promise(async () =>
      (await rpc.getSignaturesForAddress(address(solanaSolver)).send()).filter(({ memo }) =>
        memo?.includes(orderIdOf(quoted)) === true
      )
    )
    assert.deepStrictEqual(named.map(({ err }) => err), [null], place)
    const paid = before - (yield* held(solanaSolver, usdc))
    assert.isTrue(paid > 0n && paid < 260_000_000n, `${place}: ${paid}`)
  }
})

describe("a worker over PostgreSQL that is killed around a plain fill, a refund, or a fill that swaps on Solana", () => {
  it.live.skipIf(programs === undefined)(
    "has paid exactly once, to the unit of the quote, by the worker after it",
    () => Effect.orDie(Effect.scoped(strike))
  )
})
