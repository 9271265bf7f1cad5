import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Schema } from "effect"
import { encodeFunctionData, erc20Abi, getAddress, parseAbi, toHex } from "viem"
import type { Address, Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { abi as vaultAbi } from "../../../../adapters/ethereum/contracts/artifacts/Vault.ts"
import { addressOf } from "../../../localnet/nodes/ethereum/Addresses.ts"
import type { Anvil } from "../../../localnet/nodes/ethereum/Anvil.ts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { requestOf, startFixture } from "../../testing/Fixture.ts"
import { addressFor, payTo, requestsOf } from "../../testing/Addressed.ts"
import { ended, execute, post, postQuote, quote, QuoteAnswer, reader, sendCall, status } from "../../testing/Client.ts"
import { pooled } from "../../testing/FeePressure.ts"
import { get } from "../../testing/Get.ts"
import { eventually, holdMining, resumeMining } from "../../testing/Misbehaving.ts"
import { moveMarket, routerOf } from "../../testing/MoveMarket.ts"
import { spentUsd } from "../../testing/RevertingCalls.ts"
import { ETH, GEM, held, USDC, USDT, WETH } from "../../testing/Tokens.ts"
import type { TestCurrency } from "../../testing/Tokens.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

const ADMIN_TOKEN = "an admin token of more than thirty-two characters"

class Running extends fixtureOf<Running>()(
  "test/SwapsRunning",
  startFixture(startNetwork, { settings: { ADMIN_TOKEN, FACTS_MAX_AGE_MS: "0" } })
) {}

const fresh = (index: number) => toHex(0xc0000000000 + index, { size: 20 })

const body = (index: number, from: TestCurrency, to: TestCurrency, changes: object = {}) =>
  Effect.map(Running, (running) => {
    const { chains: { alpha } } = running
    return requestOf(running, index, [from, to], {
      recipient: fresh(index),
      destinationChainId: alpha.chainId,
      ...changes
    })
  })

const refused = Effect.fnUntraced(function*(request: object, ...words: ReadonlyArray<string>) {
  const { url } = yield* Running
  const answer = yield* postQuote(url, request)
  assert.strictEqual(answer.status, 400, answer.text)
  for (const word of words) assert.include(answer.text, word)
})

const Leg = Schema.Struct({
  router: Schema.String,
  includedSwapSources: Schema.Array(Schema.String),
  inputCurrency: Schema.Struct({ amount: Schema.String }),
  outputCurrency: Schema.Struct({ amount: Schema.String, minimumAmount: Schema.String })
})

const Routed = Schema.Struct({
  details: Schema.Struct({
    operation: Schema.String,
    route: Schema.Struct({ origin: Leg, destination: Leg })
  })
})

/** The route that a quote shows. */
const routed = Effect.fnUntraced(function*(request: object) {
  const { url } = yield* Running
  const answer = yield* postQuote(url, request)
  assert.strictEqual(answer.status, 200, answer.text)
  return Schema.decodeUnknownSync(Routed)(answer.json()).details
})

const sources = ["uniswap-v3", "uniswap-v2"] as const

const v2 = parseAbi([
  "function getPair(address, address) view returns (address)",
  "function getReserves() view returns (uint112, uint112, uint32)"
])

/** The output of the v2 pair by its reserves, computed here: x·y = k, after three tenths of a percent. */
const pairGives = (anvil: Anvil, from: Address, to: Address, amountIn: bigint) =>
  Effect.promise(async () => {
    const client = reader(anvil)
    const pair = await client.readContract({
      abi: v2,
      address: addressOf("UniswapV2Factory"),
      functionName: "getPair",
      args: [from, to]
    })
    const [first, second] = await client.readContract({ abi: v2, address: pair, functionName: "getReserves" })
    const [mine, theirs] = from.toLowerCase() < to.toLowerCase() ? [first, second] : [second, first]
    const net = amountIn * 997n
    return (net * theirs) / (mine * 1000n + net)
  })

/** Between the chains, with the token that only swaps reach. */
const across = Effect.fnUntraced(function*(index: number, from: TestCurrency, to: TestCurrency, changes: object = {}) {
  const { chains: { beta } } = yield* Running
  return yield* body(index, from, to, { destinationChainId: beta.chainId, ...changes })
})

const transferOf = (to: Address, amount: bigint) =>
  encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [to, amount] })

/** The contracts that a fill passes keep nothing afterwards. */
const passedOn = Effect.fnUntraced(function*() {
  const { chains: { beta, solver } } = yield* Running
  for (
    const account of [
      solver,
      addressOf("Vault"),
      addressOf("Router"),
      addressOf("Handover"),
      routerOf["uniswap-v2"],
      routerOf["uniswap-v3"]
    ]
  ) {
    assert.strictEqual(yield* held(beta, GEM, account), 0n, account)
  }
})

const Topped = Schema.Struct({ details: Schema.Struct({ currencyGasTopup: Schema.Struct({ amount: Schema.String }) }) })

layer(Running.layer, { excludeTestServices: true })("a swap", (it) => {
  for (const source of sources) {
    for (const [index, [from, to]] of [[ETH, USDC], [USDC, ETH], [USDC, GEM], [GEM, ETH], [WETH, USDC]].entries()) {
      if (from === undefined || to === undefined) continue
      it.effect(`within one chain by its user through ${source}: ${from.symbol} for ${to.symbol}, exactly as quoted, either way`, () =>
        Effect.gen(function*() {
          const { chains: { alpha, solver }, key, url } = yield* Running
          const solverHad = yield* held(alpha, to, solver)
          for (const tradeType of ["EXACT_INPUT", "EXACT_OUTPUT"]) {
            const recipient = fresh(
              100 + 10 * index + (tradeType === "EXACT_INPUT" ? 0 : 1) + (source === "uniswap-v2" ? 1000 : 0)
            )
            const amount = tradeType === "EXACT_INPUT" ? from.some : to.some
            const asked = yield* body(index, from, to, {
              tradeType,
              amount: amount.toString(),
              recipient,
              includedSwapSources: [source]
            })
            const quoted = yield* quote(url, asked)
            assert.deepStrictEqual(quoted.steps.map(({ id }) => id), from === ETH ? ["swap"] : ["approve", "swap"])
            assert.strictEqual(getAddress(quoted.steps.at(-1)?.items[0]?.data.to ?? "0x"), routerOf[source])
            const amountIn = BigInt(quoted.details.currencyIn.amount)
            const had = yield* held(alpha, from, (yield* Running).user(index))
            const receipts = yield* execute(alpha, key(index), quoted)
            const end = yield* ended(url, quoted)
            assert.strictEqual(end.status, "success")
            assert.deepStrictEqual([end.inTxHashes, end.txHashes], [[receipts.at(-1)?.transactionHash], [
              receipts.at(-1)?.transactionHash
            ]])
            assert.strictEqual(yield* held(alpha, to, recipient), BigInt(quoted.details.currencyOut.amount))
            const gas = from === ETH
              ? receipts.reduce((sum, { effectiveGasPrice, gasUsed }) => sum + effectiveGasPrice * gasUsed, 0n)
              : 0n
            assert.strictEqual(had - (yield* held(alpha, from, (yield* Running).user(index))) - gas, amountIn)
            // Nothing is left in the intermediate contracts, and no allowance remains.
            const left = from === ETH
              ? 0n
              : yield* Effect.promise(async () =>
                reader(alpha).readContract({
                  abi: erc20Abi,
                  address: from.address,
                  functionName: "allowance",
                  args: [(privateKeyToAccount(key(index))).address, routerOf[source]]
                })
              )
            assert.deepStrictEqual([
              left,
              yield* held(alpha, ETH, routerOf[source]),
              yield* held(alpha, WETH, routerOf[source])
            ], [0n, 0n, 0n])
          }
          assert.strictEqual(yield* held(alpha, to, solver), solverHad)
        }))
    }
  }

  it.effect("within one chain is quoted from the pair's reserves", () =>
    Effect.gen(function*() {
      const { chains: { alpha }, url } = yield* Running
      for (const amount of [1n, 10n ** 12n, 10n ** 16n, 77n * 10n ** 18n]) {
        const given = yield* pairGives(alpha, WETH.address, USDC.address, amount)
        const asked = yield* body(1, WETH, USDC, {
          amount: amount.toString(),
          includedSwapSources: ["uniswap-v2"],
          overridePriceImpact: true
        })
        if (given === 0n) yield* refused(asked, "NO_SWAP_ROUTES_FOUND")
        else assert.strictEqual((yield* quote(url, asked)).details.currencyOut.amount, `${given}`)
      }
    }))

  it.effect("shows its route, and respects the filters of the request", () =>
    Effect.gen(function*() {
      const { chains: { alpha }, key, url } = yield* Running
      const named = Effect.fnUntraced(function*(changes: object) {
        // So much that the lower fee is worth the gas.
        const { operation, route: { destination, origin } } = yield* routed(
          yield* body(1, ETH, USDC, { amount: `${10n ** 19n}`, ...changes })
        )
        assert.strictEqual(operation, "swap")
        assert.deepStrictEqual(destination.includedSwapSources, [])
        assert.deepStrictEqual(origin.outputCurrency, destination.outputCurrency)
        return [origin.router, ...origin.includedSwapSources]
      })
      assert.deepStrictEqual(yield* named({}), ["uniswap-v3", "uniswap-v3"])
      assert.deepStrictEqual(yield* named({ excludedSwapSources: ["uniswap-v3"] }), ["uniswap-v2", "uniswap-v2"])
      assert.deepStrictEqual(yield* named({ includedOriginSwapSources: ["uniswap-v2"] }), ["uniswap-v2", "uniswap-v2"])
      assert.deepStrictEqual(yield* named({ includedDestinationSwapSources: ["uniswap-v2"] }), [
        "uniswap-v3",
        "uniswap-v3"
      ])
      // v3 is preferred while it is behind by at most a tenth of a percent.
      yield* moveMarket(alpha, key(8), "uniswap-v3", USDC.address, 35n * 10n ** 18n)
      const preferred = { amount: `${4n * 10n ** 18n}` }
      assert.deepStrictEqual([
        yield* named(preferred),
        yield* named({ ...preferred, disableSwapProviderPreference: true })
      ], [["uniswap-v3", "uniswap-v3"], ["uniswap-v2", "uniswap-v2"]])
      yield* refused(
        yield* body(1, ETH, USDC, { includedSwapSources: ["uniswap-v2"], excludedSwapSources: ["uniswap-v2"] }),
        "NO_SWAP_ROUTES_FOUND"
      )
      yield* refused(yield* body(1, ETH, USDC, { disableOriginSwaps: true }), "NO_SWAP_ROUTES_FOUND")
      yield* refused(
        yield* body(1, ETH, USDC, { includedSwapSources: ["elsewhere"] }),
        "INVALID_REQUEST",
        "includedSwapSources.0",
        "uniswap-v3, uniswap-v2"
      )
      for (const query of ["", `?chainId=${alpha.chainId}`]) {
        assert.deepStrictEqual((yield* get(`${url}/swap-sources${query}`)).json(), { sources: [...sources] })
      }
      assert.strictEqual((yield* get(`${url}/swap-sources?chainId=1`)).status, 400)
    }))

  for (const [from, to] of [[ETH, WETH], [WETH, ETH]] as const) {
    it.effect(`within one chain of ${from.symbol} for ${to.symbol} uses the wrapped token itself, one for one; for another recipient the solver's`, () =>
      Effect.gen(function*() {
        const { chains: { alpha, solver }, key, url, user } = yield* Running
        const amount = 12_345_678_901_234_567n
        const asked = yield* body(2, from, to, {
          amount: `${amount}`,
          recipient: user(2),
          includedSwapSources: ["uniswap-v2"]
        })
        for (const tradeType of ["EXACT_INPUT", "EXACT_OUTPUT"]) {
          const quoted = yield* quote(url, { ...asked, tradeType })
          assert.deepStrictEqual(quoted.steps.map(({ id }) => id), ["swap"])
          assert.strictEqual(getAddress(quoted.steps[0]?.items[0]?.data.to ?? "0x"), WETH.address)
          assert.deepStrictEqual([
            quoted.details.currencyIn.amount,
            quoted.details.currencyOut.amount,
            quoted.details.currencyOut.minimumAmount,
            quoted.fees["relayer"]?.amount
          ], [`${amount}`, `${amount}`, `${amount}`, "0"])
          const had = yield* Effect.all([
            held(alpha, ETH, user(2)),
            held(alpha, WETH, user(2)),
            held(alpha, WETH, solver)
          ])
          const [receipt] = yield* execute(alpha, key(2), quoted)
          const end = yield* ended(url, quoted)
          assert.deepStrictEqual([end.status, end.txHashes], ["success", [receipt?.transactionHash]])
          const gas = (receipt?.gasUsed ?? 0n) * (receipt?.effectiveGasPrice ?? 0n)
          const sign = from === ETH ? 1n : -1n
          assert.deepStrictEqual(
            yield* Effect.all([held(alpha, ETH, user(2)), held(alpha, WETH, user(2)), held(alpha, WETH, solver)]),
            [had[0] - gas - sign * amount, had[1] + sign * amount, had[2]]
          )
        }
        const { operation, route } = yield* routed(asked)
        assert.deepStrictEqual([operation, route.origin.includedSwapSources], [from === ETH ? "wrap" : "unwrap", []])
        const other = yield* quote(url, { ...asked, recipient: fresh(600) })
        assert.strictEqual(other.steps.at(-1)?.id, "deposit")
      }))
  }

  it.effect("is stopped by a pause of its chain, of its currency, or of the one that its fill swaps", () =>
    Effect.gen(function*() {
      const { chains: { beta }, url } = yield* Running
      const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
      const asked = yield* across(1, USDC, GEM, {})
      for (
        const scope of [{ kind: "chain", chainId: beta.chainId }, {
          kind: "currency",
          chainId: beta.chainId,
          currency: GEM.address
        }, { kind: "currency", chainId: beta.chainId, currency: USDC.address }]
      ) {
        const paused = yield* post(`${url}/admin/pauses`, { ...scope, reason: "a test" }, headers)
        assert.strictEqual(paused.status, 200, paused.text)
        yield* refused(asked, "CHAIN_DISABLED")
        const { id } = Schema.decodeUnknownSync(Schema.Struct({ id: Schema.String }))(paused.json())
        yield* get(`${url}/admin/pauses/${encodeURIComponent(id)}`, { method: "DELETE", headers })
        yield* routed(asked)
      }
      const other = yield* post(`${url}/admin/pauses`, {
        kind: "currency",
        chainId: beta.chainId,
        currency: USDT.address,
        reason: "a test"
      }, headers)
      assert.strictEqual(other.status, 200)
      yield* routed(asked)
      yield* get(
        `${url}/admin/pauses/${encodeURIComponent(`currency:${beta.chainId}:${USDT.address.toLowerCase()}`)}`,
        { method: "DELETE", headers }
      )
    }))

  it.effect("that no source serves is refused by name", () =>
    Effect.gen(function*() {
      const { chains: { beta } } = yield* Running
      yield* refused(
        yield* body(1, GEM, USDC, { destinationChainId: beta.chainId, disableOriginSwaps: true }),
        "NO_SWAP_ROUTES_FOUND",
        "GEM"
      )
      // More than the pools can give.
      yield* refused(yield* body(1, GEM, USDC, { amount: `${10n ** 24n}` }), "SWAP_IMPACT_TOO_HIGH")
      yield* routed(yield* body(1, GEM, USDC, { amount: `${10n ** 24n}`, overridePriceImpact: true }))
    }))

  it.effect("fails when the price moved beyond its tolerance, and loses nothing; another's failed swap does not count", () =>
    Effect.gen(function*() {
      const { chains: { alpha }, key, url, user } = yield* Running
      const quoted = yield* quote(url, yield* body(6, ETH, USDC, { slippageTolerance: "50" }))
      const other = yield* quote(url, yield* body(7, ETH, USDC, { slippageTolerance: "50" }))
      // On both sources: the price is gone everywhere.
      for (const source of sources) yield* moveMarket(alpha, key(8), source, USDC.address, 500n * 10n ** 18n)
      const had = yield* held(alpha, ETH, user(6))
      // A stranger sends the second user's transaction: it does not count for the second user.
      const [theirs] = other.steps[0]?.items ?? []
      yield* sendCall(alpha, key(8), {
        to: theirs?.data.to ?? "0x",
        data: theirs?.data.data ?? "0x",
        value: BigInt(theirs?.data.value ?? "0"),
        gas: 500_000n
      })
      const [receipt] = yield* execute(alpha, key(6), quoted)
      if (receipt === undefined) return assert.fail("nothing was sent")
      assert.strictEqual(receipt.status, "reverted")
      const end = yield* ended(url, quoted)
      assert.deepStrictEqual([end.status, end.failReason, end.refunds], ["failure", "TRANSACTION_REVERTED", []])
      assert.strictEqual(had - (yield* held(alpha, ETH, user(6))), receipt.gasUsed * receipt.effectiveGasPrice)
      assert.strictEqual(yield* held(alpha, USDC, fresh(6)), 0n)
      assert.strictEqual((yield* status(url, other)).status, "waiting")
    }))

  it.effect("counts as executed only by the requested call", () =>
    Effect.gen(function*() {
      const { chains: { alpha }, key, url } = yield* Running
      const quoted = yield* quote(url, yield* body(9, ETH, USDC))
      const [item] = quoted.steps[0]?.items ?? []
      const data = item?.data.data ?? "0x"
      const to = item?.data.to ?? "0x"
      const value = BigInt(item?.data.value ?? "0")
      // The same id under a swap with another recipient, and sent to another contract than the router.
      const elsewhere = data.replaceAll(fresh(9).slice(2), fresh(90).slice(2)) as Hex
      assert.notStrictEqual(elsewhere, data)
      yield* sendCall(alpha, key(9), { to, data: elsewhere, value })
      yield* sendCall(alpha, key(9), { to: fresh(91), data, value })
      const next = yield* quote(url, yield* body(5, ETH, USDC))
      yield* execute(alpha, key(5), next)
      assert.strictEqual((yield* ended(url, next)).status, "success")
      assert.strictEqual((yield* status(url, quoted)).status, "waiting")
      yield* execute(alpha, key(9), quoted)
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
    }))
  for (
    const [index, [from, tradeType, changes]] of [
      [USDC, "EXACT_INPUT", {}],
      [ETH, "EXACT_INPUT", { includedDestinationSwapSources: ["uniswap-v2"] }],
      [USDC, "EXACT_OUTPUT", {}],
      [ETH, "EXPECTED_OUTPUT", {}],
      [USDC, "EXACT_INPUT", { appFees: [{ recipient: fresh(1), fee: "30" }] }]
    ].entries() as IterableIterator<[number, [TestCurrency, string, object]]>
  ) {
    it.effect(`in the fill delivers what the solver does not hold: ${from.symbol}, ${tradeType}, ${JSON.stringify(changes).slice(0, 40)}`, () =>
      Effect.gen(function*() {
        const { chains: { alpha, beta, solver }, key, url } = yield* Running
        const asked = yield* across(index, from, GEM, {
          tradeType,
          recipient: fresh(200 + index),
          ...(tradeType === "EXACT_INPUT" ? {} : { amount: GEM.some.toString() }),
          ...changes
        })
        const { route } = yield* routed(asked)
        assert.strictEqual(route.destination.includedSwapSources.length, 1)
        assert.deepStrictEqual(route.origin.includedSwapSources, [])
        const quoted = yield* quote(url, asked)
        yield* execute(alpha, key(index), quoted)
        const end = yield* ended(url, quoted)
        assert.deepStrictEqual([end.status, end.failReason, end.refunds], ["success", "N/A", []])
        const got = yield* held(beta, GEM, fresh(200 + index))
        // An expected output may be a few units higher, because the input for it was requested from the source.
        if (tradeType === "EXPECTED_OUTPUT") assert.isTrue(got >= GEM.some && got < GEM.some + 10n ** 6n, `${got}`)
        else assert.strictEqual(got, BigInt(quoted.details.currencyOut.amount))
        if (tradeType !== "EXACT_INPUT") assert.strictEqual(quoted.details.currencyOut.amount, `${GEM.some}`)
        assert.strictEqual(yield* held(beta, GEM, solver), 0n)
        assert.strictEqual(yield* held(beta, GEM, addressOf("Vault")), 0n)
        // Fees and the source's share: a quarter of the value would be an error.
        assert.isAbove(
          Number(quoted.details.currencyOut.amount) * 2,
          Number(quoted.details.currencyIn.amount) * (from === ETH ? 2500 * 0.75 : 1e12 * 0.75)
        )
      }))
  }

  it.effect("in the fill that is sandwiched is refunded, all but gas, with SLIPPAGE", () =>
    Effect.gen(function*() {
      const { chains: { alpha, beta }, key, url } = yield* Running
      const quoted = yield* quote(
        url,
        yield* across(6, USDC, GEM, {
          slippageTolerance: "50",
          amount: "2000000000",
          recipient: fresh(300),
          includedSwapSources: ["uniswap-v2"],
          refundTo: fresh(301)
        })
      )
      yield* moveMarket(beta, key(8), "uniswap-v2", GEM.address, 40n * 10n ** 18n)
      yield* execute(alpha, key(6), quoted)
      const end = yield* ended(url, quoted)
      assert.deepStrictEqual([end.status, end.failReason], ["refund", "SLIPPAGE"])
      assert.isAbove(Number(yield* held(alpha, USDC, fresh(301))), 1_990_000_000)
      assert.strictEqual(yield* held(beta, GEM, fresh(300)), 0n)
    }))

  for (const [index, mined] of [[0, "when it is tried"], [1, "on the chain"]] as const) {
    it.effect(`in the fill that is sandwiched falls back where the request allows it, to the unit, once: ${mined}`, () =>
      Effect.gen(function*() {
        const { chains: { alpha, beta, solver }, key, url } = yield* Running
        const recipient = fresh(310 + index)
        const asked = yield* across(index, USDC, GEM, {
          slippageTolerance: "50",
          amount: "2000000000",
          recipient,
          includedSwapSources: ["uniswap-v2"],
          refundTo: fresh(320 + index),
          useFallbacks: true,
          overridePriceImpact: true
        })
        const quoted = yield* quote(url, asked)
        assert.strictEqual(quoted.details.fallbackType, "bridged")
        const had = yield* held(beta, USDC, addressOf("Vault"))
        const move = (tip?: bigint) => moveMarket(beta, key(8), "uniswap-v2", GEM.address, 100n * 10n ** 18n, tip)
        if (mined === "when it is tried") {
          yield* move()
          yield* execute(alpha, key(index), quoted)
        } else {
          yield* Effect.acquireRelease(holdMining(beta), () => Effect.orDie(resumeMining(beta)))
          yield* execute(alpha, key(index), quoted)
          yield* eventually("the fill waits", pooled(beta, solver), (waiting) => waiting.length === 1)
          const ahead = yield* Effect.forkChild(move(10n ** 12n))
          yield* eventually(
            "and somebody goes ahead of it",
            pooled(beta, privateKeyToAccount(key(8)).address),
            (waiting) => waiting.length === 1
          )
          yield* beta.mine()
          // Waiting for a receipt polls with each new block.
          yield* resumeMining(beta)
          yield* Fiber.join(ahead)
        }
        const end = yield* ended(url, quoted)
        const { amount } = quoted.details.route.destination.inputCurrency
        const txHash = end.txHashes.at(-1) ?? "0x"
        assert.deepStrictEqual([end.status, end.failReason, end.refunds, end.txHashes.length], [
          "success",
          "N/A",
          [],
          mined === "on the chain" ? 2 : 1
        ])
        assert.deepStrictEqual(end.fallback, {
          state: "paid",
          reason: "SLIPPAGE",
          chainId: beta.chainId,
          currency: toHex(BigInt(USDC.address), { size: 20 }),
          amount,
          recipient,
          txHash
        })
        assert.include(end.details, "the swap could not be made")
        assert.deepStrictEqual([
          yield* held(beta, USDC, recipient),
          yield* held(beta, GEM, recipient),
          yield* held(alpha, USDC, fresh(320 + index))
        ], [BigInt(amount), 0n, 0n])
        // From the vault: the amount that it would have swapped.
        assert.strictEqual(had - (yield* held(beta, USDC, addressOf("Vault"))), BigInt(amount))
        const history = yield* Effect.promise(() =>
          fetch(`${url}/requests?txHash=${txHash}`).then((answer) => answer.text())
        )
        assert.include(history, `"fallback":{"state":"paid"`)
        const page = yield* Effect.promise(() =>
          fetch(`${url}/requests/${quoted.steps[0]?.requestId ?? ""}`).then((answer) => answer.text())
        )
        assert.include(page, "The exchange on")
        assert.include(page, "could not be made")
      }))
  }

  it.effect("in the fill that reverts on the chain is paid for by its deposit, at most what its quote shows (REFUND-13)", () =>
    Effect.gen(function*() {
      const { chains, chains: { alpha, beta, solver }, key, url } = yield* Running
      const [recipient, refundTo] = [fresh(330), fresh(331)]
      const quoted = yield* quote(
        url,
        yield* across(6, USDC, GEM, {
          slippageTolerance: "50",
          amount: "2000000000",
          recipient,
          includedSwapSources: ["uniswap-v2"],
          refundTo,
          overridePriceImpact: true
        })
      )
      yield* Effect.acquireRelease(holdMining(beta), () => Effect.orDie(resumeMining(beta)))
      yield* execute(alpha, key(6), quoted)
      yield* eventually("the fill waits", pooled(beta, solver), (waiting) => waiting.length === 1)
      const ahead = yield* Effect.forkChild(
        moveMarket(beta, key(8), "uniswap-v2", GEM.address, 100n * 10n ** 18n, 10n ** 12n)
      )
      yield* eventually(
        "and somebody goes ahead of it",
        pooled(beta, privateKeyToAccount(key(8)).address),
        (waiting) => waiting.length === 1
      )
      yield* beta.mine()
      yield* resumeMining(beta)
      yield* Fiber.join(ahead)
      const end = yield* ended(url, quoted)
      assert.deepStrictEqual([end.status, end.failReason], ["refund", "SLIPPAGE"])
      const { amount, minimumAmount } = quoted.details.refundCurrency
      const kept = BigInt(amount) - (yield* held(alpha, USDC, refundTo))
      assert.isTrue(kept > 0n && kept <= BigInt(amount) - BigInt(minimumAmount), `${kept}`)
      const spent = (yield* spentUsd(chains, "beta", quoted)) + (yield* spentUsd(chains, "alpha", quoted))
      assert.isTrue(spent > 0 && Number(kept) / 1e6 >= spent * 0.95, `kept ${kept}, spent ${spent}`)
    }))

  it.effect("in the fill whose fallback the recipient refuses is refunded", () =>
    Effect.gen(function*() {
      const { chains: { alpha, beta }, key, url } = yield* Running
      // It accepts tokens, but no native currency.
      const recipient = addressOf("UniswapV2Factory")
      const quoted = yield* quote(
        url,
        yield* across(3, ETH, GEM, {
          slippageTolerance: "50",
          amount: `${10n ** 18n}`,
          recipient,
          includedSwapSources: ["uniswap-v2"],
          refundTo: fresh(330),
          useFallbacks: true,
          overridePriceImpact: true
        })
      )
      yield* moveMarket(beta, key(8), "uniswap-v2", GEM.address, 200n * 10n ** 18n)
      yield* execute(alpha, key(3), quoted)
      const end = yield* ended(url, quoted)
      assert.deepStrictEqual([end.status, end.failReason, end.fallback], ["refund", "SLIPPAGE", undefined])
      assert.isAbove(Number(yield* held(alpha, ETH, fresh(330))), 0.99e18)
      assert.deepStrictEqual([yield* held(beta, ETH, recipient), yield* held(beta, GEM, recipient)], [0n, 0n])
    }))

  it.effect("that is not needed reports that nothing falls back; with refundOnOrigin it is refused", () =>
    Effect.gen(function*() {
      const { url } = yield* Running
      for (
        const asked of [
          yield* across(1, USDC, USDC, { useFallbacks: true }),
          yield* body(1, ETH, USDC, { useFallbacks: true })
        ]
      ) {
        assert.strictEqual((yield* quote(url, asked)).details.fallbackType, "none")
      }
      yield* refused(
        yield* across(1, USDC, GEM, { useFallbacks: true, refundOnOrigin: true }),
        "INVALID_REQUEST",
        "useFallbacks",
        "refundOnOrigin"
      )
    }))

  for (
    const [index, from, changes] of [[0, USDC, {}], [1, ETH, { txsGasLimit: 200_000 }], [2, USDC, {
      tradeType: "EXACT_OUTPUT",
      amount: `${GEM.some}`
    }]] as const
  ) {
    it.effect(`in the fill comes before the request's calls, which use its output: ${from.symbol} ${JSON.stringify(changes)}`, () =>
      Effect.gen(function*() {
        const { chains: { alpha, beta }, key, url } = yield* Running
        const part = 10n ** 18n
        const [recipient, other] = [fresh(500 + index), fresh(510 + index)]
        const quoted = yield* quote(
          url,
          yield* across(index, from, GEM, {
            recipient,
            txs: [{ to: GEM.address, value: "0", data: transferOf(other, part) }, {
              to: GEM.address,
              value: "0",
              data: transferOf(other, part)
            }],
            ...changes
          })
        )
        yield* execute(alpha, key(index), quoted)
        const end = yield* ended(url, quoted)
        assert.deepStrictEqual([end.status, end.failReason], ["success", "N/A"])
        assert.strictEqual(yield* held(beta, GEM, other), 2n * part)
        assert.strictEqual(yield* held(beta, GEM, recipient), BigInt(quoted.details.currencyOut.amount) - 2n * part)
        yield* passedOn()
      }))
  }

  for (const [index, from] of [USDC, ETH].entries()) {
    it.effect(`in the fill comes with a gas topup: ${from.symbol}`, () =>
      Effect.gen(function*() {
        const { chains: { alpha, beta }, key, url } = yield* Running
        const recipient = fresh(520 + index)
        const answer = yield* postQuote(url, yield* across(3 + index, from, GEM, { recipient, topupGas: true }))
        assert.strictEqual(answer.status, 200, answer.text)
        const quoted = Schema.decodeUnknownSync(QuoteAnswer)(answer.json())
        yield* execute(alpha, key(3 + index), quoted)
        assert.strictEqual((yield* ended(url, quoted)).status, "success")
        assert.strictEqual(
          yield* held(beta, ETH, recipient),
          BigInt(Schema.decodeUnknownSync(Topped)(answer.json()).details.currencyGasTopup.amount)
        )
        assert.strictEqual(yield* held(beta, ETH, recipient), 8n * 10n ** 14n)
        assert.strictEqual(yield* held(beta, GEM, recipient), BigInt(quoted.details.currencyOut.amount))
      }))
  }

  it.effect("in the fill for an exact output never costs the solver more than was deposited, at any tolerance", () =>
    Effect.gen(function*() {
      const { chains: { alpha, beta }, key, url } = yield* Running
      const recipient = fresh(530)
      const quoted = yield* quote(
        url,
        yield* across(5, USDC, GEM, {
          recipient,
          tradeType: "EXACT_OUTPUT",
          amount: `${GEM.some}`,
          slippageTolerance: "2000",
          overridePriceImpact: true
        })
      )
      const before = yield* held(beta, USDC, addressOf("Vault"))
      yield* execute(alpha, key(5), quoted)
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
      const paid = before - (yield* held(beta, USDC, addressOf("Vault")))
      const back = yield* held(beta, USDC, recipient)
      assert.strictEqual(yield* held(beta, GEM, recipient), GEM.some)
      assert.isTrue(paid < BigInt(quoted.details.currencyIn.amount), `${paid} for ${quoted.details.currencyIn.amount}`)
      // A fifth more than the source required was set aside, and goes to the recipient.
      assert.isTrue(back >= (paid - back) / 5n && back <= (paid - back) / 5n + 2n, `${back} of ${paid}`)
    }))

  for (const [index, mode] of (["strict", "open"] as const).entries()) {
    it.effect(`in the fill is paid for by a deposit address: ${mode}, the quoted amount and another`, () =>
      Effect.gen(function*() {
        const { chains: { alpha, beta }, key, url } = yield* Running
        const ask = Effect.fnUntraced(function*(nth: number) {
          const to = {
            recipient: fresh(540 + 10 * index + nth),
            refundTo: fresh(545 + 10 * index + nth),
            ...(mode === "strict" ? { strict: true } : {})
          }
          return { ...to, ...(yield* addressFor(url, yield* across(6, USDC, GEM, to))) }
        })
        const one = yield* ask(0)
        yield* payTo(alpha, key(7), one.depositAddress, USDC, USDC.some)
        assert.strictEqual((yield* ended(url, one.quoted)).status, "success")
        assert.strictEqual(yield* held(beta, GEM, one.recipient), BigInt(one.quoted.details.currencyOut.amount))
        const more = yield* ask(1)
        yield* payTo(alpha, key(7), more.depositAddress, USDC, 2n * USDC.some)
        if (mode === "strict") {
          assert.strictEqual((yield* ended(url, more.quoted)).status, "success")
          assert.strictEqual(yield* held(beta, GEM, more.recipient), BigInt(more.quoted.details.currencyOut.amount))
          yield* eventually(
            "the excess is back",
            held(alpha, USDC, more.refundTo),
            (back) => back > USDC.some * 9n / 10n && back < USDC.some
          )
        } else {
          // The whole received amount is swapped: a separate request.
          yield* eventually(
            "it is delivered",
            held(beta, GEM, more.recipient),
            (got) => got > BigInt(more.quoted.details.currencyOut.amount) * 19n / 10n
          )
          yield* eventually(
            "its request has ended",
            requestsOf(url, more.depositAddress),
            (all) => all.map(({ status }) => status).toSorted().join() === "success,waiting"
          )
          assert.strictEqual(yield* held(beta, USDC, more.recipient), 0n)
        }
      }))
  }

  it.effect("in the fill waits for the inventory of its input, if allowed", () =>
    Effect.gen(function*() {
      const { chains: { alpha, beta, solver, solverKey }, key, url } = yield* Running
      const vault = addressOf("Vault")
      const all = yield* held(beta, USDT, vault)
      const withdraw = (amount: bigint) =>
        sendCall(beta, solverKey, {
          to: vault,
          data: encodeFunctionData({ abi: vaultAbi, functionName: "withdraw", args: [USDT.address, solver, amount] })
        })
      yield* withdraw(all - 5_000_000n)
      const recipient = fresh(560)
      const asked = yield* across(8, USDT, GEM, { recipient })
      yield* refused(asked, "INSUFFICIENT_LIQUIDITY")
      // With some inventory, and with none, so that the fill cannot be simulated.
      yield* quote(url, { ...asked, useExternalLiquidity: true })
      yield* withdraw(5_000_000n)
      const quoted = yield* quote(url, { ...asked, useExternalLiquidity: true })
      yield* execute(alpha, key(8), quoted)
      yield* eventually("it is delayed", status(url, quoted), (seen) => seen.status === "delayed")
      yield* sendCall(beta, solverKey, { to: USDT.address, data: transferOf(vault, all) })
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
      assert.strictEqual(yield* held(beta, GEM, recipient), BigInt(quoted.details.currencyOut.amount))
    }))

  it.effect("within one chain is the solver's when it is forced, or has fees", () =>
    Effect.gen(function*() {
      const { chains: { alpha }, key, url } = yield* Running
      for (
        const [index, to, changes] of [[0, GEM, { forceSolverExecution: true }], [1, USDC, {
          forceSolverExecution: true
        }], [2, GEM, { appFees: [{ recipient: fresh(1), fee: "30" }] }]] as const
      ) {
        const quoted = yield* quote(url, yield* body(index, ETH, to, { recipient: fresh(400 + index), ...changes }))
        assert.strictEqual(quoted.steps.at(-1)?.id, "deposit")
        yield* execute(alpha, key(index), quoted)
        assert.strictEqual((yield* ended(url, quoted)).status, "success")
        assert.strictEqual(yield* held(alpha, to, fresh(400 + index)), BigInt(quoted.details.currencyOut.amount))
      }
    }))

  it.effect("is refused where it cannot be made", () =>
    Effect.gen(function*() {
      yield* refused(
        yield* across(1, USDC, GEM, {
          includedDestinationSwapSources: ["uniswap-v2"],
          excludedSwapSources: ["uniswap-v2"]
        }),
        "NO_SWAP_ROUTES_FOUND"
      )
      yield* refused(
        yield* across(1, USDC, GEM, { latePaymentSlippageTolerance: "100" }),
        "INVALID_REQUEST",
        "latePaymentSlippageTolerance",
        "GEM"
      )
      yield* refused(
        yield* across(1, USDC, GEM, { txs: [{ to: fresh(1), value: "1", data: "0x" }] }),
        "INVALID_EXTRA_TXS"
      )
      // The swap succeeds, but the calls need more than it gives.
      yield* refused(
        yield* across(1, USDC, GEM, { txs: [{ to: GEM.address, value: "0", data: transferOf(fresh(2), 10n ** 24n) }] }),
        "DESTINATION_TX_FAILED",
        "txs"
      )
      yield* refused(yield* across(1, USDC, GEM, { amount: "10000" }), "AMOUNT_TOO_LOW")
    }))
})
