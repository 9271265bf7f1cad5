/**
 * Two workers over one PostgreSQL pay on Bitcoin at once, from one pool of coins: no coin is claimed twice, each order
 * is paid once, and the work of a killed worker is taken over.
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
import { BTC, startBitcoinNetwork } from "../../testing/BitcoinNetwork.ts"
import { execute, quote } from "../../testing/Client.ts"
import { spawnHost, startHost } from "../../testing/HostProcess.ts"
import type { HostProcess } from "../../testing/HostProcess.ts"
import { eventually } from "../../testing/Misbehaving.ts"
import { endedAnywhere } from "../../testing/SolanaClient.ts"

const programs = requirePostgres()

/** More than there are coins, so that change is spent, too. */
const TRANSFERS = 14

const newAddress = () => keyOf(new Uint8Array(randomBytes(32))).address

/** How many payments a worker has signed, by its own output (`FAILPOINT=??`). */
const signatures = ({ output }: HostProcess): number =>
  output().match(/^failpoint Payments\.signOnce fill:after$/gm)?.length ?? 0

describe.skipIf(programs === undefined)("two workers with Bitcoin over one PostgreSQL", () => {
  it.live("claim each coin once and pay each order once, also when one of them is killed", () =>
    Effect.scoped(Effect.gen(function*() {
      const { bitcoin, chains, environment, heldOnBitcoin, key, user } = yield* startBitcoinNetwork
      const { DEPOSIT_ADDRESS_SEED: _, ...withoutSeed } = environment
      const server = yield* PostgresServer.start(programs ?? { initdb: "", pgCtl: "" })
      const DATABASE_URL = Redacted.value(yield* server.createDatabase)
      const startWorker = Effect.gen(function*() {
        return yield* spawnHost("worker", {
          ...environment,
          DATABASE_URL,
          RUNNER_PORT: `${yield* anyFree}`,
          FAILPOINT: "??"
        })
      })
      const api = yield* startHost({ ...withoutSeed, DATABASE_URL })
      const workers = [yield* startWorker, yield* startWorker] as const
      const all = yield* Effect.forEach(
        Array.from({ length: TRANSFERS }, (_, index) => index),
        Effect.fnUntraced(function*(index) {
          const recipient = newAddress()
          const quoted = yield* quote(api.url, {
            user: user(index),
            recipient,
            originChainId: chains.alpha.chainId,
            destinationChainId: bitcoinChainId,
            originCurrency: "0x0000000000000000000000000000000000000000",
            destinationCurrency: BTC,
            amount: `${parseEther("0.1")}`,
            tradeType: "EXACT_INPUT"
          })
          return { index, quoted, recipient }
        })
      )
      // Each shows that it scans. Then the work is divided among them.
      yield* eventually(
        "both workers scan",
        Effect.sync(() => workers.every(({ output }) => output().includes("Deposits.record"))),
        (both) => both
      )
      const pay = (some: typeof all) =>
        Effect.forEach(some, ({ index, quoted }) => execute(chains.alpha, key(index), quoted), { concurrency: 4 })
      const signed = (least: number) =>
        eventually(
          `${least} are signed`,
          Effect.sync(() => signatures(workers[0]) + signatures(workers[1])),
          (count) => count >= least
        )
      // No block comes: all that was signed waits. The division among the workers takes a moment.
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
      const mining = Effect.forever(Effect.delay(bitcoin.mine(), "300 millis"))
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
      const rows = yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT raw FROM payments`).pipe(
        Effect.provide(layerDatabase(Redacted.make(DATABASE_URL)))
      )
      const coins = rows.flatMap(({ raw }) => readStoredForm(String(raw))?.form.inputs.map(coinName) ?? [])
      assert.lengthOf(rows, TRANSFERS)
      assert.isAtLeast(coins.length, TRANSFERS)
      assert.lengthOf(new Set(coins), coins.length)
    })))
})
