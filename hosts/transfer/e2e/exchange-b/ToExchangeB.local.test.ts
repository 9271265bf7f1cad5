/**
 * Payments on exchange B through a host: fills of transfers from an EVM chain, on perps and on spot, settled on the hub
 * by a real oracle, which reads their orders from the memos; and what an operator is told of them.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { shows } from "../../../../scripts/testing/Shows.ts"
import { exchangeBSlug } from "../../../localnet/nodes/exchange-b/ExchangeBChain.ts"
import { postQuote } from "../../testing/Client.ts"
import { deposit, fromExchangeB, quoteExchangeB } from "../../testing/ExchangeBClient.ts"
import { DEPOSITORY, OTHER, SOLVER, startExchangeBNetwork, TRANSFER_FEE } from "../../testing/ExchangeBNetwork.ts"
import { startFixture } from "../../testing/Fixture.ts"
import { alarms, eventually, openDeposits, orderIdOf } from "../../testing/Misbehaving.ts"
import { bodyOf, heldOnExchangeB, openOn, PERPS, SPOT, toExchangeB } from "../../testing/PaidOnExchangeB.ts"
import { findingsOf, runOperation } from "../../testing/RunOperation.ts"
import { settled } from "../../testing/Settlements.ts"
import { settlingOver } from "../../testing/SettlingNetwork.ts"
import { endedAnywhere } from "../../testing/SolanaClient.ts"
import { verifierOf } from "../../testing/Verified.ts"

class Running extends fixtureOf<Running>()(
  "test/ToExchangeB",
  startFixture(Effect.flatMap(startExchangeBNetwork, (network) => settlingOver(network, 1, 1)), {
    settings: ({ settling }) => settling
  })
) {}

const FEE = BigInt(TRANSFER_FEE)
const ETHER = "0x0000000000000000000000000000000000000000"

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

  it.effect("are promised by quotes in which a careful client finds everything good", () =>
    Effect.gen(function*() {
      const network = yield* Running
      const { chains, environment, state, url } = network
      const known = {
        CHAINS: `alpha,beta,${exchangeBSlug}`,
        EXCHANGEB_RPC_URL: environment["EXCHANGEB_RPC_URL"] ?? "",
        EXCHANGEB_DEPOSITORY: `${DEPOSITORY}`
      }
      const wanted = { amount: "25000001" }
      for (
        const [currency, changes] of [
          [PERPS, { tradeType: "EXACT_INPUT" }],
          [SPOT, { ...wanted, tradeType: "EXACT_OUTPUT" }],
          [PERPS, { ...wanted, tradeType: "EXPECTED_OUTPUT" }]
        ] as const
      ) {
        const body = { ...bodyOf(network, currency, openOn(state), 1), ...changes, includeProtocolData: true }
        const verify = yield* verifierOf(chains, body, {}, known)
        const answer = yield* postQuote(url, body)
        assert.strictEqual(answer.status, 200, answer.text)
        const { checks, ok } = verify(answer.json())
        assert.isTrue(ok, JSON.stringify(checks.filter(({ outcome }) => outcome !== "ok")))
      }
    }))

  it.effect("are refused by the quote to an account that does not exist, to the solver and to the depository", () =>
    Effect.gen(function*() {
      const network = yield* Running
      for (const index of [999_999, SOLVER, DEPOSITORY]) {
        const answer = yield* postQuote(network.url, bodyOf(network, PERPS, index, 1))
        assert.strictEqual(answer.status, 400, answer.text)
        assert.include(answer.text, "INVALID_RECIPIENT")
        assert.strictEqual(answer.text.includes("does not exist"), index === 999_999, answer.text)
      }
    }))
  it.effect("are refused by the quote below the exchange's least, and to a pool", () =>
    Effect.gen(function*() {
      const network = yield* Running
      const { state, url } = network
      const [recipient, pool] = [openOn(state), openOn(state) + 1]
      state.open(pool, `0x${"70".repeat(20)}`)
      state.kinds.set(pool, 2)
      const exactly = (amount: number, to = recipient) =>
        postQuote(url, { ...bodyOf(network, PERPS, to, 1), amount: `${amount}`, tradeType: "EXACT_OUTPUT" })
      const less = yield* exactly(999_999)
      assert.strictEqual(less.status, 400, less.text)
      assert.include(less.text, "AMOUNT_TOO_LOW")
      assert.include(less.text, "no payment to it below 1000000")
      assert.strictEqual((yield* exactly(1_000_000)).status, 200)
      const refused = yield* exactly(1_000_000, pool)
      assert.strictEqual(refused.status, 400, refused.text)
      assert.include(refused.text, "INVALID_RECIPIENT")
    }))

  it.effect("that the exchange never takes are alarms, hold up no API key, and their deposits go back", () =>
    Effect.gen(function*() {
      const network = yield* Running
      const { state, url } = network
      // One for each API key.
      const made = yield* Effect.forEach(
        [0, 1, 2],
        (index) => toExchangeB(network, url, [PERPS, openOn(state)], index)
      )
      const least = state.leastTransfer(3)
      // The exchange asks for more since, which nobody here has read yet.
      state.leasts.set(3, 10 ** 12)
      const sent = state.sent.length
      yield* Effect.forEach(made, ({ pay }) => pay, { concurrency: "unbounded" })
      for (const { currency, quoted, recipient } of made) {
        assert.deepInclude(yield* endedAnywhere(url, quoted), { status: "refund", failReason: "TRANSACTION_REVERTED" })
        assert.strictEqual(heldOnExchangeB(state, currency, recipient), 0n)
      }
      assert.isAtLeast(yield* alarms(url, "payment-refused"), 3)
      assert.strictEqual(yield* alarms(url, "sequence-used-by-another"), 0)
      // Each nonce was used up once, and nothing was signed again.
      assert.isTrue(state.sent.slice(sent).every(({ info }) => info.ToAccountIndex === SOLVER))
      assert.strictEqual(state.sent.length, sent + 3)
      state.leasts.set(3, least)
      const next = yield* toExchangeB(network, url, [PERPS, openOn(state)], 0)
      yield* next.pay
      assert.strictEqual((yield* endedAnywhere(url, next.quoted)).status, "success")
    }))

  it.effect("are known to the doctor, who names those that the store does not know; a low inventory is an alarm", () =>
    Effect.gen(function*() {
      const network = yield* Running
      const { chains, exchangeUrl, fresh, host, misbehave, settling, solver, state, url } = network
      const environment = { ...network.environment, ...settling }
      const doctor = runOperation("doctor", environment, "--json")
      const wellAt = Effect.fnUntraced(function*(when: string) {
        const ran = yield* doctor
        assert.deepStrictEqual([ran.code, findingsOf(ran)], [0, []], `${when}: ${ran.error}`)
      })
      // Signed, and the exchange takes nothing.
      yield* misbehave({ kind: "away", questions: ["api/v1/sendTx"] })
      const waiting = yield* toExchangeB(network, url, [PERPS, openOn(state)], 2)
      yield* waiting.pay
      yield* eventually("it is a deposit", openDeposits(environment), (open) => open === 1)
      yield* wellAt("while a payment waits")
      yield* misbehave(undefined)
      assert.strictEqual((yield* endedAnywhere(url, waiting.quoted)).status, "success")
      yield* eventually("all deposits are closed", openDeposits(environment), (open) => open === 0)
      yield* wellAt("when all is done")
      assert.strictEqual(yield* alarms(url, "inventory-low"), 0)

      // Somebody who has the keys takes almost everything.
      const back = yield* quoteExchangeB(
        url,
        fromExchangeB(network.wallet, fresh(), [chains.alpha.chainId, ETHER], [PERPS, 20_000_000n])
      )
      const amount = Number(heldOnExchangeB(state, PERPS, SOLVER)) - 9_000_000_000
      const taken = yield* deposit(exchangeUrl, solver, back, { toAccountIndex: OTHER, amount }, 4)
      assert.match(taken, /^[0-9a-f]{80}$/)
      // By the exchange's clock, which has to be a second beyond it. Until then only its sequence is seen.
      const told = yield* eventually(
        "the doctor finds the payment",
        doctor,
        (ran) => findingsOf(ran).some(([kind]) => kind === "payment-unrecorded")
      )
      assert.strictEqual(told.code, 1, told.error)
      assert.deepStrictEqual(findingsOf(told), [["payment-unrecorded", exchangeBSlug]])
      yield* eventually("it is an alarm", alarms(url, "inventory-low"), (count) => count >= 1)
      assert.include(host.output(), `USDC of the solver's account on ${exchangeBSlug} is low`)

      // EXCHANGEB-28: the account that pays here, by its index.
      state.unify(SOLVER, true)
      assert.include(
        (yield* doctor).out,
        `"entry":"solver mode","subject":"${SOLVER}","configured":"separate balances","found":"a unified account, from`
      )
      state.unify(SOLVER, false)
    }))
})
