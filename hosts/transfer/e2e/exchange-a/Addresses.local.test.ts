/**
 * Deposit addresses on exchange A through a host, for payers who only send money: every row of the table in ADDRESS-5 in
 * USDC on perps and on spot, settled on the hub by a real oracle, and reindexing.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { toHex } from "viem"
import type { Hex } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { shows } from "../../../../scripts/testing/Shows.ts"
import { ChainSlug } from "../../../../src/domain/chain/ChainId.ts"
import { families } from "../../../../src/domain/families/index.ts"
import { RESIDUE } from "../../../../src/domain/families/exchange-a/addresses/Residue.ts"
import { alias } from "../../../../src/domain/hub/Alias.ts"
import { hubTokenId } from "../../../../src/domain/hub/HubTokenId.ts"
import { EXCHANGE_A_CHAIN_ID, exchangeASlug } from "../../../localnet/nodes/exchange-a/ExchangeAChain.ts"
import { reindex, requestsOf } from "../../testing/Addressed.ts"
import { reader } from "../../testing/Client.ts"
import { exchangeAAddressFor, payAddress, sweptFrom } from "../../testing/ExchangeAAddressed.ts"
import { fromExchangeA } from "../../testing/ExchangeAClient.ts"
import { MAPPINGS_KEY, startExchangeANetwork } from "../../testing/ExchangeANetwork.ts"
import { startFixture } from "../../testing/Fixture.ts"
import { get } from "../../testing/Get.ts"
import { eventually } from "../../testing/Misbehaving.ts"
import { heldOnExchange, PERPS, SPOT } from "../../testing/PaidOnExchangeA.ts"
import { settled } from "../../testing/Settlements.ts"
import { settlingOver } from "../../testing/SettlingNetwork.ts"
import { endedAnywhere } from "../../testing/SolanaClient.ts"
import { keyOf as keyOfSponsor, ledgerOf } from "../../testing/Sponsor.ts"
import type { TestSponsor } from "../../testing/Sponsor.ts"
import { actualOf } from "../../testing/Sponsored.ts"
import { verifierOf } from "../../testing/Verified.ts"

const sponsor: TestSponsor = { id: "exchange-address", wallet: toHex(0xea_0000, { size: 20 }), balance: 50_000_000n }

class Running extends fixtureOf<Running>()(
  "test/ExchangeAAddresses",
  startFixture(Effect.flatMap(startExchangeANetwork, (network) => settlingOver(network, 1, 1)), {
    keys: [MAPPINGS_KEY],
    settings: ({ settling }) => settling,
    sponsors: [sponsor]
  })
) {}

const NATIVE = "0x0000000000000000000000000000000000000000"
const USD = 100_000_000n
const SOME = 100n * USD

const exchangeRef = {
  slug: ChainSlug.make(exchangeASlug),
  family: families["exchangea-vm"],
  network: "mainnet"
} as const
const betaRef = { slug: ChainSlug.make("beta"), family: families["ethereum-vm"], network: "mainnet" } as const

const dexOf = (currency: string) => currency === PERPS ? "" : "spot"

/** The solver's units of a currency of the exchange on the hub. */
const onHub = Effect.fnUntraced(function*(currency: string) {
  const { chains, held } = yield* Running
  const account = Result.getOrThrow(alias(betaRef, chains.solver.toLowerCase()))
  return yield* held(toHex(BigInt(account), { size: 20 }), Result.getOrThrow(hubTokenId(exchangeRef, currency)))
})

const etherOf = (account: Hex) =>
  Effect.flatMap(Running, ({ chains }) => Effect.promise(() => reader(chains.alpha).getBalance({ address: account })))

const heldBy = (account: string, currency: string) =>
  Effect.map(Running, ({ book }) => heldOnExchange(book, currency, account))

const decodeRecord = Schema.decodeUnknownSync(Schema.Struct({
  depositAddress: Schema.String,
  type: Schema.String,
  requestId: Schema.String,
  chainId: Schema.Int,
  currency: Schema.String,
  refundTo: Schema.NullOr(Schema.String)
}))

/** An account of the exchange that exists: it costs nothing to pay it. */
const existing = Effect.map(Running, ({ book }) => {
  const account = privateKeyToAccount(generatePrivateKey()).address.toLowerCase()
  book.credit(account, "", 1n)
  return account
})

/** An address for ether on alpha. */
const ask = Effect.fnUntraced(function*(currency: string, changes: object = {}, by?: TestSponsor) {
  const { chains, fresh, url, wallet } = yield* Running
  const [recipient, refundTo] = [fresh(), yield* existing]
  const body = fromExchangeA(wallet, recipient, [chains.alpha.chainId, NATIVE], [currency, SOME], {
    refundTo,
    ...changes
  })
  return {
    ...yield* exchangeAAddressFor(url, body, by === undefined ? {} : keyOfSponsor(by)),
    body,
    currency,
    recipient,
    refundTo
  }
})

type Asked = Effect.Success<ReturnType<typeof ask>>

/** From another wallet than the quote's user. */
const pay = Effect.fnUntraced(function*({ currency, quoted }: Asked, amount: bigint, of: string = currency) {
  const { exchangeUrl, other } = yield* Running
  yield* payAddress(exchangeUrl, other, quoted, { amount, dex: dexOf(of) })
})

/** What the recipient got is what was quoted, once. A sweep that is later than 30 seconds after the quote is priced again. */
const assertFilled = (received: bigint, { quoted: { details } }: Asked): void => {
  const quoted = BigInt(details.currencyOut.amount)
  const difference = received > quoted ? received - quoted : quoted - received
  assert.isTrue(difference * 50n < quoted, `${received} of ${quoted}`)
}

const requestsEnd = Effect.fnUntraced(function*({ depositAddress }: Asked, count: number) {
  const { url } = yield* Running
  return yield* eventually(
    `${count} requests succeed`,
    requestsOf(url, depositAddress),
    (found) => found.length === count && found.every(({ status }) => status === "success")
  )
})

const assertBack = Effect.fnUntraced(function*(refundTo: string, currency: string, units: bigint) {
  // It has a unit on perps, of which it exists.
  const before = currency === PERPS ? 1n : 0n
  const held = yield* eventually("the refund is there", heldBy(refundTo, currency), (now) => now > before)
  assert.strictEqual(held - before, units)
})

layer(Running.layer, { excludeTestServices: true })("a deposit address on exchange A", (it) => {
  for (const [currency, name] of [[PERPS, "perps"], [SPOT, "spot"]] as const) {
    for (const strict of [false, true]) {
      it.effect(
        `${strict ? "strict" : "open"}: the exact amount on ${name} is filled, and settled on the hub to the unit`,
        () =>
          Effect.gen(function*() {
            const { book, chains, environment, other, url } = yield* Running
            const hub = yield* onHub(currency)
            const made = yield* ask(currency, { strict, includeProtocolData: true })
            const { answer, body, depositAddress, quoted, recipient, refundTo, requestId } = made
            // The payer's client pays the exchange for the new account.
            assert.strictEqual(quoted.fees["gas"]?.amount, `${USD}`)
            const verify = yield* verifierOf(chains, { ...body, useDepositAddress: true }, {}, {
              CHAINS: `alpha,beta,${exchangeASlug}`,
              EXCHANGEA_RPC_URL: environment["EXCHANGEA_RPC_URL"] ?? "",
              EXCHANGEA_DEPOSITORY: environment["EXCHANGEA_DEPOSITORY"] ?? ""
            })
            assert.deepStrictEqual(
              verify(answer).checks.filter(({ outcome }) => outcome !== "ok").map(({ name: each }) => each),
              ["deposit address"]
            )
            assert.deepInclude(
              decodeRecord((yield* get(`${url}/deposit-addresses?requestId=${requestId}`)).json()),
              { depositAddress, type: strict ? "strict" : "open", chainId: EXCHANGE_A_CHAIN_ID, currency, refundTo }
            )
            const rich = heldOnExchange(book, PERPS, other.address) + heldOnExchange(book, SPOT, other.address)
            yield* pay(made, SOME)
            const left = heldOnExchange(book, PERPS, other.address) + heldOnExchange(book, SPOT, other.address)
            assert.strictEqual(rich - left, SOME + USD)
            const ended = yield* endedAnywhere(url, quoted)
            const swept = sweptFrom(book, depositAddress)
            assert.lengthOf(swept, 1)
            assert.deepInclude(ended, { status: "success", inTxHashes: swept })
            assertFilled(yield* etherOf(recipient), made)
            // It keeps what keeps its account, and nothing else.
            assert.strictEqual(heldOnExchange(book, SPOT, depositAddress), RESIDUE)
            assert.strictEqual(heldOnExchange(book, PERPS, depositAddress), 0n)
            const record = yield* get(`${url}/requests?depositAddress=${depositAddress}`)
            assert.strictEqual(record.status, 200)
            const [request] = yield* requestsOf(url, depositAddress)
            assert.strictEqual(request?.id, requestId)
            const order = (answer as { readonly protocol: { readonly v2: { readonly orderId: Hex } } }).protocol.v2
              .orderId
            const [settlement] = yield* settled(url, order, 1)
            assert.strictEqual(settlement?.inTxHash, swept[0])
            assert.strictEqual((yield* onHub(currency)) - hub, SOME)
          }),
        shows("exchangea-vm", "transfers from")
      )
    }
  }

  it.effect("open: more is filled, less is priced again, and each later deposit is a request of its own", () =>
    Effect.gen(function*() {
      const { url } = yield* Running
      for (const currency of [PERPS, SPOT]) {
        const made = yield* ask(currency)
        yield* pay(made, SOME + 100n)
        assert.strictEqual((yield* endedAnywhere(url, made.quoted)).status, "success")
        const first = yield* etherOf(made.recipient)
        assertFilled(first, made)
        yield* pay(made, SOME / 2n)
        const all = yield* requestsEnd(made, 2)
        assert.isTrue((yield* etherOf(made.recipient)) > first)
        assert.isTrue(all.every(({ data }) => data.refunds.length === 0))
      }
    }))

  it.effect("strict: of more the quoted amount is filled, the excess goes back, and so does a later deposit", () =>
    Effect.gen(function*() {
      const { url } = yield* Running
      for (const currency of [PERPS, SPOT]) {
        const made = yield* ask(currency, { strict: true })
        yield* pay(made, SOME + 40n * USD)
        assert.strictEqual((yield* endedAnywhere(url, made.quoted)).status, "success")
        assertFilled(yield* etherOf(made.recipient), made)
        yield* assertBack(made.refundTo, currency, 40n * USD)
        const before = yield* heldBy(made.refundTo, currency)
        yield* pay(made, 60n * USD)
        const now = yield* eventually(
          "the later one is back",
          heldBy(made.refundTo, currency),
          (held) => held > before
        )
        // On spot the residue of the sweep before is paid in with it.
        const back = now - before
        assert.isTrue(back <= 60n * USD + RESIDUE && back >= 60n * USD - 2n * RESIDUE, `${back}`)
        assert.deepStrictEqual((yield* requestsOf(url, made.depositAddress)).map(({ status }) => status), ["success"])
        assertFilled(yield* etherOf(made.recipient), made)
      }
    }))

  it.effect("strict: less fails the request and goes back, and a deposit that is late goes back", () =>
    Effect.gen(function*() {
      const { url } = yield* Running
      const less = yield* ask(SPOT, { strict: true })
      const late = yield* ask(PERPS, { strict: true, ttl: 1 })
      yield* pay(less, SOME - 1n)
      yield* Effect.sleep("2 seconds")
      yield* pay(late, SOME)
      for (
        const [made, sent, reason] of [
          [less, SOME - 1n, "DEPOSITED_AMOUNT_TOO_LOW_TO_FILL"],
          [late, SOME, "TTL_EXPIRED"]
        ] as const
      ) {
        assert.strictEqual((yield* endedAnywhere(url, made.quoted)).status, "refund")
        const before = made.currency === PERPS ? 1n : 0n
        const back = (yield* heldBy(made.refundTo, made.currency)) - before
        assert.isTrue(back <= sent && back >= sent - 2n * RESIDUE, `${back} of ${sent}`)
        const [request] = yield* requestsOf(url, made.depositAddress)
        assert.strictEqual(request?.data.failReason, reason)
        assert.strictEqual(yield* etherOf(made.recipient), 0n)
      }
    }))

  it.effect("is reindexed: another currency goes back, and of USDC on spot less than a cent counts for nothing", () =>
    Effect.gen(function*() {
      const { book, url } = yield* Running
      const made = yield* ask(PERPS, { strict: true })
      const body = { chainId: EXCHANGE_A_CHAIN_ID, depositAddress: made.depositAddress }
      yield* pay(made, 90n * USD, SPOT)
      yield* Effect.sleep("1500 millis")
      const found = yield* reindex(url, { ...body, currency: SPOT })
      assert.strictEqual(found.status, 200, found.text)
      assert.deepInclude(found.json(), {
        triggeredCurrencies: [{ currency: SPOT, symbol: "USDC", balance: `${90n * USD}` }],
        checkedCurrencies: 1,
        failedCurrencies: 0
      })
      assert.strictEqual((yield* reindex(url, body)).status, 429)
      const back = yield* eventually("it is back", heldBy(made.refundTo, SPOT), (held) => held > 0n)
      assert.isTrue(back <= 90n * USD && back >= 90n * USD - 2n * RESIDUE, `${back}`)
      yield* pay(made, SOME)
      assert.strictEqual((yield* endedAnywhere(url, made.quoted)).status, "success")
      assertFilled(yield* etherOf(made.recipient), made)
      const dusty = yield* ask(SPOT, { strict: true })
      yield* pay(dusty, 999_999n)
      const dust = yield* reindex(url, { chainId: EXCHANGE_A_CHAIN_ID, depositAddress: dusty.depositAddress })
      assert.deepInclude(dust.json(), { triggeredCurrencies: [], checkedCurrencies: 2, failedCurrencies: 0 })
      assert.isEmpty(sweptFrom(book, dusty.depositAddress))
    }))

  it.effect("is sponsored once, and the user pays for a later deposit", () =>
    Effect.gen(function*() {
      const { store, url } = yield* Running
      const made = yield* ask(PERPS, { subsidizeFees: true }, sponsor)
      yield* pay(made, SOME)
      assert.strictEqual((yield* endedAnywhere(url, made.quoted)).status, "success")
      const first = yield* etherOf(made.recipient)
      assertFilled(first, made)
      const actual = yield* eventually(
        "the sponsor has paid",
        actualOf(url, made.quoted),
        (known) => known !== undefined
      )
      const paid = BigInt(actual?.sponsorPayment.amount ?? 0)
      assert.isTrue(paid > 0n)
      const left = Effect.map(ledgerOf(store), (all) => all[`Wallet:${sponsor.wallet}`])
      assert.strictEqual(yield* left, 50_000_000n - paid)
      yield* pay(made, SOME)
      yield* requestsEnd(made, 2)
      assert.isTrue((yield* etherOf(made.recipient)) < first + BigInt(made.quoted.details.currencyOut.amount))
      assert.strictEqual(yield* left, 50_000_000n - paid)
    }))
})
