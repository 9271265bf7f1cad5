/**
 * Money that arrives at an open address on a third chain: neither the quoted origin nor the destination (ADDRESS-10).
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { toHex } from "viem"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { MicroUsdc } from "../../../../src/domain/ledger/MicroUsdc.ts"
import { Anvil } from "../../../localnet/nodes/ethereum/Anvil.ts"
import { deploy } from "../../../localnet/nodes/ethereum/Deployment.ts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { addressFor, payTo, reindex, requestsOf } from "../../testing/Addressed.ts"
import { nativeRequest } from "../../testing/Client.ts"
import { configuredFolder } from "../../testing/ConfiguredFolder.ts"
import { startTransferInstance } from "../../testing/HostInstance.ts"
import { eventually } from "../../testing/Misbehaving.ts"
import { addSponsors, keyOf, ledgerOf } from "../../testing/Sponsor.ts"
import type { TestSponsor } from "../../testing/Sponsor.ts"
import { SponsoredQuote } from "../../testing/Sponsored.ts"
import { ETH, held, USDC } from "../../testing/Tokens.ts"
import type { TestCurrency } from "../../testing/Tokens.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

const GAMMA = 616103

const BALANCE = 5_000_000n
/** Enough for one later deposit. */
const BUDGET = 2_000_000n

/** The second one allows later deposits to draw something. */
const sponsors = [0, 1].map((n): TestSponsor => ({
  id: `gamma-${n}`,
  wallet: toHex(0x5bad_6a00 + n, { size: 20 }),
  balance: BALANCE,
  ...(n === 1 ? { budget: { laterPerAddressPerDay: MicroUsdc(BUDGET) } } : {})
}))

const Entries = Schema.fromJsonString(Schema.Array(Schema.Record(Schema.String, Schema.Json)))

/** A separate chain like alpha. */
const withGamma = (chains: string): string => {
  const [alpha = {}, ...others] = Schema.decodeUnknownSync(Entries)(chains)
  return JSON.stringify([alpha, ...others, {
    ...alpha,
    id: "gamma",
    chainId: GAMMA,
    hubChainId: `${GAMMA}`,
    httpRpcUrl: "$GAMMA_RPC_URL"
  }])
}

const makeRunning = Effect.gen(function*() {
  const { chains, environment, store } = yield* startNetwork
  const gamma = yield* Anvil.start({ chainId: GAMMA, blockTime: 1, accounts: 0 })
  yield* deploy(gamma, chains.parties)
  yield* addSponsors(store, sponsors)
  const { url } = yield* startTransferInstance({
    ...environment,
    CHAINS: `${environment["CHAINS"]},gamma`,
    GAMMA_RPC_URL: gamma.url
  }, yield* configuredFolder(withGamma))
  return { chains, gamma, store, url }
})

class Running extends fixtureOf<Running>()("test/OtherChain", makeRunning) {}

/** An open address for a transfer from alpha to beta, to a new account. */
const ask = Effect.fnUntraced(
  function*(n: number, currency: TestCurrency, changes: object = {}, headers: Readonly<Record<string, string>> = {}) {
    const { chains: { alpha, beta, users: [user = "0x"] }, url } = yield* Running
    const [recipient, refundTo]: readonly [Hex, Hex] = [
      toHex(0xc0a1_00 + n, { size: 20 }),
      toHex(0xc0a2_00 + n, { size: 20 })
    ]
    const body = {
      ...nativeRequest(privateKeyToAccount(user).address, alpha, beta, currency.some, {
        recipient,
        refundTo,
        ...changes
      }),
      originCurrency: currency.address,
      destinationCurrency: currency.address
    }
    return { ...yield* addressFor(url, body, headers), recipient, refundTo }
  }
)

const pay = Effect.fnUntraced(function*(on: "alpha" | "gamma", to: Hex, currency: TestCurrency) {
  const { chains: { alpha, users: [user = "0x"] }, gamma } = yield* Running
  yield* payTo(on === "alpha" ? alpha : gamma, user, to, currency, currency.some)
})

/** Pays on gamma, where a reindex finds it. Returns what is then delivered. */
const comesOnGamma = Effect.fnUntraced(
  function*(
    { depositAddress, recipient }: { readonly depositAddress: Hex; readonly recipient: Hex },
    currency: TestCurrency,
    headers: Readonly<Record<string, string>> = {}
  ) {
    const { chains: { alpha, beta }, url } = yield* Running
    yield* pay("gamma", depositAddress, currency)
    const answer = yield* reindex(url, { chainId: alpha.chainId, depositAddress, targetChainId: GAMMA }, headers)
    assert.strictEqual(answer.status, 200, answer.text)
    const made = yield* eventually(
      "a request of its own succeeds",
      requestsOf(url, depositAddress),
      (all) => all.some(({ status }) => status === "success")
    )
    assert.deepStrictEqual(
      made.map(({ status }) => status).toSorted(),
      ["success", "waiting"]
    )
    return { made, delivered: yield* held(beta, currency, recipient) }
  }
)

/** The quoted deposit still arrives. Returns what is delivered in total. */
const comesOnAlpha = Effect.fnUntraced(
  function*(
    { depositAddress, recipient }: { readonly depositAddress: Hex; readonly recipient: Hex },
    currency: TestCurrency
  ) {
    const { chains: { beta }, url } = yield* Running
    yield* pay("alpha", depositAddress, currency)
    yield* eventually(
      "both succeed",
      requestsOf(url, depositAddress),
      (all) => all.length === 2 && all.every(({ status }) => status === "success")
    )
    return yield* held(beta, currency, recipient)
  }
)

/** What a sponsor has been charged, once nothing of it is held. */
const drawn = Effect.fnUntraced(function*({ wallet = "" }: TestSponsor) {
  const { store } = yield* Running
  const all = yield* eventually(
    "nothing is held",
    ledgerOf(store),
    (now) => !Object.keys(now).some((account) => account.startsWith(`Hold:${wallet}`))
  )
  return BALANCE - (all[`Wallet:${wallet}`] ?? 0n)
})

layer(Running.layer, { excludeTestServices: true })("a deposit on another chain", (it) => {
  for (const [n, currency] of [ETH, USDC].entries()) {
    it.effect(`of ${currency.symbol} is a separate request from there, once a reindex has found it; the address's own request still waits`, () =>
      Effect.gen(function*() {
        const { gamma } = yield* Running
        const asked = yield* ask(n, currency)
        const { delivered, made } = yield* comesOnGamma(asked, currency)
        assert.strictEqual(made.find(({ status }) => status === "waiting")?.id, asked.requestId)
        assert.isTrue(
          delivered > currency.some * 9n / 10n && delivered < currency.some,
          `${delivered} of ${currency.some}`
        )
        assert.strictEqual(yield* held(gamma, currency, asked.depositAddress), 0n)
        assert.strictEqual(yield* held(gamma, currency, asked.refundTo), 0n)
        assert.isTrue((yield* comesOnAlpha(asked, currency)) > delivered)
      }))
  }

  for (const [n, sponsor] of sponsors.entries()) {
    it.effect(`draws ${n === 0 ? "nothing" : "no more than the day's budget"} of the address's sponsor, and leaves what was quoted for the quoted chain`, () =>
      Effect.gen(function*() {
        const asked = yield* ask(10 + n, USDC, { subsidizeFees: true }, keyOf(sponsor))
        const { delivered } = yield* comesOnGamma(asked, USDC, keyOf(sponsor))
        if (n === 0) assert.isTrue(delivered < USDC.some && delivered > USDC.some * 9n / 10n, `${delivered}`)
        else assert.strictEqual(delivered, USDC.some)
        if (n === 1) yield* eventually("it is drawn", drawn(sponsor), (units) => units > 0n)
        const before = yield* drawn(sponsor)
        assert.isTrue(n === 0 ? before === 0n : before <= BUDGET, `${before}`)
        assert.strictEqual((yield* comesOnAlpha(asked, USDC)) - delivered, USDC.some)
        const all = yield* eventually("what was quoted is drawn", drawn(sponsor), (units) => units > before)
        const { feeSponsorship: { quoted: { sponsoredTotal } } } = Schema.decodeUnknownSync(SponsoredQuote)(
          asked.answer
        )
        assert.isTrue(all - before <= BigInt(sponsoredTotal.amount), `${all - before} of ${sponsoredTotal.amount}`)
      }))
  }
})
