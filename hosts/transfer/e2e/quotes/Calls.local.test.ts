import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { encodeFunctionData, erc20Abi, parseAbi, toHex } from "viem"
import type { Hex } from "viem"
import { abi as vaultAbi } from "../../../../adapters/ethereum/contracts/artifacts/Vault.ts"
import { addressOf, permit2 } from "../../../localnet/nodes/ethereum/Addresses.ts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { requestOf, startFixture } from "../../testing/Fixture.ts"
import { ended, execute, postQuote, quote, sendCall, sendDeposit } from "../../testing/Client.ts"
import { counter } from "../../testing/Misbehaving.ts"
import { FLAGGED, frontRun, OFF, ON, spentUsd } from "../../testing/RevertingCalls.ts"
import { ETH, held, USDC, USDT, WETH } from "../../testing/Tokens.ts"
import type { TestCurrency } from "../../testing/Tokens.ts"
import { verified } from "../../testing/Verified.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

const API_KEY = "integrator"

class Running extends fixtureOf<Running>()(
  "test/CallsRunning",
  startFixture(startNetwork, {
    keys: [API_KEY],
    settings: { REVERTED_CALLS_USD: "1", CALLDATA_MIB: "1", CALLDATA_KEY_MIB: "1" }
  })
) {}

const fresh = (index: number) => toHex(0xd0000000000 + index, { size: 20 })

interface Call {
  readonly to: Hex
  readonly value?: string
  readonly data?: Hex
}

const body = (index: number, to: TestCurrency, txs: ReadonlyArray<Call>, changes: object = {}) =>
  Effect.map(Running, (running) =>
    requestOf(running, index, [USDC, to], {
      recipient: fresh(index),
      txs: txs.map(({ data = "0x", to, value = "0" }) => ({ to, value, data })),
      ...changes
    }))

const transferCall = (token: TestCurrency, to: Hex, amount: bigint): Call => ({
  to: token.address,
  data: encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [to, amount] })
})

const Refusal = Schema.Struct({
  errorCode: Schema.String,
  errorData: Schema.String,
  approxSimulatedBlock: Schema.optionalKey(Schema.Int),
  failedCallData: Schema.optionalKey(
    Schema.Struct({ from: Schema.String, to: Schema.String, data: Schema.String, value: Schema.String })
  )
})

const refused = Effect.fnUntraced(function*(request: object) {
  const { url } = yield* Running
  const answer = yield* postQuote(url, request)
  assert.strictEqual(answer.status, 400, answer.text)
  return Schema.decodeUnknownSync(Refusal)(answer.json())
})

/** Burns all its gas. */
const LOOPS = "0x5b600056"
const REVERTS = "0x60006000fd"
/** Does nothing where the gas price is zero, as in a careless simulation. Otherwise burns all its gas. */
const SEES_TRIALS = "0x3a156009575b6005565b00"

layer(Running.layer, { excludeTestServices: true })("calls on the destination", (it) => {
  it.effect("run in order with the output, and the recipient gets the leftover", () =>
    Effect.gen(function*() {
      const { chains, key, url } = yield* Running
      const { alpha, beta } = chains
      const [friend, other] = [fresh(200), fresh(201)]
      const request = yield* body(0, USDC, [transferCall(USDC, friend, 1_000_000n), transferCall(USDC, other, 2n)])
      yield* verified(url, chains, request)
      const quoted = yield* quote(url, request)
      yield* execute(alpha, key(0), quoted)
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
      assert.strictEqual(yield* held(beta, USDC, friend), 1_000_000n)
      assert.strictEqual(yield* held(beta, USDC, other), 2n)
      assert.strictEqual(yield* held(beta, USDC, fresh(0)), BigInt(quoted.details.currencyOut.amount) - 1_000_002n)
    }))

  it.effect("carry native currency where the output is native, and get an exact output exactly", () =>
    Effect.gen(function*() {
      const { chains: { alpha, beta }, key, url } = yield* Running
      const friend = fresh(202)
      const changes = { tradeType: "EXACT_OUTPUT", amount: ETH.some.toString(), txsGasLimit: 100_000 }
      const wrap = {
        to: WETH.address,
        value: "5",
        data: encodeFunctionData({ abi: parseAbi(["function deposit() payable"]), functionName: "deposit" })
      }
      const quoted = yield* quote(
        url,
        yield* body(1, ETH, [{ to: friend, value: (ETH.some - 5n).toString() }, wrap], changes)
      )
      yield* execute(alpha, key(1), quoted)
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
      assert.strictEqual(yield* held(beta, ETH, friend), ETH.some - 5n)
      // The recipient also gets what a call leaves in a configured token.
      assert.strictEqual(yield* held(beta, WETH, fresh(1)), 5n)
    }))

  it.effect("run on the deposit's chain, too, within the gas limit that is required then, in any currency", () =>
    Effect.gen(function*() {
      const { chains, chains: { alpha }, key, url } = yield* Running
      for (const [index, to, amount] of [[10, USDC, 3_000_000n], [11, USDT, 4_000_000n]] as const) {
        const friend = fresh(210 + index)
        const request = yield* body(index % 5, to, [transferCall(to, friend, amount)], {
          destinationChainId: alpha.chainId,
          recipient: fresh(index),
          gasLimitForDepositSpecifiedTxs: 150_000
        })
        yield* verified(url, chains, request)
        const quoted = yield* quote(url, request)
        yield* execute(alpha, key(index % 5), quoted)
        assert.strictEqual((yield* ended(url, quoted)).status, "success")
        assert.strictEqual(yield* held(alpha, to, friend), amount)
        assert.strictEqual(yield* held(alpha, to, fresh(index)), BigInt(quoted.details.currencyOut.amount) - amount)
      }
      const hog = fresh(209)
      yield* alpha.setCode(hog, LOOPS)
      const tooMuch = yield* refused(
        yield* body(0, USDC, [{ to: hog }], {
          destinationChainId: alpha.chainId,
          gasLimitForDepositSpecifiedTxs: 150_000
        })
      )
      assert.strictEqual(tooMuch.errorCode, "DESTINATION_TX_FAILED")
    }))

  it.effect("that fail in simulation are refused with the call and the block; so are calls beyond the output or the gas limit", () =>
    Effect.gen(function*() {
      const { chains: { beta } } = yield* Running
      const [broken, hog] = [fresh(203), fresh(204)]
      yield* beta.setCode(broken, REVERTS)
      yield* beta.setCode(hog, LOOPS)
      const failing = yield* refused(
        yield* body(2, USDC, [transferCall(USDC, fresh(1), 1n), { to: broken, data: "0x1234" }])
      )
      assert.deepStrictEqual([failing.errorCode, failing.errorData], ["DESTINATION_TX_FAILED", "txs"])
      assert.deepStrictEqual([failing.failedCallData?.to, failing.failedCallData?.data], [broken, "0x1234"])
      assert.isAbove(failing.approxSimulatedBlock ?? 0, 0)
      assert.strictEqual((yield* refused(yield* body(2, USDC, [{ to: hog }]))).errorCode, "DESTINATION_TX_FAILED")
      assert.strictEqual(
        (yield* refused(yield* body(2, USDC, [transferCall(USDC, fresh(1), 2n * USDC.some)]))).errorCode,
        "DESTINATION_TX_FAILED"
      )
      assert.strictEqual(
        (yield* refused(yield* body(2, USDC, [{ to: fresh(1), value: "1" }]))).errorCode,
        "INVALID_EXTRA_TXS"
      )
      assert.strictEqual(
        (yield* refused(yield* body(2, ETH, [{ to: fresh(1), value: (10n ** 20n).toString() }]))).errorCode,
        "INVALID_EXTRA_TXS"
      )
      assert.strictEqual((yield* refused(yield* body(2, USDC, [], { txsGasLimit: 5 }))).errorCode, "INVALID_REQUEST")
    }))

  it.effect("that fail only in the fill: nothing is delivered, and the deposit is refunded", () =>
    Effect.gen(function*() {
      const { chains: { alpha, beta }, key, url } = yield* Running
      const target = fresh(205)
      const quoted = yield* quote(
        url,
        yield* body(3, USDC, [transferCall(USDC, fresh(206), 7n), { to: target, data: "0x01" }], {
          refundTo: fresh(303)
        })
      )
      yield* beta.setCode(target, REVERTS)
      yield* execute(alpha, key(3), quoted)
      const end = yield* ended(url, quoted)
      assert.deepStrictEqual([end.status, end.failReason], ["refund", "TRANSACTION_REVERTED"])
      assert.strictEqual(yield* held(beta, USDC, fresh(206)), 0n)
      assert.isAbove(Number(yield* held(alpha, USDC, fresh(303))), Number(USDC.some) * 0.9)
    }))

  it.effect("that succeed only where gas is free are refused in simulation", () =>
    Effect.gen(function*() {
      const { chains: { beta } } = yield* Running
      const detector = fresh(220)
      yield* beta.setCode(detector, SEES_TRIALS)
      assert.strictEqual((yield* refused(yield* body(7, USDC, [{ to: detector }]))).errorCode, "DESTINATION_TX_FAILED")
    }))

  it.effect("that someone makes revert after signing cost their user at most the amount shown, and the solver nothing: the user transfers again at once", () =>
    Effect.gen(function*() {
      const { chains, chains: { alpha, beta }, key, url } = yield* Running
      const [target, back] = [fresh(221), fresh(321)]
      yield* beta.setCode(target, FLAGGED)
      const request = yield* body(8, USDC, [{ to: target }], { refundTo: back })
      yield* verified(url, chains, request)
      const quoted = yield* quote(url, request)
      const { amount, minimumAmount } = quoted.details.refundCurrency
      assert.strictEqual(amount, USDC.some.toString())
      const before = yield* counter(url, "reverted_calls_usd_total", "beta")
      yield* frontRun(chains, execute(alpha, key(8), quoted), target, ON, key(9))
      const end = yield* ended(url, quoted)
      assert.deepStrictEqual([end.status, end.failReason], ["refund", "TRANSACTION_REVERTED"])
      const refunded = yield* held(alpha, USDC, back)
      assert.isTrue(refunded >= BigInt(minimumAmount) && refunded < USDC.some, `${refunded} of ${minimumAmount}`)
      // The amount deducted from the deposit pays for the reverted fill and for the refund.
      const kept = Number(USDC.some - refunded) / 1e6
      const spent = (yield* spentUsd(chains, "beta", quoted)) + (yield* spentUsd(chains, "alpha", quoted))
      assert.isAbove(yield* spentUsd(chains, "beta", quoted), 0)
      assert.isAtLeast(kept, spent * 0.95, `kept ${kept}, spent ${spent}`)
      assert.strictEqual(yield* counter(url, "reverted_calls_usd_total", "beta"), before)
      // Neither the user nor the calls are blocked afterwards.
      yield* sendCall(beta, key(9), { to: target, data: OFF })
      const again = yield* quote(url, request)
      yield* execute(alpha, key(8), again)
      assert.strictEqual((yield* ended(url, again)).status, "success")
    }))

  it.effect("that someone makes revert at a strict deposit address, with an exact output and an excess: all is refunded but the amount shown", () =>
    Effect.gen(function*() {
      const { chains, chains: { alpha, beta }, key, url } = yield* Running
      const [target, back] = [fresh(222), fresh(322)]
      yield* beta.setCode(target, FLAGGED)
      const request = yield* body(8, USDC, [{ to: target }], {
        originCurrency: ETH.address,
        tradeType: "EXACT_OUTPUT",
        useDepositAddress: true,
        strict: true,
        refundTo: back
      })
      yield* verified(url, chains, request)
      const quoted = yield* quote(url, request)
      const { amount, minimumAmount } = quoted.details.refundCurrency
      const [asked, shown] = [BigInt(amount), BigInt(amount) - BigInt(minimumAmount)]
      const sent = asked * 3n
      yield* frontRun(chains, sendDeposit(alpha, key(8), quoted, sent), target, ON, key(9))
      const end = yield* ended(url, quoted)
      assert.deepStrictEqual([end.status, end.failReason], ["refund", "TRANSACTION_REVERTED"])
      const refunded = yield* held(alpha, ETH, back)
      assert.isTrue(refunded >= sent - shown && refunded < sent, `${refunded} of ${sent}, shown ${shown}`)
      assert.isAbove(Number(sent - refunded) / 1e18 * 2_500, 0.5)
    }))

  it.effect("that their deposit would not cover are refused once the day's cap does not cover them either; all others are served", () =>
    Effect.gen(function*() {
      const { url } = yield* Running
      const calls = [transferCall(USDC, fresh(1), 1n)]
      const { details: { refundCurrency }, fees } = yield* quote(url, yield* body(2, USDC, calls))
      const bound = BigInt(refundCurrency.amount) - BigInt(refundCurrency.minimumAmount)
      const dust = { amount: ((BigInt(fees["relayer"]?.amount ?? "0") * 11n) / 10n).toString() }
      assert.isBelow(Number(dust.amount), Number(bound) - 200_000)
      const { errorCode, errorData } = yield* refused(yield* body(2, USDC, calls, dust))
      assert.deepStrictEqual([errorCode, errorData], ["AMOUNT_TOO_LOW", "amount"])
      yield* quote(url, yield* body(2, USDC, [], dust))
    }))

  it.effect("to the solver and its contracts, the depository or Permit2 are refused by name", () =>
    Effect.gen(function*() {
      const { chains: { solver } } = yield* Running
      for (const to of [solver, addressOf("Vault"), addressOf("Router"), addressOf("Depository"), permit2]) {
        const { errorCode, errorData } = yield* refused(yield* body(4, USDC, [{ to }]))
        assert.deepStrictEqual([errorCode, errorData], ["INVALID_EXTRA_TXS", "txs.0.to"], to)
      }
    }))

  it.effect("that try to drain the solver, its vault or the next user get nothing", () =>
    Effect.gen(function*() {
      const { chains: { alpha, beta, solver }, key, url, user } = yield* Running
      const thief = user(5)
      const pull = (from: Hex): Call => ({
        to: USDC.address,
        data: encodeFunctionData({ abi: erc20Abi, functionName: "transferFrom", args: [from, thief, 1_000_000n] })
      })
      for (const from of [solver, addressOf("Vault"), addressOf("Router"), addressOf("Depository")]) {
        assert.strictEqual(
          (yield* refused(yield* body(5, USDC, [pull(from)]))).errorCode,
          "DESTINATION_TX_FAILED",
          from
        )
      }
      // Through the thief's contract that calls the vault: it is not an operator, whoever calls it.
      const relay = fresh(207)
      const withdraw = encodeFunctionData({
        abi: vaultAbi,
        functionName: "withdraw",
        args: [USDC.address, thief, 1_000_000n]
      })
      // Forwards its calldata to the vault and reverts when that does.
      yield* beta.setCode(
        relay,
        `0x3660006000373660006000600060003660006000600073${addressOf("Vault").slice(2)}5af11515603957005b60006000fd`
      )
      assert.strictEqual(
        (yield* refused(yield* body(5, USDC, [{ to: relay, data: withdraw }]))).errorCode,
        "DESTINATION_TX_FAILED"
      )
      // An allowance that one user's calls leave behind gives no access to the next user's money.
      const allowed: Call = {
        to: USDC.address,
        data: encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [thief, 2n ** 256n - 1n] })
      }
      const vaultBefore = yield* held(beta, USDC, addressOf("Vault"))
      const first = yield* quote(url, yield* body(5, USDC, [allowed]))
      yield* execute(alpha, key(5), first)
      assert.strictEqual((yield* ended(url, first)).status, "success")
      const second = yield* quote(url, yield* body(6, USDC, [transferCall(USDC, fresh(6), 1n)]))
      yield* execute(alpha, key(6), second)
      assert.strictEqual((yield* ended(url, second)).status, "success")
      const paid = BigInt(first.details.currencyOut.amount) + BigInt(second.details.currencyOut.amount)
      assert.strictEqual(vaultBefore - (yield* held(beta, USDC, addressOf("Vault"))), paid)
      assert.strictEqual(yield* held(beta, USDC, fresh(5)), BigInt(first.details.currencyOut.amount))
      assert.strictEqual(yield* held(beta, USDC, fresh(6)), BigInt(second.details.currencyOut.amount))
    }))

  it.effect(
    "of callers without a key are stored up to the day's allowance: keys have their own, and small ones are not counted",
    () =>
      Effect.gen(function*() {
        const { url } = yield* Running
        const large = yield* body(
          1,
          USDC,
          Array.from({ length: 4 }, () => ({ to: fresh(99), data: toHex(0, { size: 16_384 }) }))
        )
        const small = yield* body(1, USDC, [{ to: fresh(99), data: toHex(0, { size: 2_048 }) }])
        const asked = (request: object, headers: Readonly<Record<string, string>> = {}) =>
          postQuote(url, request, headers)
        // Sixteen are a mebibyte. Other tests of this suite have used some of it.
        const taken = yield* Effect.forEach(Array.from({ length: 17 }), () => asked(large))
        assert.deepStrictEqual([...new Set(taken.map(({ status }) => status))], [200, 400])
        const { errorCode, errorData } = yield* refused(large)
        assert.deepStrictEqual([errorCode, errorData], ["INVALID_EXTRA_TXS", "txs"])
        assert.match(
          taken.at(-1)?.text ?? "",
          /without an API key.*1 MiB.*send at most 2048 bytes, send an API key, or ask again tomorrow/
        )
        assert.strictEqual((yield* asked(small)).status, 200)
        // What callers without a key have used up does not count against a key.
        const key = { "x-api-key": API_KEY }
        assert.strictEqual((yield* asked(large, key)).status, 200)
        const all = yield* Effect.forEach(Array.from({ length: 16 }), () => asked(large, key))
        assert.match(all.at(-1)?.text ?? "", /of this API key.*send at most 2048 bytes or ask again tomorrow/)
        assert.strictEqual(all.at(-2)?.status, 200)
      })
  )
})
