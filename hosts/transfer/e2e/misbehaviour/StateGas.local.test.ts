/**
 * A chain that takes gas for new state (PRICE-29, EIP-8037), simulated at the wire: payments that make state are quoted with
 * that gas, offer enough of it and are made, and strangers' code may take no more for it.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Hex } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { multicall3 } from "../../../localnet/nodes/ethereum/Addresses.ts"
import { addressFor, payTo } from "../../testing/Addressed.ts"
import { ended, nativeRequest, post, quote, reader, sendDeposit } from "../../testing/Client.ts"
import type { QuoteAnswer } from "../../testing/Client.ts"
import { assertDelivered, assertRefundedOnce, paymentsOf, sentBy, startMisbehaving } from "../../testing/Misbehaving.ts"
import { ETH, held, USDC } from "../../testing/Tokens.ts"
import { fork } from "./testing/Glamsterdam.ts"

const ACCOUNT_GAS = 183_600n
const SLOT_GAS = 97_920n
/** The vault's note, an executor, a holder's first token. */
const AROUND_CALLS = 293n * 1_530n

const start = Effect.gen(function*() {
  const network = yield* startMisbehaving
  const { url } = yield* network.startInstance({ FACTS_MAX_AGE_MS: "0" })
  return { ...network, url }
})

class Network extends fixtureOf<Network>()("test/StateGas", start) {}

/** Both chains have the fork for as long as the test runs. */
const forked = Effect.gen(function*() {
  const network = yield* Network
  const { alphaNode, betaNode } = network
  const chains = yield* Effect.acquireRelease(
    Effect.sync(() => ({ onAlpha: fork(alphaNode), onBeta: fork(betaNode) })),
    () => Effect.sync(() => [alphaNode, betaNode].forEach((node) => node.tellTheTruth()))
  )
  return { ...network, ...chains }
})

/** What the solver asks for gas. Both chains have the same currency, and nearly the same fees. */
const gasFee = ({ fees }: QuoteAnswer): bigint => BigInt(fees["relayerGas"]?.amount ?? "0")

/** Code that runs a loop of 26 gas so many times, whenever it is paid. */
const burner = (rounds: number): Hex => `0x62${rounds.toString(16).padStart(6, "0")}5b60019003806004575b00`

layer(Network.layer, { excludeTestServices: true })("a chain that takes gas for new state", (it) => {
  it.effect("pays an account that nobody ever used at a price with its gas, and refunds to one", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains, chains: { alpha, beta, solver }, fresh, key, onAlpha, onBeta, url, user } = yield* forked
      const [recipient, refundTo] = [fresh(), fresh()]
      const ask = (changes: object) => quote(url, nativeRequest(user(0), alpha, beta, 100n * ETH.some, changes))
      const [quoted, old] = [yield* ask({ recipient, refundTo }), yield* ask({ recipient: user(1) })]
      assert.isTrue(gasFee(quoted) > 7n * gasFee(old), `${gasFee(quoted)} of ${gasFee(old)}`)
      yield* sendDeposit(alpha, key(0), quoted)
      const end = yield* ended(url, quoted)
      assert.strictEqual(end.status, "success")
      yield* assertDelivered(chains, quoted, recipient)
      const [fill] = yield* paymentsOf(beta, solver, quoted)
      const paid = (yield* onBeta.gasUsed(end.txHashes[0] ?? "0x")) * (fill?.gasPrice ?? 0n)
      assert.isTrue(gasFee(quoted) >= paid, `${gasFee(quoted)} for ${paid}`)
      // The room for code that comes before the block is what it is on any chain (PRICE-26).
      assert.isTrue((fill?.gas ?? 0n) < (205_880n * 12n) / 10n + 10_000n, `${fill?.gas}`)
      const another = yield* ask({ recipient: fresh(), refundTo })
      yield* sendDeposit(alpha, key(0), another, 10n * ETH.some)
      assert.strictEqual((yield* ended(url, another)).status, "refund")
      yield* assertRefundedOnce(chains, another, refundTo)
      assert.deepStrictEqual([...onAlpha.starved, ...onBeta.starved], [])
    })))

  it.effect("pays the first token of a holder, and a topup beside it", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains: { alpha, beta }, fresh, key, onBeta, url, user } = yield* forked
      for (const changes of [{}, { topupGas: true }]) {
        const recipient = fresh()
        const quoted = yield* quote(url, {
          ...nativeRequest(user(0), alpha, beta, 100n * ETH.some, { recipient, ...changes }),
          destinationCurrency: USDC.address
        })
        yield* sendDeposit(alpha, key(0), quoted)
        assert.strictEqual((yield* ended(url, quoted)).status, "success")
        assert.strictEqual(yield* held(beta, USDC, recipient), BigInt(quoted.details.currencyOut.amount))
      }
      assert.deepStrictEqual(onBeta.starved, [])
    })))

  it.effect("charges a deposit address for its first sweep at least what that takes", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains: { alpha, beta, operator }, key, onAlpha, url, user } = yield* forked
      const request = {
        ...nativeRequest(user(0), alpha, beta, USDC.some, { recipient: user(1), refundTo: user(0) }),
        originCurrency: USDC.address,
        destinationCurrency: USDC.address
      }
      const plain = yield* quote(url, request)
      const { depositAddress, quoted } = yield* addressFor(url, request)
      const charged = gasFee(quoted) - gasFee(plain)
      yield* payTo(alpha, key(0), depositAddress, USDC, USDC.some)
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
      const [sweep] = yield* sentBy(alpha, operator)
      const taken = yield* onAlpha.gasUsed(sweep?.hash ?? "0x")
      assert.isTrue(taken > 300_000n, `${taken}`)
      // Of the fee's two parts that of the fill is for more than twice the gas of an old holder's token: some 60,000.
      assert.isTrue(charged * 60_000n >= taken * (gasFee(plain) / 2n), `${charged} for ${taken}, ${gasFee(plain)}`)
      assert.deepStrictEqual(onAlpha.starved, [])
    })))

  it.effect("makes calls that have their own gas, and leaves what is left to a new account", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains: { alpha, beta }, fresh, key, onBeta, url, user } = yield* forked
      for (const currency of [ETH, USDC]) {
        const recipient = fresh()
        const quoted = yield* quote(url, {
          ...nativeRequest(user(0), alpha, beta, 100n * ETH.some, { recipient }),
          destinationCurrency: currency.address,
          txs: [{ to: user(2), value: "0", data: "0x" }],
          txsGasLimit: 50_000
        })
        yield* sendDeposit(alpha, key(0), quoted)
        assert.strictEqual((yield* ended(url, quoted)).status, "success")
        assert.isTrue((yield* held(beta, currency, recipient)) > 0n)
      }
      assert.deepStrictEqual(onBeta.starved, [])
    })))

  it.effect("carries the delegation of an account that does not exist", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains: { alpha, beta }, fresh, key, onBeta, url, user } = yield* forked
      const owners = Array.from({ length: 8 }, () => privateKeyToAccount(generatePrivateKey()))
      const authorizationList = yield* Effect.promise(() =>
        Promise.all(owners.map(async (owner) => {
          const signed = await owner.signAuthorization({ chainId: beta.chainId, nonce: 0, address: multicall3 })
          const { r, s, yParity = 0 } = signed
          return { chainId: beta.chainId, address: multicall3, nonce: 0, yParity, r, s }
        }))
      )
      const quoted = yield* quote(
        url,
        nativeRequest(user(0), alpha, beta, 100n * ETH.some, { recipient: fresh(), authorizationList })
      )
      yield* sendDeposit(alpha, key(0), quoted)
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
      for (const { address } of owners) {
        assert.isDefined(yield* Effect.promise(() => reader(beta).getCode({ address })))
      }
      assert.deepStrictEqual(onBeta.starved, [])
    })))

  it.effect("lets a recipient's code take as much as on any chain", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains: { alpha, beta }, fresh, url, user } = yield* forked
      for (const [rounds, status] of [[1_000, 200], [3_800, 200], [4_000, 400], [8_000, 400]] as const) {
        const recipient = fresh()
        yield* beta.setCode(recipient, burner(rounds))
        // A trace looks at the newest block.
        yield* beta.mine(1)
        const answer = yield* post(
          `${url}/quote`,
          nativeRequest(user(0), alpha, beta, 100n * ETH.some, { recipient })
        )
        assert.strictEqual(answer.status, status, `${rounds} rounds: ${answer.text}`)
      }
    })))

  it.effect("pays at its price what was quoted before the fork, at the solver's cost, which is bounded", () =>
    Effect.scoped(Effect.gen(function*() {
      const { betaNode, chains: { alpha, beta }, fresh, key, url, user } = yield* Network
      const calls = { txs: [{ to: user(2), value: "0", data: "0x" }], txsGasLimit: 50_000 }
      const cases = [[ETH, ACCOUNT_GAS, {}], [USDC, SLOT_GAS, {}], [USDC, AROUND_CALLS, calls]] as const
      for (const [currency, most, changes] of cases) {
        const recipient = fresh()
        const quoted = yield* quote(url, {
          ...nativeRequest(user(0), alpha, beta, 100n * ETH.some, { recipient, ...changes }),
          destinationCurrency: currency.address
        })
        const { gasUsed, starved } = fork(betaNode)
        yield* sendDeposit(alpha, key(0), quoted)
        const end = yield* ended(url, quoted)
        betaNode.tellTheTruth()
        assert.strictEqual(end.status, "success")
        assert.strictEqual(yield* held(beta, currency, recipient), BigInt(quoted.details.currencyOut.amount))
        const hash = end.txHashes[0] ?? "0x"
        const { effectiveGasPrice } = yield* Effect.promise(() => reader(beta).getTransactionReceipt({ hash }))
        const lost = (yield* gasUsed(hash)) * effectiveGasPrice - gasFee(quoted)
        // A price with calls holds their whole limit, so less is lost, or nothing.
        assert.isTrue(
          (lost > 0n || "txs" in changes) && lost <= most * effectiveGasPrice,
          `${lost} of ${most * effectiveGasPrice}`
        )
        assert.deepStrictEqual(starved, [])
      }
    })))
})
