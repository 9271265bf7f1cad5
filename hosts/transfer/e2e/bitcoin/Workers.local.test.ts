/**
 * Two workers over one PostgreSQL pay on Bitcoin at once, from one pool of coins: no coin is claimed twice, each order
 * is paid once, each deposit address is swept once, and the work of a killed worker is taken over.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import { parseEther } from "viem"
import { layerDatabase } from "../../../../adapters/storage/engine/Database.ts"
import * as PostgresServer from "../../../../adapters/storage/testing/PostgresServer.ts"
import { coinName } from "../../../../src/domain/families/bitcoin/treasury/FreeCoins.ts"
import { readStoredForm } from "../../../../src/domain/families/bitcoin/treasury/PaymentForm.ts"
import { requirePostgres } from "../../../../scripts/testing/Capability.ts"
import { tally } from "../../../../scripts/testing/Tally.ts"
import { anyFree } from "../../../localnet/nodes/Port.ts"
import { bitcoinChainId } from "../../../localnet/nodes/bitcoin/BitcoinChain.ts"
import { keyOf } from "../../../localnet/nodes/bitcoin/node/LocalKey.ts"
import { bitcoinAddressFor, payBitcoin } from "../../testing/BitcoinAddressed.ts"
import { fromBitcoin } from "../../testing/BitcoinClient.ts"
import { BTC, FINAL_AFTER, startBitcoinNetwork } from "../../testing/BitcoinNetwork.ts"
import { execute, quote, reader } from "../../testing/Client.ts"
import { untilDivided } from "../../testing/DividedWork.ts"
import { spawnHost, startHost } from "../../testing/HostProcess.ts"
import type { HostProcess } from "../../testing/HostProcess.ts"
import { eventually } from "../../testing/Misbehaving.ts"
import { slowingBlocks } from "../../testing/SlowingBlocks.ts"
import { endedAnywhere } from "../../testing/SolanaClient.ts"

const programs = requirePostgres()

/** More than there are coins, so that change is spent, too. */
const TRANSFERS = 14

const ADDRESSES = 6
const SOME = 5_000_000n
const NATIVE = "0x0000000000000000000000000000000000000000"

const newAddress = () => keyOf(new Uint8Array(randomBytes(32))).address

/** How many payments of a kind a worker has signed, by its own output (`FAILPOINT=??`). */
const signatures = ({ output }: HostProcess, kind: "fill" | "sweep" = "fill"): number =>
  output().match(new RegExp(`^failpoint Payments\\.signOnce ${kind}:after$`, "gm"))?.length ?? 0

/** An HTTP process without the seed of deposit addresses, and two workers that have it. */
const startWorkers = Effect.gen(function*() {
  const network = yield* startBitcoinNetwork
  const { DEPOSIT_ADDRESS_SEED: seed = "", ...withoutSeed } = network.environment
  const server = yield* PostgresServer.start(programs ?? { initdb: "", pgCtl: "" })
  const DATABASE_URL = Redacted.value(yield* server.createDatabase)
  const startWorker = Effect.gen(function*() {
    return yield* spawnHost("worker", {
      ...network.environment,
      DATABASE_URL,
      RUNNER_PORT: `${yield* anyFree}`,
      FAILPOINT: "??"
    })
  })
  const api = yield* startHost({ ...withoutSeed, DATABASE_URL })
  const workers = [yield* startWorker, yield* startWorker] as const
  yield* untilDivided(DATABASE_URL, workers)
  /** The coins of all payments that were ever signed, and how many these are. */
  const signedFor = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT raw FROM payments`).pipe(
    Effect.map((rows) => rows.flatMap(({ raw }) => readStoredForm(String(raw)) ?? [])),
    Effect.map((forms) => ({
      payments: forms.length,
      coins: forms.flatMap(({ form }) => form.inputs.map(coinName))
    })),
    Effect.provide(layerDatabase(Redacted.make(DATABASE_URL)))
  )
  return { ...network, api, seed, workers, signedFor }
})

describe.skipIf(programs === undefined)("two workers with Bitcoin over one PostgreSQL", () => {
  it.live("claim each coin once and pay each order once, also when one of them is killed", () =>
    Effect.scoped(Effect.gen(function*() {
      const { api, bitcoin, chains, heldOnBitcoin, key, signedFor, user, workers } = yield* startWorkers
      const all = yield* Effect.forEach(
        Array.from({ length: TRANSFERS }, (_, index) => index),
        Effect.fnUntraced(function*(index) {
          const recipient = newAddress()
          const quoted = yield* quote(api.url, {
            user: user(index),
            recipient,
            originChainId: chains.alpha.chainId,
            destinationChainId: bitcoinChainId,
            originCurrency: NATIVE,
            destinationCurrency: BTC,
            amount: `${parseEther("0.1")}`,
            tradeType: "EXACT_INPUT"
          })
          return { index, quoted, recipient }
        })
      )
      const pay = (some: typeof all) =>
        Effect.forEach(some, ({ index, quoted }) => execute(chains.alpha, key(index), quoted), { concurrency: 4 })
      const signed = (least: number) =>
        eventually(
          `${least} are signed`,
          Effect.sync(() => signatures(workers[0]) + signatures(workers[1])),
          (count) => count >= least
        )
      // No block comes: all that was signed waits. An order's number decides which worker pays it.
      let begun = 0
      while (begun < TRANSFERS - 3 && workers.some((worker) => signatures(worker) === 0)) {
        yield* pay(all.slice(begun, begun += 1))
        yield* signed(begun)
      }
      for (const worker of workers) assert.isAbove(signatures(worker), 0, worker.output())
      yield* pay(all.slice(begun))
      yield* signed(begun + 1)
      yield* workers[0].kill("SIGKILL")
      tally("kills", 1)
      const mining = slowingBlocks(bitcoin.mine())
      const ends = yield* Effect.raceFirst(
        Effect.forEach(all, ({ quoted }) => endedAnywhere(api.url, quoted), { concurrency: "unbounded" }),
        mining
      )
      assert.deepStrictEqual([...new Set(ends.map(({ status }) => status))], ["success"], workers[1].output())
      yield* bitcoin.mine(7)
      for (const { quoted, recipient } of all) {
        assert.lengthOf(bitcoin.chain.ledger.idsOf(recipient), 1)
        assert.strictEqual(heldOnBitcoin(recipient), BigInt(quoted.details.currencyOut.amount))
      }
      // No two payments were ever signed for one coin.
      const { coins, payments } = yield* signedFor
      assert.strictEqual(payments, TRANSFERS)
      assert.isAtLeast(coins.length, TRANSFERS)
      assert.lengthOf(new Set(coins), coins.length)
    })))

  it.live("sweep each deposit address once, which a process without the seed has quoted, also when one is killed", () =>
    Effect.scoped(Effect.gen(function*() {
      const { api, bitcoin, chains, fresh, heldOnBitcoin, seed, signedFor, workers } = yield* startWorkers
      const all = yield* Effect.forEach(
        Array.from({ length: ADDRESSES }),
        Effect.fnUntraced(function*() {
          const recipient = fresh()
          const made = yield* bitcoinAddressFor(
            api.url,
            fromBitcoin({ address: newAddress() }, recipient, [chains.alpha.chainId, NATIVE], SOME, {
              refundTo: newAddress()
            })
          )
          return { ...made, recipient }
        })
      )
      assert.lengthOf(new Set(all.map(({ depositAddress }) => depositAddress)), ADDRESSES)
      for (const { depositAddress } of all) yield* payBitcoin(bitcoin, depositAddress, SOME)
      yield* bitcoin.mine(FINAL_AFTER + 1)
      // No block comes: what was signed waits.
      yield* eventually(
        "sweeps are signed",
        Effect.sync(() => workers.map((worker) => signatures(worker, "sweep"))),
        ([first = 0, second = 0]) => first + second >= ADDRESSES - 1 || (first > 0 && second > 0)
      )
      const [killed, left] = signatures(workers[0], "sweep") > 0 ? workers : [workers[1], workers[0]]
      yield* killed.kill("SIGKILL")
      tally("kills", 1)
      const mining = slowingBlocks(bitcoin.mine())
      const ends = yield* Effect.raceFirst(
        Effect.forEach(all, ({ quoted }) => endedAnywhere(api.url, quoted), { concurrency: "unbounded" }),
        mining
      )
      assert.deepStrictEqual([...new Set(ends.map(({ status }) => status))], ["success"], left.output())
      yield* bitcoin.mine(FINAL_AFTER + 1)
      for (const { depositAddress, quoted, recipient } of all) {
        assert.lengthOf(bitcoin.chain.ledger.idsOf(depositAddress), 2)
        assert.strictEqual(heldOnBitcoin(depositAddress), 0n)
        const [got, promised] = [
          yield* Effect.promise(() => reader(chains.alpha).getBalance({ address: recipient })),
          BigInt(quoted.details.currencyOut.amount)
        ]
        // The price is that of the sweep's block.
        assert.isTrue(got * 100n > promised * 99n && got * 100n < promised * 101n, `${got} of ${promised}`)
      }
      const { coins, payments } = yield* signedFor
      assert.strictEqual(payments, ADDRESSES)
      assert.lengthOf(new Set(coins), coins.length)
      for (const { output } of [api, ...workers]) assert.notInclude(output(), seed.slice(2))
    })))
})
