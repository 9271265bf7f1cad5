/**
 * A store with Tron that is restored from a backup: it holds payments until no earlier one can appear, finds what was
 * paid since, and pays each deposit once.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { dirname, join } from "node:path"
import { privateKeyToAddress } from "viem/accounts"
import { usdt } from "../../../localnet/nodes/tron/Deposits.ts"
import { TRON_CHAIN_ID } from "../../../localnet/nodes/tron/node/ChainNumber.ts"
import { rowsBeside } from "../../testing/BesideStore.ts"
import { execute, quote } from "../../testing/Client.ts"
import { eventually, openDeposits } from "../../testing/Misbehaving.ts"
import { runDoctor, runOperation } from "../../testing/RunOperation.ts"
import { slowingBlocks } from "../../testing/SlowingBlocks.ts"
import { endedAnywhere } from "../../testing/SolanaClient.ts"
import { toTron } from "../../testing/TronClient.ts"
import { newTronAddress, startTronNetwork, TRX } from "../../testing/TronNetwork.ts"

type Network = Effect.Success<typeof startTronNetwork>

/** Ether for a currency of the chain, by a user of its own. */
const transfer = Effect.fnUntraced(
  function*({ chains, key }: Network, url: string, destinationCurrency: string, index: number) {
    const recipient = newTronAddress()
    const quoted = yield* quote(
      url,
      toTron(privateKeyToAddress(key(index)), recipient, chains.alpha.chainId, destinationCurrency)
    )
    return {
      recipient,
      currency: destinationCurrency,
      quoted,
      amount: BigInt(quoted.details.currencyOut.amount),
      pay: execute(chains.alpha, key(index), quoted)
    }
  }
)

/** The payments on Tron that the store has, as they were signed, oldest first. */
const signedIn = (store: string) =>
  Effect.map(
    rowsBeside(store, "SELECT raw FROM payments WHERE chain_id = ? ORDER BY sequence", TRON_CHAIN_ID),
    (rows) => rows.map(({ raw }) => String(raw))
  )

describe("a store with Tron that is restored from a backup", () => {
  it.live("pays each deposit once: what a block had, what came later, and what never came; and the doctor agrees", () =>
    Effect.scoped(Effect.gen(function*() {
      const network = yield* startTronNetwork
      const { environment, heldOnTron, startHost, store, tron, whileMining } = network
      const file = join(dirname(store.slice("sqlite:".length)), "backups", "one.db")
      const first = yield* startHost()
      const begin = (currency: string, index: number) => transfer(network, first.url, currency, index)
      const [paid, late, lost] = [yield* begin(TRX, 0), yield* begin(usdt, 1), yield* begin(TRX, 2)]
      const backedUp = yield* runOperation("backup", environment, file)
      assert.strictEqual(backedUp.code, 0, backedUp.error)

      yield* paid.pay
      yield* whileMining(endedAnywhere(first.url, paid.quoted))
      // Both are signed, and reach no node before the host is lost.
      yield* tron.setFault({ methods: ["/wallet/broadcasthex"], kind: "error", code: -1, message: "no" })
      yield* late.pay
      yield* eventually("it is signed", signedIn(store), (raws) => raws.length === 2)
      yield* lost.pay
      const raws = yield* eventually("all are signed", signedIn(store), (found) => found.length === 3)
      yield* first.kill("SIGKILL")
      yield* tron.setFault(undefined)

      const restored = yield* runOperation("restore", environment, file)
      assert.strictEqual(restored.code, 0, restored.error)
      const second = yield* startHost()
      yield* tron.mine(40)
      // It waits, however often it looks: what was signed before may still be executed.
      const said = Effect.sync(second.output)
      yield* eventually(
        "decisions are held",
        said,
        (output) => output.split("are held until").length > 25 || output.includes("go on")
      )
      assert.notInclude(second.output(), "go on")
      assert.lengthOf(yield* signedIn(store), 0)
      // Somebody has kept the bytes, and sends them now.
      yield* Effect.promise(() =>
        fetch(`${tron.url}/wallet/broadcasthex`, {
          method: "POST",
          body: JSON.stringify({ transaction: (raws[1] ?? "").split(".")[0] })
        })
      )
      yield* tron.mine()
      assert.strictEqual(yield* heldOnTron(usdt, late.recipient), late.amount)
      // A minute a time: the service looks at the chain once it knows the deposits, and waits from there.
      const passing = slowingBlocks(
        Effect.promise(() => {
          tron.chain.wait(tron.chain.ledger.tip.timestamp + 60_000)
          return tron.chain.mine(7)
        })
      )
      yield* Effect.raceFirst(
        eventually("payments go on", said, (output) => output.includes("tron-local go on")),
        passing
      )
      for (const { amount, currency, quoted, recipient } of [paid, late, lost]) {
        assert.deepInclude(yield* whileMining(endedAnywhere(second.url, quoted)), { status: "success" })
        assert.strictEqual(yield* heldOnTron(currency, recipient), amount)
      }
      yield* whileMining(eventually("all deposits are closed", openDeposits(environment), (open) => open === 0))
      for (const { amount, currency, recipient } of [paid, late, lost]) {
        assert.strictEqual(yield* heldOnTron(currency, recipient), amount)
      }
      assert.lengthOf(yield* signedIn(store), 3)
      const doctor = yield* runDoctor(environment)
      assert.deepInclude(JSON.parse(doctor.out), { findings: [] })
      yield* second.kill("SIGTERM")
    })))
})
