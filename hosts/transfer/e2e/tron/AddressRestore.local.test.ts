/**
 * A store that is restored from a backup and has forgotten sweeps of deposit addresses on Tron: one that a block has, and
 * one that was only signed. The chain tells what was swept, and each deposit is filled once.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { dirname, join } from "node:path"
import { usdt } from "../../../localnet/nodes/tron/Deposits.ts"
import { TRON_CHAIN_ID } from "../../../localnet/nodes/tron/node/ChainNumber.ts"
import { keyOf } from "../../../localnet/nodes/tron/node/LocalKey.ts"
import { requestsOf } from "../../testing/Addressed.ts"
import { numberBeside } from "../../testing/BesideStore.ts"
import { reader } from "../../testing/Client.ts"
import { eventually, openDeposits } from "../../testing/Misbehaving.ts"
import { runDoctor, runOperation } from "../../testing/RunOperation.ts"
import { slowingBlocks } from "../../testing/SlowingBlocks.ts"
import { endedAnywhere } from "../../testing/SolanaClient.ts"
import { assertFilled, payTron, sweepsOf, tronAddressFor } from "../../testing/TronAddressed.ts"
import { fromTron } from "../../testing/TronClient.ts"
import { startTronNetwork, TRX } from "../../testing/TronNetwork.ts"

const NATIVE = "0x0000000000000000000000000000000000000000"
const ONE = 1_000_000n
const SOME = 100n * ONE

const newKey = () => keyOf(`0x${randomBytes(32).toString("hex")}`)

/** How many payments on Tron the store has. */
const countSigned = (store: string) =>
  numberBeside(store, "SELECT COUNT(*) AS n FROM payments WHERE chain_id = ?", TRON_CHAIN_ID)

describe("a store that has forgotten sweeps on Tron", () => {
  it.live("finds the deposit of the one that was made, makes the other once nothing can execute it, and fills each once", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains, environment, fresh, heldOnTron, startHost, store, tron, wallet } = yield* startTronNetwork
      const file = join(dirname(store.slice("sqlite:".length)), "backups", "one.db")
      const mining = slowingBlocks(tron.mine(7))
      const first = yield* startHost()
      const ask = Effect.fnUntraced(function*(currency: string) {
        const recipient = fresh()
        const body = fromTron({ key: newKey() }, recipient, [chains.alpha.chainId, NATIVE], [currency, SOME], {
          strict: true,
          refundTo: newKey().address
        })
        return { ...yield* tronAddressFor(first.url, body), currency, recipient }
      })
      const [made, lost] = [yield* ask(TRX), yield* ask(usdt)]
      const backedUp = yield* runOperation("backup", environment, file)
      assert.strictEqual(backedUp.code, 0, backedUp.error)

      yield* payTron(wallet, made.depositAddress, TRX, SOME)
      yield* Effect.raceFirst(endedAnywhere(first.url, made.quoted), mining)
      const [sweep] = sweepsOf(tron, made.depositAddress)
      // It is signed, and reaches no node before the host is lost.
      yield* payTron(wallet, lost.depositAddress, usdt, SOME)
      yield* tron.mine()
      yield* tron.setFault({ methods: ["/wallet/broadcasthex"], kind: "error", code: -1, message: "no" })
      yield* Effect.raceFirst(eventually("it is signed", countSigned(store), (n) => n === 2), mining)
      yield* first.kill("SIGKILL")
      yield* tron.setFault(undefined)

      const restored = yield* runOperation("restore", environment, file)
      assert.strictEqual(restored.code, 0, restored.error)
      const second = yield* startHost()
      // A minute a time: the service looks at the chain once it knows the deposits, and waits from there.
      const passing = slowingBlocks(
        Effect.promise(() => {
          tron.chain.wait(tron.chain.ledger.tip.timestamp + 60_000)
          return tron.chain.mine(7)
        })
      )
      const said = Effect.sync(second.output)
      yield* Effect.raceFirst(
        eventually("payments go on", said, (output) => output.includes("tron-local go on")),
        passing
      )
      for (const { currency, depositAddress, quoted, recipient } of [made, lost]) {
        assert.deepInclude(yield* Effect.raceFirst(endedAnywhere(second.url, quoted), mining), { status: "success" })
        assert.lengthOf(sweepsOf(tron, depositAddress), 1)
        if (currency !== TRX) assert.strictEqual(yield* heldOnTron(currency, depositAddress), 0n)
        const received = yield* Effect.promise(() => reader(chains.alpha).getBalance({ address: recipient }))
        assertFilled(received, quoted)
        assert.lengthOf(yield* requestsOf(second.url, depositAddress), 1)
      }
      assert.deepStrictEqual(sweepsOf(tron, made.depositAddress), [sweep])
      yield* Effect.raceFirst(
        eventually("all deposits are closed", openDeposits(environment), (open) => open === 0),
        mining
      )
      const doctor = yield* runDoctor(environment)
      assert.deepInclude(JSON.parse(doctor.out), { findings: [] })
      yield* second.kill("SIGTERM")
    })))
})
