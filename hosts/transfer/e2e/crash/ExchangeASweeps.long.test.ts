/**
 * A host that is killed around the sweep of a deposit address on exchange A: before or after the exchange has executed
 * anything of it. After the restart the money is deposited once, to the unit, and the doctor finds nothing.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { tally } from "../../../../scripts/testing/Tally.ts"
import { RESIDUE } from "../../../../src/domain/families/exchange-a/addresses/Residue.ts"
import { reader } from "../../testing/Client.ts"
import { exchangeAAddressFor, payAddress, sweptFrom } from "../../testing/ExchangeAAddressed.ts"
import { fromExchangeA } from "../../testing/ExchangeAClient.ts"
import { startExchangeANetwork } from "../../testing/ExchangeANetwork.ts"
import { eventually, openDeposits } from "../../testing/Misbehaving.ts"
import { heldOnExchange, PERPS, SPOT } from "../../testing/PaidOnExchangeA.ts"
import { runDoctor } from "../../testing/RunOperation.ts"
import { endedAnywhere } from "../../testing/SolanaClient.ts"

const NATIVE = "0x0000000000000000000000000000000000000000"
const SOME = 10_000_000_000n

/** Where the host dies, and how many sweeps the exchange has executed then. */
const places = [
  [PERPS, "Payments.signOnce sweep:after", 0],
  [SPOT, "Treasury.broadcast:after", 1],
  [PERPS, "Payments.recordOutcome sweep:before", 1]
] as const

describe("a host that is killed around the sweep of a deposit address on exchange A", () => {
  it.live("has swept and filled exactly once after the restart, in what was paid to the address", () =>
    Effect.scoped(Effect.gen(function*() {
      const network = yield* startExchangeANetwork
      const { book, chains, environment, exchangeUrl, fresh, other, startHost, wallet } = network
      for (const [currency, place, executed] of places) {
        const recipient = fresh()
        const killed = yield* startHost({ FAILPOINT: place })
        const { depositAddress, quoted } = yield* exchangeAAddressFor(
          killed.url,
          fromExchangeA(wallet, recipient, [chains.alpha.chainId, NATIVE], [currency, SOME], {
            strict: true,
            refundTo: wallet.address
          })
        )
        yield* payAddress(exchangeUrl, other, quoted, { amount: SOME, dex: currency === PERPS ? "" : "spot" })
        assert.strictEqual(yield* killed.ended, "SIGKILL", place)
        tally("kills", 1)
        assert.lengthOf(sweptFrom(book, depositAddress), executed, place)
        const host = yield* startHost()
        const ended = yield* endedAnywhere(host.url, quoted)
        assert.deepInclude(ended, { status: "success", inTxHashes: sweptFrom(book, depositAddress) }, place)
        yield* eventually("all deposits are closed", openDeposits(environment), (open) => open === 0)
        yield* host.kill("SIGTERM")
        assert.lengthOf(sweptFrom(book, depositAddress), 1, place)
        assert.strictEqual(heldOnExchange(book, SPOT, depositAddress), RESIDUE, place)
        assert.strictEqual(heldOnExchange(book, PERPS, depositAddress), 0n, place)
        const received = yield* Effect.promise(() => reader(chains.alpha).getBalance({ address: recipient }))
        assert.isTrue(received > 0n, place)
      }
      const doctor = yield* runDoctor(environment)
      assert.deepInclude(JSON.parse(doctor.out), { findings: [] })
    })))
})
