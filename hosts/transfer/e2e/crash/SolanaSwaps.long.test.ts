/**
 * A worker over PostgreSQL that is killed around a fill that swaps on Solana: after signing, and after broadcasting. The
 * API continues, and another worker ends it.
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

const programs = requirePostgres()

const NATIVE = "0x0000000000000000000000000000000000000000"

const places = ["Payments.signOnce fill:after", "Treasury.broadcast:after"] as const

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
  const rpc = createSolanaRpc(solana.url)
  for (const [index, place] of places.entries()) {
    const recipient = keyOfSeed(new Uint8Array(randomBytes(32))).address
    const before = yield* held(solanaSolver, usdc)
    const doomed = yield* worker({ FAILPOINT: place })
    const { evmUser, key } = partyOf(index)
    const quoted = yield* quote(
      api.url,
      toSolana(evmUser, recipient, NATIVE, gem.address, chains.alpha.chainId, parseEther("0.1"))
    )
    yield* execute(chains.alpha, key, quoted)
    assert.strictEqual(yield* doomed.ended, "SIGKILL", doomed.output())
    tally("kills", 1)
    yield* Effect.scoped(Effect.gen(function*() {
      const next = yield* worker()
      assert.strictEqual((yield* endedAnywhere(api.url, quoted)).status, "success", next.output())
    }))
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

describe("a worker over PostgreSQL that is killed around a fill that swaps on Solana", () => {
  it.live.skipIf(programs === undefined)(
    "has paid exactly once, to the unit of the quote, by the worker after it",
    () => Effect.orDie(Effect.scoped(strike))
  )
})
