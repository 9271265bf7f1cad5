/**
 * A store that is restored from a backup and has forgotten sweeps of deposit addresses on exchange A, with their mappings:
 * those that were executed and one that was only signed. Each deposit is filled once.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { dirname, join } from "node:path"
import { EXCHANGE_A_CHAIN_ID } from "../../../localnet/nodes/exchange-a/ExchangeAChain.ts"
import { requestsOf } from "../../testing/Addressed.ts"
import { numberBeside } from "../../testing/BesideStore.ts"
import { reader } from "../../testing/Client.ts"
import { exchangeAAddressFor, payAddress, sweptFrom } from "../../testing/ExchangeAAddressed.ts"
import { fromExchangeA } from "../../testing/ExchangeAClient.ts"
import { startExchangeANetwork } from "../../testing/ExchangeANetwork.ts"
import { eventually, openDeposits } from "../../testing/Misbehaving.ts"
import { heldOnExchange, PERPS, SPOT } from "../../testing/PaidOnExchangeA.ts"
import { runOperation } from "../../testing/RunOperation.ts"
import { endedAnywhere } from "../../testing/SolanaClient.ts"

const NATIVE = "0x0000000000000000000000000000000000000000"
const USD = 100_000_000n
const SOME = 100n * USD

/** How many payments on the exchange the store has. */
const countSigned = (store: string) =>
  numberBeside(store, "SELECT COUNT(*) AS n FROM payments WHERE chain_id = ?", EXCHANGE_A_CHAIN_ID)

describe("a store that has forgotten sweeps on exchange A", () => {
  it.live("names those that were made again, makes the other, and fills each once; a later request is not taken for the first", () =>
    Effect.scoped(Effect.gen(function*() {
      const network = yield* startExchangeANetwork
      const { book, chains, environment, exchangeUrl, fresh, misbehave, other, startHost, store, wallet } = network
      const file = join(dirname(store.slice("sqlite:".length)), "backups", "one.db")
      const first = yield* startHost()
      const ask = Effect.fnUntraced(function*(currency: string, strict: boolean) {
        const recipient = fresh()
        const body = fromExchangeA(wallet, recipient, [chains.alpha.chainId, NATIVE], [currency, SOME], {
          strict,
          refundTo: wallet.address
        })
        return { ...yield* exchangeAAddressFor(first.url, body), currency, recipient }
      })
      const pay = ({ currency, quoted }: Effect.Success<ReturnType<typeof ask>>) =>
        payAddress(exchangeUrl, other, quoted, { amount: SOME, dex: currency === PERPS ? "" : "spot" })
      const etherOf = (account: `0x${string}`) =>
        Effect.promise(() => reader(chains.alpha).getBalance({ address: account }))
      const [strict, open, lost] = [yield* ask(PERPS, true), yield* ask(SPOT, false), yield* ask(PERPS, true)]
      const backedUp = yield* runOperation("backup", environment, file)
      assert.strictEqual(backedUp.code, 0, backedUp.error)

      for (const made of [strict, open]) {
        yield* pay(made)
        assert.deepInclude(yield* endedAnywhere(first.url, made.quoted), { status: "success" })
      }
      // A request of its own, which the backup does not know.
      yield* pay(open)
      yield* eventually(
        "the later request succeeds",
        requestsOf(first.url, open.depositAddress),
        (found) => found.length === 2 && found.every(({ status }) => status === "success")
      )
      const before = yield* Effect.forEach([strict, open], ({ recipient }) => etherOf(recipient))
      const refunds = heldOnExchange(book, SPOT, wallet.address)
      // It is signed, and not executed before the host is lost.
      const signed = yield* countSigned(store)
      yield* misbehave({ kind: "away", questions: ["exchange"] })
      book.credit(lost.depositAddress, "", SOME)
      yield* eventually("the sweep is signed", countSigned(store), (count) => count > signed)
      yield* first.kill("SIGKILL")
      yield* misbehave(undefined)
      assert.isEmpty(sweptFrom(book, lost.depositAddress))

      const restored = yield* runOperation("restore", environment, file)
      assert.strictEqual(restored.code, 0, restored.error)
      const second = yield* startHost()
      const said = Effect.sync(second.output)
      yield* eventually("payments go on", said, (output) => output.includes("exchangea-local go on"))
      for (const made of [strict, open, lost]) {
        assert.deepInclude(yield* endedAnywhere(second.url, made.quoted), { status: "success" })
        assert.lengthOf(yield* requestsOf(second.url, made.depositAddress), 1)
      }
      yield* eventually("all deposits are closed", openDeposits(environment), (count) => count === 0)
      // Nobody is paid again, and nothing of the later request goes back.
      assert.strictEqual(heldOnExchange(book, SPOT, wallet.address), refunds)
      assert.deepStrictEqual(yield* Effect.forEach([strict, open], ({ recipient }) => etherOf(recipient)), before)
      assert.isTrue((yield* etherOf(lost.recipient)) > 0n)
      assert.deepStrictEqual(
        [strict, open, lost].map(({ depositAddress }) => sweptFrom(book, depositAddress).length),
        [1, 2, 1]
      )
      assert.strictEqual(heldOnExchange(book, PERPS, strict.depositAddress), 0n)
      yield* second.kill("SIGTERM")
    })))
})
