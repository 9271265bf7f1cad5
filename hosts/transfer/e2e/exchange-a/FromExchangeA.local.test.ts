/**
 * Transfers from exchange A through a host: steps that a public client signs under its wallet's chain, the deposit on
 * the exchange, the fill on an EVM chain, and both settled on the hub by a real oracle.
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
import { ConfigsFolder } from "../../../configuration/ConfigsFolder.ts"
import { EXCHANGE_A_CHAIN_ID, exchangeASlug } from "../../../localnet/nodes/exchange-a/ExchangeAChain.ts"
import { post, postQuote, reader } from "../../testing/Client.ts"
import { exchangeAAddressFor, payAddress } from "../../testing/ExchangeAAddressed.ts"
import { authorize, deposit, fromExchangeA, orderOf, quoteExchangeA } from "../../testing/ExchangeAClient.ts"
import type { ExchangeAQuote, ExchangeAWallet } from "../../testing/ExchangeAClient.ts"
import { MAPPINGS_KEY } from "../../testing/ExchangeANetwork.ts"
import { get } from "../../testing/Get.ts"
import { startFixture } from "../../testing/Fixture.ts"
import { eventually, orderIdOf } from "../../testing/Misbehaving.ts"
import { DEX, ON_DEX, startNamedDex } from "../../testing/NamedDex.ts"
import { toExchangeA } from "../../testing/PaidOnExchangeA.ts"
import { settled } from "../../testing/Settlements.ts"
import { endedAnywhere, statusAnywhere } from "../../testing/SolanaClient.ts"
import { verifierOf } from "../../testing/Verified.ts"

class Running extends fixtureOf<Running>()(
  "test/FromExchangeA",
  startFixture(startNamedDex, {
    keys: [MAPPINGS_KEY],
    settings: ({ settling }) => settling
  })
) {}

const NATIVE = "0x0000000000000000000000000000000000000000"
const PERPS = "0x00000000000000000000000000000000"
const SPOT = "0x6d1e7cde53ba9467b783cb7c530ce054"
const USD = 100_000_000n

const exchangeRef = {
  slug: ChainSlug.make(exchangeASlug),
  family: families["exchangea-vm"],
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

const ethFor = Effect.fnUntraced(
  function*(currency: string, amount: bigint, recipient: string, changes: object = {}, by?: ExchangeAWallet) {
    const { chains, wallet } = yield* Running
    return fromExchangeA(by ?? wallet, recipient, [chains.alpha.chainId, NATIVE], [currency, amount], changes)
  }
)

/** A quote of which everything was checked and found good. */
const checkedQuote = Effect.fnUntraced(function*(body: object) {
  const { chains, configs, environment, url } = yield* Running
  const whole = { ...body, includeProtocolData: true }
  const known = {
    CHAINS: `alpha,beta,${exchangeASlug}`,
    EXCHANGEA_RPC_URL: environment["EXCHANGEA_RPC_URL"] ?? "",
    EXCHANGEA_DEPOSITORY: environment["EXCHANGEA_DEPOSITORY"] ?? ""
  }
  const verify = yield* Effect.provideService(verifierOf(chains, whole, {}, known), ConfigsFolder, configs)
  const { checks, ok } = verify((yield* postQuote(url, whole)).json())
  assert.isTrue(ok, JSON.stringify(checks.filter(({ outcome }) => outcome !== "ok")))
  return yield* quoteExchangeA(url, whole)
})

/** The mapping is kept, then the exchange has the transfer. Returns the transaction's hash. */
const deposited = Effect.fnUntraced(
  function*(quoted: ExchangeAQuote, changes: object = {}, by?: ExchangeAWallet) {
    const { book, exchangeUrl, url, wallet } = yield* Running
    const signer = by ?? wallet
    const kept = yield* authorize(url, signer, quoted, { referrer: "somebody.example" })
    assert.strictEqual(kept.status, 200, kept.text)
    assert.notProperty(kept.json(), "steps")
    const answer = yield* deposit(exchangeUrl, signer, quoted, changes)
    assert.include(answer.text, `"ok"`)
    return book.ofAccount(signer.address)[0]?.hash ?? ""
  }
)

const refusalOf = Effect.fnUntraced(function*(body: object) {
  const { url } = yield* Running
  const { json, status } = yield* postQuote(url, body)
  const { errorCode, errorData } = json() as { errorCode?: string; errorData?: string }
  return `${status} ${errorCode} ${errorData}`
})

layer(Running.layer, { excludeTestServices: true })("transfers from exchange A", (it) => {
  it.effect(
    "are ether for USDC on perps, on spot and on a named dex, to the unit, and settle on the hub",
    () =>
      Effect.gen(function*() {
        const { book, fresh, url, wallet } = yield* Running
        for (const [currency, dex] of [[PERPS, ""], [SPOT, "spot"], [ON_DEX, DEX]] as const) {
          const recipient = fresh()
          const hub = yield* onHub(currency)
          const before = book.balance(wallet.address, dex)
          const quoted = yield* checkedQuote(yield* ethFor(currency, 100n * USD, recipient))
          assert.deepStrictEqual(quoted.steps.map(({ id }) => id), ["authorize", "deposit"])
          assert.strictEqual(quoted.details.userBalance, `${before}`)
          const hash = yield* deposited(quoted)
          assert.deepInclude(yield* endedAnywhere(url, quoted), { status: "success", inTxHashes: [hash] })
          assert.strictEqual(yield* etherOf(recipient), BigInt(quoted.details.currencyOut.amount))
          assert.strictEqual(before - book.balance(wallet.address, dex), 100n * USD)
          const page = yield* get(`${url}/requests/${quoted.steps[0]?.requestId ?? ""}`, {
            headers: { accept: "text/html" }
          })
          assert.include(page.text, hash.slice(0, 40))
          const [settlement] = yield* settled(url, orderOf(quoted), 1)
          assert.strictEqual(settlement?.inTxHash, hash)
          assert.strictEqual((yield* onHub(currency)) - hub, 100n * USD)
        }
      }),
    shows("exchangea-vm", "transfers from")
  )

  it.effect("are for an amount that perps can move: rounded down as input, up for an exact output", () =>
    Effect.gen(function*() {
      const { fresh } = yield* Running
      const odd = yield* checkedQuote(yield* ethFor(PERPS, 25n * USD + 123n, fresh()))
      assert.strictEqual(odd.details.currencyIn.amount, `${25n * USD + 100n}`)
      const exact = yield* checkedQuote(
        yield* ethFor(PERPS, 10_000_000_000_000_001n, fresh(), { tradeType: "EXACT_OUTPUT" })
      )
      assert.strictEqual(BigInt(exact.details.currencyIn.amount) % 100n, 0n)
      assert.strictEqual(exact.details.currencyOut.amount, "10000000000000001")
    }))

  it.effect("are filled when the mapping comes after the transfer, and not for a mapping of another wallet", () =>
    Effect.gen(function*() {
      const { book, exchangeUrl, fresh, other, url, wallet } = yield* Running
      const recipient = fresh()
      const quoted = yield* quoteExchangeA(url, yield* ethFor(PERPS, 30n * USD, recipient))
      const answer = yield* deposit(exchangeUrl, wallet, quoted)
      assert.include(answer.text, `"ok"`)
      const hash = book.ofAccount(wallet.address)[0]?.hash ?? ""
      const forged = yield* authorize(url, other, quoted)
      assert.strictEqual(forged.status, 400)
      // Another transfer is seen meanwhile: the first was read, and waits.
      const next = yield* quoteExchangeA(url, yield* ethFor(PERPS, 30n * USD, fresh()))
      yield* deposited(next)
      yield* endedAnywhere(url, next)
      assert.deepInclude(yield* statusAnywhere(url, quoted), { status: "waiting", inTxHashes: [] })
      assert.strictEqual((yield* authorize(url, wallet, quoted)).status, 200)
      assert.strictEqual((yield* authorize(url, wallet, quoted)).status, 200)
      assert.deepInclude(yield* endedAnywhere(url, quoted), { status: "success", inTxHashes: [hash] })
      assert.strictEqual(yield* etherOf(recipient), BigInt(quoted.details.currencyOut.amount))
    }))

  it.effect("in another currency than the quoted one go back on the exchange, whole", () =>
    Effect.gen(function*() {
      const { book, fresh, other, url } = yield* Running
      const quoted = yield* quoteExchangeA(
        url,
        yield* ethFor(PERPS, 40n * USD, fresh(), { refundTo: other.address }, other)
      )
      const before = book.balance(other.address, "spot")
      yield* deposited(quoted, { sourceDex: "spot", destinationDex: "spot" }, other)
      assert.strictEqual(before - book.balance(other.address, "spot"), 40n * USD)
      yield* eventually(
        "the refund is there",
        Effect.sync(() => book.balance(other.address, "spot")),
        (held) => held === before
      )
    }))

  it.effect("on a named dex are refunded there, and filled there, to the unit; a dex that is not served is refused", () =>
    Effect.gen(function*() {
      const running = yield* Running
      const { book, fresh, other, url } = running
      const refundTo = fresh()
      const asked = yield* ethFor(ON_DEX, 40n * USD + 123n, fresh(), {
        referrer: "force-refund",
        refundOnOrigin: true,
        refundTo
      }, other)
      const refused = yield* checkedQuote(asked)
      assert.strictEqual(refused.details.currencyIn.amount, `${40n * USD + 100n}`)
      yield* deposited(refused, {}, other)
      assert.deepInclude(yield* endedAnywhere(url, refused), { status: "refund" })
      const back = book.balance(refundTo, DEX)
      // Less what the exchange takes for the new account.
      assert.isTrue(back < 40n * USD && back >= 38n * USD && back % 100n === 0n, `${back}`)
      const [refund] = yield* settled(url, orderOf(refused), 1)
      assert.strictEqual(refund?.state, "settled")

      const recipient = fresh()
      book.credit(recipient, "", 1n)
      const { amount, pay, quoted } = yield* toExchangeA(running, url, [ON_DEX, recipient], 0)
      yield* pay
      assert.deepInclude(yield* endedAnywhere(url, quoted), { status: "success" })
      assert.strictEqual(book.balance(recipient, DEX), amount)
      assert.strictEqual(amount % 100n, 0n)
      const [fill] = yield* settled(url, orderIdOf(quoted), 1)
      assert.strictEqual(fill?.state, "settled")

      const nowhere = `${SPOT}${Buffer.from("nowhere").toString("hex")}`
      assert.include(
        yield* refusalOf(yield* ethFor(nowhere, 40n * USD, fresh())),
        "400 UNSUPPORTED_CURRENCY originCurrency"
      )
    }))

  it.effect("by a deposit address on a named dex are filled, to the unit, and settle", () =>
    Effect.gen(function*() {
      const { exchangeUrl, fresh, url, wallet } = yield* Running
      const recipient = fresh()
      const hub = yield* onHub(ON_DEX)
      const { quoted } = yield* exchangeAAddressFor(
        url,
        yield* ethFor(ON_DEX, 50n * USD, recipient, { refundTo: wallet.address })
      )
      yield* payAddress(exchangeUrl, wallet, quoted, { amount: 50n * USD, dex: DEX })
      assert.deepInclude(yield* endedAnywhere(url, quoted), { status: "success" })
      assert.strictEqual(yield* etherOf(recipient), BigInt(quoted.details.currencyOut.amount))
      yield* eventually("it is settled", onHub(ON_DEX), (held) => held - hub === 50n * USD)
    }))

  it.effect("on a named dex for an order of another currency go back there, whole", () =>
    Effect.gen(function*() {
      const { book, fresh, other, url } = yield* Running
      const quoted = yield* quoteExchangeA(
        url,
        yield* ethFor(PERPS, 40n * USD, fresh(), { refundTo: other.address }, other)
      )
      const before = book.balance(other.address, DEX)
      yield* deposited(quoted, { sourceDex: DEX, destinationDex: DEX }, other)
      assert.strictEqual(before - book.balance(other.address, DEX), 40n * USD)
      yield* eventually(
        "the refund is there",
        Effect.sync(() => book.balance(other.address, DEX)),
        (held) => held === before
      )
    }))

  it.effect("are filled once after the exchange was away", () =>
    Effect.gen(function*() {
      const { fresh, misbehave, url } = yield* Running
      const recipient = fresh()
      const quoted = yield* quoteExchangeA(url, yield* ethFor(PERPS, 20n * USD, recipient))
      const hash = yield* deposited(quoted)
      yield* misbehave({ kind: "away" })
      yield* Effect.sleep("2 seconds")
      yield* misbehave(undefined)
      assert.deepInclude(yield* endedAnywhere(url, quoted), { status: "success" })
      // Whoever names the transaction is told that it is known.
      const index = yield* post(`${url}/transactions/index`, { chainId: EXCHANGE_A_CHAIN_ID, txHash: hash })
      assert.deepStrictEqual([index.status, index.text], [200, `{"message":"the deposit is recorded"}`])
      assert.strictEqual(yield* etherOf(recipient), BigInt(quoted.details.currencyOut.amount))
    }))

  it.effect("within the exchange are paid by the user itself, and end once their transaction is named, and pays enough", () =>
    Effect.gen(function*() {
      const { book, fresh, url, wallet } = yield* Running
      const recipient = fresh()
      const body = fromExchangeA(wallet, recipient, [EXCHANGE_A_CHAIN_ID, PERPS], [PERPS, 40n * USD])
      const [short, quoted] = [yield* quoteExchangeA(url, body), yield* checkedQuote(body)]
      assert.deepStrictEqual(quoted.steps.map(({ id }) => id), ["authorize", "send"])
      assert.strictEqual(quoted.details.currencyOut.amount, `${40n * USD}`)
      // What the exchange takes for a new account.
      assert.strictEqual(quoted.fees["gas"]?.amount, `${USD}`)
      const before = book.balance(wallet.address, "")
      const named = Effect.fnUntraced(function*(txHash: string) {
        const answer = yield* post(`${url}/transactions/index`, { chainId: EXCHANGE_A_CHAIN_ID, txHash })
        assert.strictEqual(answer.status, 200, answer.text)
        return answer.text
      })
      const less = yield* named(yield* deposited(short, { amount: "39" }))
      assert.include(less, "holds no deposit")
      const hash = yield* deposited(quoted)
      assert.deepInclude(yield* statusAnywhere(url, quoted), { status: "waiting", inTxHashes: [] })
      assert.include(yield* named(hash), "the payment is recorded")
      const ended = yield* endedAnywhere(url, quoted)
      assert.deepInclude(ended, { status: "success", inTxHashes: [hash], txHashes: [hash] })
      assert.deepInclude(yield* statusAnywhere(url, short), { status: "waiting", inTxHashes: [] })
      assert.strictEqual(book.balance(recipient, ""), 79n * USD)
      assert.strictEqual(before - book.balance(wallet.address, ""), 80n * USD)
    }))

  it.effect("are refused by name for what exchange A does not have", () =>
    Effect.gen(function*() {
      const { fresh } = yield* Running
      assert.include(
        yield* refusalOf(yield* ethFor(PERPS, 40n * USD, fresh(), { usePermit: true })),
        "400 INVALID_REQUEST usePermit"
      )
      assert.include(yield* refusalOf(yield* ethFor(PERPS, 99n, fresh())), "400 AMOUNT_TOO_LOW")
    }))
})
