/**
 * Transfers from exchange B through a host: a step that the exchange's public SDK carries out, the deposit on the
 * exchange, the fill on an EVM chain, and both settled on the hub by a real oracle.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Result } from "effect"
import { toHex } from "viem"
import type { Hex } from "viem"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { shows } from "../../../../scripts/testing/Shows.ts"
import { ChainSlug } from "../../../../src/domain/chain/ChainId.ts"
import { families } from "../../../../src/domain/families/index.ts"
import { alias } from "../../../../src/domain/hub/Alias.ts"
import { hubTokenId } from "../../../../src/domain/hub/HubTokenId.ts"
import { EXCHANGE_B_CHAIN_ID, exchangeBSlug } from "../../../localnet/nodes/exchange-b/ExchangeBChain.ts"
import { post, postQuote, reader } from "../../testing/Client.ts"
import { deposit, fromExchangeB, orderOf, quoteExchangeB } from "../../testing/ExchangeBClient.ts"
import type { ExchangeBQuote } from "../../testing/ExchangeBClient.ts"
import { OTHER, startExchangeBNetwork, TRANSFER_FEE, USER } from "../../testing/ExchangeBNetwork.ts"
import type { ExchangeBAccount } from "../../testing/ExchangeBNetwork.ts"
import { get } from "../../testing/Get.ts"
import { startFixture } from "../../testing/Fixture.ts"
import { eventually } from "../../testing/Misbehaving.ts"
import { settled } from "../../testing/Settlements.ts"
import { settlingOver } from "../../testing/SettlingNetwork.ts"
import { endedAnywhere, statusAnywhere } from "../../testing/SolanaClient.ts"
import { verifierOf } from "../../testing/Verified.ts"

class Running extends fixtureOf<Running>()(
  "test/FromExchangeB",
  startFixture(Effect.flatMap(startExchangeBNetwork, (network) => settlingOver(network, 1, 1)), {
    settings: ({ settling }) => settling
  })
) {}

const NATIVE = "0x0000000000000000000000000000000000000000"
const PERPS = "0"
const SPOT = "3"
const USD = 1_000_000n
const FEE = BigInt(TRANSFER_FEE)

const exchangeRef = {
  slug: ChainSlug.make(exchangeBSlug),
  family: families["exchangeb-vm"],
  network: "mainnet"
} as const
const betaRef = { slug: ChainSlug.make("beta"), family: families["ethereum-vm"], network: "mainnet" } as const

/** The solver's units of a currency of the exchange on the hub. */
const onHub = Effect.fnUntraced(function*(currency: string) {
  const { chains, held } = yield* Running
  const account = Result.getOrThrow(alias(betaRef, chains.solver.toLowerCase()))
  return yield* held(toHex(BigInt(account), { size: 20 }), Result.getOrThrow(hubTokenId(exchangeRef, currency)))
})

const etherOf = (account: Hex) =>
  Effect.flatMap(Running, ({ chains }) => Effect.promise(() => reader(chains.alpha).getBalance({ address: account })))

const usdcOf = (index: number, route = 0) => Effect.map(Running, ({ state }) => BigInt(state.balance(index, 3, route)))

const ethFor = Effect.fnUntraced(
  function*(amount: bigint, recipient: string, changes: object = {}, by?: ExchangeBAccount, currency = PERPS) {
    const { chains, wallet } = yield* Running
    return fromExchangeB(by ?? wallet, recipient, [chains.alpha.chainId, NATIVE], [currency, amount], changes)
  }
)

/** A quote of which everything was checked and found good. */
const checkedQuote = Effect.fnUntraced(function*(body: object) {
  const { chains, environment, url } = yield* Running
  const whole = { ...body, includeProtocolData: true }
  const known = {
    CHAINS: `alpha,beta,${exchangeBSlug}`,
    EXCHANGEB_RPC_URL: environment["EXCHANGEB_RPC_URL"] ?? "",
    EXCHANGEB_DEPOSITORY: environment["EXCHANGEB_DEPOSITORY"] ?? ""
  }
  const verify = yield* verifierOf(chains, whole, {}, known)
  const { checks, ok } = verify((yield* postQuote(url, whole)).json())
  assert.isTrue(ok, JSON.stringify(checks.filter(({ outcome }) => outcome !== "ok")))
  return yield* quoteExchangeB(url, whole)
})

/** The transaction's hash. */
const deposited = Effect.fnUntraced(
  function*(quoted: ExchangeBQuote, changes: object = {}, by?: ExchangeBAccount) {
    const { exchangeUrl, wallet } = yield* Running
    const sent = yield* deposit(exchangeUrl, by ?? wallet, quoted, changes)
    assert.match(sent, /^[0-9a-f]{80}$/)
    return sent
  }
)

const refusalOf = Effect.fnUntraced(function*(body: object) {
  const { url } = yield* Running
  const { json, status } = yield* postQuote(url, body)
  const { errorCode, errorData, message } = json() as { errorCode?: string; errorData?: string; message?: string }
  return `${status} ${errorCode} ${errorData} ${message}`
})

layer(Running.layer, { excludeTestServices: true })("transfers from exchange B", (it) => {
  it.effect(
    "are ether for USDC that the unmodified SDK sends, to the unit, and settle on the hub",
    () =>
      Effect.gen(function*() {
        const { fresh, url } = yield* Running
        for (const [currency, route] of [[PERPS, 0], [SPOT, 1]] as const) {
          const recipient = fresh()
          const hub = yield* onHub(currency)
          const before = yield* usdcOf(USER, route)
          const quoted = yield* checkedQuote(yield* ethFor(100n * USD, recipient, {}, undefined, currency))
          assert.deepStrictEqual(quoted.steps.map(({ id }) => id), ["deposit"])
          assert.strictEqual(quoted.details.userBalance, `${before}`)
          assert.strictEqual(quoted.fees["gas"]?.amount, `${FEE}`)
          const hash = yield* deposited(quoted)
          assert.deepInclude(yield* endedAnywhere(url, quoted), { status: "success", inTxHashes: [hash] })
          assert.strictEqual(yield* etherOf(recipient), BigInt(quoted.details.currencyOut.amount))
          assert.strictEqual(before - (yield* usdcOf(USER, route)), 100n * USD + FEE)
          const page = yield* get(`${url}/requests/${quoted.steps[0]?.requestId ?? ""}`, {
            headers: { accept: "text/html" }
          })
          assert.include(page.text, hash.slice(0, 40))
          const history = yield* get(`${url}/requests?txHash=${hash}`)
          assert.include(history.text, quoted.steps[0]?.requestId ?? "no request")
          const [settlement] = yield* settled(url, orderOf(quoted), 1)
          assert.strictEqual(settlement?.inTxHash, hash)
          assert.strictEqual((yield* onHub(currency)) - hub, 100n * USD)
        }
      }),
    shows("exchangeb-vm", "transfers from")
  )

  it.effect(
    "in another currency than the quoted one go back on the exchange, to the account that the request names",
    () =>
      Effect.gen(function*() {
        const { fresh, other, url, wallet } = yield* Running
        const quoted = yield* quoteExchangeB(
          url,
          yield* ethFor(40n * USD, fresh(), { refundTo: `${USER}` }, other)
        )
        const before = [yield* usdcOf(OTHER, 1), yield* usdcOf(wallet.index, 1)] as const
        yield* deposited(quoted, { fromRouteType: 1, toRouteType: 1 }, other)
        assert.strictEqual(before[0] - (yield* usdcOf(OTHER, 1)), 40n * USD + FEE)
        const refunded = yield* eventually(
          "the refund is there",
          Effect.map(usdcOf(USER, 1), (held) => held - before[1]),
          (held) => held > 0n
        )
        assert.isAtMost(Number(refunded), Number(40n * USD))
        assert.isAtLeast(Number(refunded), Number(40n * USD - 2n * FEE))
      }),
    shows("exchangeb-vm", "refunds")
  )

  it.effect("below the exchange's least are not quoted, and a refund below it ends as too low", () =>
    Effect.gen(function*() {
      const { fresh, other, url } = yield* Running
      assert.include(yield* refusalOf(yield* ethFor(USD - 1n, fresh())), "400 AMOUNT_TOO_LOW amount")
      const within = fromExchangeB(other, `${USER}`, [EXCHANGE_B_CHAIN_ID, PERPS], [PERPS, USD - 1n])
      assert.include(yield* refusalOf(within), "400 AMOUNT_TOO_LOW amount")
      const quoted = yield* quoteExchangeB(url, yield* ethFor(2n * USD, fresh(), {}, other))
      const before = yield* usdcOf(OTHER, 1)
      // In another currency, and after the exchange's fee less than the least is left of it.
      const changes = { amount: Number(USD + FEE - 1n), fromRouteType: 1, toRouteType: 1 }
      yield* deposited(quoted, changes, other)
      assert.deepInclude(yield* endedAnywhere(url, quoted), {
        status: "failure",
        failReason: "AMOUNT_TOO_LOW_TO_REFUND"
      })
      assert.strictEqual(before - (yield* usdcOf(OTHER, 1)), USD + 2n * FEE - 1n)
    }))

  it.effect("are quoted whatever the balance of the user looks like", () =>
    Effect.gen(function*() {
      const { fresh, misbehave, url } = yield* Running
      const account = { index: USER, l1_address: `0x${"11".repeat(20)}`, available_balance: "-1.000000", assets: null }
      yield* misbehave({ kind: "lie", questions: ["account"], tell: () => ({ code: 200, accounts: [account] }) })
      const quoted = yield* quoteExchangeB(url, yield* ethFor(10n * USD, fresh()))
      yield* misbehave(undefined)
      assert.strictEqual(quoted.details.userBalance, "0")
    }))

  it.effect("that no owner has signed name no order: nothing is filled", () =>
    Effect.gen(function*() {
      const { fresh, state, url, wallet } = yield* Running
      const recipient = fresh()
      const quoted = yield* quoteExchangeB(url, yield* ethFor(30n * USD, recipient))
      // Another account of the depository's owner, from which the exchange asks for no signature.
      const insider = { index: 2_000, owner: wallet.owner }
      state.open(insider.index, state.owners.get(1_000) ?? "")
      state.credit(insider.index, 3, 0, 100_000_000)
      yield* deposited(quoted, {}, insider)
      // A later deposit of its owner is filled: the first one was passed.
      yield* deposited(quoted)
      assert.deepInclude(yield* endedAnywhere(url, quoted), { status: "success" })
      assert.strictEqual(yield* etherOf(recipient), BigInt(quoted.details.currencyOut.amount))
      assert.strictEqual(yield* usdcOf(insider.index), 100_000_000n - 30n * USD - FEE)
    }))

  it.effect("are filled once the exchange has executed them, and once after it was away", () =>
    Effect.gen(function*() {
      const { fresh, misbehave, state, url } = yield* Running
      const recipient = fresh()
      const quoted = yield* quoteExchangeB(url, yield* ethFor(20n * USD, recipient))
      state.held = true
      const hash = yield* deposited(quoted)
      yield* Effect.sleep("1 second")
      assert.deepInclude(yield* statusAnywhere(url, quoted), { status: "waiting", inTxHashes: [] })
      state.held = false
      yield* misbehave({ kind: "away" })
      state.settle(hash, 3)
      yield* Effect.sleep("2 seconds")
      yield* misbehave(undefined)
      assert.deepInclude(yield* endedAnywhere(url, quoted), { status: "success", inTxHashes: [hash] })
      assert.strictEqual(yield* etherOf(recipient), BigInt(quoted.details.currencyOut.amount))
    }))

  it.effect("are quoted by what comes out, too, exactly or within the tolerance", () =>
    Effect.gen(function*() {
      const { fresh, url } = yield* Running
      const recipient = fresh()
      const wanted = 10_000_000_000_000_001n
      const exact = yield* checkedQuote(yield* ethFor(wanted, recipient, { tradeType: "EXACT_OUTPUT" }))
      assert.strictEqual(exact.details.currencyOut.amount, `${wanted}`)
      yield* deposited(exact)
      assert.deepInclude(yield* endedAnywhere(url, exact), { status: "success" })
      assert.strictEqual(yield* etherOf(recipient), wanted)
      const expected = yield* checkedQuote(yield* ethFor(wanted, recipient, { tradeType: "EXPECTED_OUTPUT" }))
      assert.strictEqual(expected.details.currencyOut.amount, `${wanted}`)
    }))

  it.effect("are found by their id where the depository's list is not shown", () =>
    Effect.gen(function*() {
      const { fresh, misbehave, url } = yield* Running
      const recipient = fresh()
      const quoted = yield* quoteExchangeB(url, yield* ethFor(15n * USD, recipient))
      // As for a token that has expired.
      yield* misbehave({ kind: "status", status: 400, questions: ["transfer/history"] })
      const hash = yield* deposited(quoted)
      const index = post(`${url}/transactions/index`, { chainId: EXCHANGE_B_CHAIN_ID, txHash: hash })
      // A caller may ask twenty times a minute, and the exchange's clock has to be a second beyond the transfer.
      const recorded = yield* eventually(
        "it is recorded",
        Effect.delay(index, "3 seconds"),
        ({ status, text }) => status !== 200 || text.includes("the deposit is recorded")
      )
      assert.strictEqual(recorded.status, 200, recorded.text)
      assert.deepInclude(yield* endedAnywhere(url, quoted), { status: "success", inTxHashes: [hash] })
      yield* misbehave(undefined)
      assert.strictEqual(yield* etherOf(recipient), BigInt(quoted.details.currencyOut.amount))
    }))

  it.effect("within the exchange are paid by the user itself, and end once their transaction is named, and pays enough", () =>
    Effect.gen(function*() {
      const { url, wallet } = yield* Running
      const within = (recipient: string) =>
        fromExchangeB(wallet, recipient, [EXCHANGE_B_CHAIN_ID, PERPS], [PERPS, 40n * USD])
      const body = within(`${OTHER}`)
      const [short, quoted] = [yield* quoteExchangeB(url, body), yield* checkedQuote(body)]
      assert.deepStrictEqual(quoted.steps.map(({ id }) => id), ["send"])
      assert.strictEqual(quoted.details.currencyOut.amount, `${40n * USD}`)
      assert.strictEqual(quoted.fees["gas"]?.amount, `${FEE}`)
      const [before, left] = [yield* usdcOf(OTHER), yield* usdcOf(USER)]
      const named = Effect.fnUntraced(function*(txHash: string) {
        const answer = yield* post(`${url}/transactions/index`, { chainId: EXCHANGE_B_CHAIN_ID, txHash })
        assert.strictEqual(answer.status, 200, answer.text)
        return answer.text
      })
      const less = yield* named(yield* deposited(short, { amount: 39_000_000 }))
      assert.include(less, "holds no deposit")
      const hash = yield* deposited(quoted)
      assert.deepInclude(yield* statusAnywhere(url, quoted), { status: "waiting", inTxHashes: [] })
      assert.include(yield* named(hash), "the payment is recorded")
      const ended = yield* endedAnywhere(url, quoted)
      assert.deepInclude(ended, { status: "success", inTxHashes: [hash], txHashes: [hash] })
      assert.deepInclude(yield* statusAnywhere(url, short), { status: "waiting", inTxHashes: [] })
      assert.strictEqual((yield* usdcOf(OTHER)) - before, 79n * USD)
      assert.strictEqual(left - (yield* usdcOf(USER)), 79n * USD + 2n * FEE)
      assert.include(yield* refusalOf(within("999999")), "400 INVALID_RECIPIENT recipient")
    }))

  it.effect("are refused by name for what exchange B does not have", () =>
    Effect.gen(function*() {
      const { fresh } = yield* Running
      const address = yield* refusalOf(
        yield* ethFor(40n * USD, fresh(), { useDepositAddress: true, refundTo: `${USER}` })
      )
      assert.include(address, "400 UNSUPPORTED_ROUTE useDepositAddress")
      assert.include(address, "follows from no key")
      assert.include(
        yield* refusalOf(yield* ethFor(40n * USD, fresh(), { usePermit: true })),
        "400 INVALID_REQUEST usePermit"
      )
    }))

  it.effect("are refused when nobody could be refunded: refundTo, or a user who is to be refunded, does not exist", () =>
    Effect.gen(function*() {
      const { fresh, wallet } = yield* Running
      const named = yield* refusalOf(yield* ethFor(40n * USD, fresh(), { refundTo: "999999" }))
      assert.include(named, "400 INVALID_ADDRESS refundTo")
      assert.include(named, "does not exist")
      const nobody = { index: 999_998, owner: wallet.owner }
      assert.include(
        yield* refusalOf(yield* ethFor(40n * USD, fresh(), {}, nobody)),
        "400 INVALID_ADDRESS refundTo"
      )
    }))
})
