/**
 * Payments on exchange A through a host: fills of transfers from an EVM chain, on perps and on spot, to accounts that
 * exist and that do not, settled on the hub by a real oracle, which reads the mappings from the host.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { privateKeyToAddress } from "viem/accounts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { shows } from "../../../../scripts/testing/Shows.ts"
import { MAPPINGS_KEY, startExchangeANetwork } from "../../testing/ExchangeANetwork.ts"
import { startFixture } from "../../testing/Fixture.ts"
import { orderIdOf } from "../../testing/Misbehaving.ts"
import { heldOnExchange, PERPS, SPOT, toExchangeA } from "../../testing/PaidOnExchangeA.ts"
import { settled } from "../../testing/Settlements.ts"
import { settlingOver } from "../../testing/SettlingNetwork.ts"
import { endedAnywhere } from "../../testing/SolanaClient.ts"

class Running extends fixtureOf<Running>()(
  "test/ToExchangeA",
  startFixture(Effect.flatMap(startExchangeANetwork, (network) => settlingOver(network, 1, 1)), {
    keys: [MAPPINGS_KEY],
    settings: ({ settling }) => settling
  })
) {}

/** Smallest units that the exchange takes for a new account. */
const FEE = 100_000_000n

layer(Running.layer, { excludeTestServices: true })("payments on exchange A", (it) => {
  it.effect("are USDC for ether, to the unit, on perps and spot, and settle", () =>
    Effect.gen(function*() {
      const network = yield* Running
      const { book, environment, fresh, url } = network
      const paying = ([currency, isNew]: readonly [currency: string, isNew: boolean], index: number) =>
        Effect.gen(function*() {
          const recipient = fresh()
          if (!isNew) book.credit(recipient, "", 1n)
          const before = heldOnExchange(book, currency, recipient)
          const { amount, pay, quoted } = yield* toExchangeA(network, url, [currency, recipient], index)
          yield* pay
          const ended = yield* endedAnywhere(url, quoted)
          const [settlement] = yield* settled(url, orderIdOf(quoted), 1)
          const got = heldOnExchange(book, currency, recipient) - before
          return { amount, currency, ended, got, isNew, settlement }
        })
      const solver = privateKeyToAddress(`0x${environment["EXCHANGEA_SOLVER_PRIVATE_KEY"]?.slice(2)}`)
      const heldBySolver = () => heldOnExchange(book, PERPS, solver) + heldOnExchange(book, SPOT, solver)
      const before = heldBySolver()
      const made = yield* Effect.forEach(
        [[PERPS, true], [PERPS, false], [SPOT, true], [SPOT, false]] as const,
        paying,
        { concurrency: "unbounded" }
      )
      for (const { amount, currency, ended, got, settlement } of made) {
        assert.strictEqual(ended.status, "success")
        assert.strictEqual(got, amount)
        assert.strictEqual(currency === PERPS ? got % 100n : 0n, 0n)
        assert.strictEqual(settlement?.inTxHash, ended.inTxHashes[0])
        // The exchange's own hash, which explorers know.
        const sent = book.transaction(ended.txHashes[0] ?? "")
        assert.strictEqual(sent?.user, solver.toLowerCase())
        assert.isNull(sent?.error)
      }
      // Whoever is new costs more, by what the exchange takes.
      const outOf = (isNew: boolean) => made.filter((each) => each.isNew === isNew).map(({ amount }) => amount)
      for (const [nth, least] of outOf(true).entries()) assert.isTrue((outOf(false)[nth] ?? 0n) - least > FEE / 2n)
      assert.strictEqual(before - heldBySolver(), made.reduce((sum, { got }) => sum + got, 2n * FEE))
    }), shows("exchangea-vm", "transfers to"))
})
