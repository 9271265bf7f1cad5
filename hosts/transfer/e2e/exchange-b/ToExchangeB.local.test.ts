/**
 * Payments on exchange B through a host: fills of transfers from an EVM chain, on perps and on spot, settled on the hub
 * by a real oracle, which reads their orders from the memos.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { shows } from "../../../../scripts/testing/Shows.ts"
import { post } from "../../testing/Client.ts"
import { DEPOSITORY, SOLVER, startExchangeBNetwork, TRANSFER_FEE } from "../../testing/ExchangeBNetwork.ts"
import { startFixture } from "../../testing/Fixture.ts"
import { orderIdOf } from "../../testing/Misbehaving.ts"
import { bodyOf, heldOnExchangeB, openOn, PERPS, SPOT, toExchangeB } from "../../testing/PaidOnExchangeB.ts"
import { settled } from "../../testing/Settlements.ts"
import { settlingOver } from "../../testing/SettlingNetwork.ts"
import { endedAnywhere } from "../../testing/SolanaClient.ts"

class Running extends fixtureOf<Running>()(
  "test/ToExchangeB",
  startFixture(Effect.flatMap(startExchangeBNetwork, (network) => settlingOver(network, 1, 1)), {
    settings: ({ settling }) => settling
  })
) {}

const FEE = BigInt(TRANSFER_FEE)

layer(Running.layer, { excludeTestServices: true })("payments on exchange B", (it) => {
  it.effect(
    "are USDC for ether, to the unit, on perps and spot, and settle",
    () =>
      Effect.gen(function*() {
        const network = yield* Running
        const { state, url } = network
        const heldBySolver = () => heldOnExchangeB(state, PERPS, SOLVER) + heldOnExchangeB(state, SPOT, SOLVER)
        const before = heldBySolver()
        const paying = (currency: string, index: number) =>
          Effect.gen(function*() {
            const recipient = openOn(state)
            const { amount, pay, quoted } = yield* toExchangeB(network, url, [currency, recipient], index)
            yield* pay
            const ended = yield* endedAnywhere(url, quoted)
            const [settlement] = yield* settled(url, orderIdOf(quoted), 1)
            return { amount, ended, got: heldOnExchangeB(state, currency, recipient), recipient, quoted, settlement }
          })
        const made = yield* Effect.forEach([PERPS, SPOT, PERPS, SPOT], paying, { concurrency: "unbounded" })
        for (const { amount, ended, got, quoted, recipient, settlement } of made) {
          assert.strictEqual(ended.status, "success")
          assert.strictEqual(got, amount)
          assert.strictEqual(settlement?.inTxHash, ended.inTxHashes[0])
          // The exchange's own hash, which explorers know.
          const paid = state.sent.find(({ hash }) => hash === ended.txHashes[0])
          assert.strictEqual(paid?.info.ToAccountIndex, recipient)
          assert.strictEqual(`0x${Buffer.from(paid?.info.Memo ?? []).toString("hex")}`, orderIdOf(quoted))
          assert.strictEqual(paid?.info.USDCFee, TRANSFER_FEE)
        }
        // The solver bears the exchange's fee, and the quotes cover it.
        assert.strictEqual(before - heldBySolver(), made.reduce((sum, { got }) => sum + got + FEE, 0n))
        const [free, charged] = yield* Effect.forEach([0, TRANSFER_FEE], (fee) =>
          Effect.suspend(() => {
            state.transferFee = fee
            return toExchangeB(network, url, [PERPS, openOn(state)], 0)
          }))
        const difference = (free?.amount ?? 0n) - (charged?.amount ?? 0n)
        assert.isTrue(difference >= FEE && difference < 2n * FEE, `${difference}`)
      }),
    shows("exchangeb-vm", "transfers to")
  )

  it.effect("are refused by the quote to an account that does not exist, to the solver and to the depository", () =>
    Effect.gen(function*() {
      const network = yield* Running
      for (const index of [999_999, SOLVER, DEPOSITORY]) {
        const answer = yield* post(`${network.url}/quote`, bodyOf(network, PERPS, index, 1))
        assert.strictEqual(answer.status, 400, answer.text)
        assert.include(answer.text, "INVALID_RECIPIENT")
        assert.strictEqual(answer.text.includes("does not exist"), index === 999_999, answer.text)
      }
    }))
})
