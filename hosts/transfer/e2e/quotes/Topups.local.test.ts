import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { encodeFunctionData, erc20Abi, parseAbiItem, toHex } from "viem"
import { addressOf } from "../../../localnet/nodes/ethereum/Addresses.ts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { requestOf, startFixture } from "../../testing/Fixture.ts"
import { addressFor, payTo } from "../../testing/Addressed.ts"
import { ended, execute, postQuote, QuoteAnswer, reader } from "../../testing/Client.ts"
import { orderIdOf } from "../../testing/Misbehaving.ts"
import { ETH, held, USDC, USDT } from "../../testing/Tokens.ts"
import type { TestCurrency } from "../../testing/Tokens.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"
import { verified } from "../../testing/Verified.ts"

/** Quotes see at once what a test does to the vault. */
class Running extends fixtureOf<Running>()(
  "test/TopupsRunning",
  startFixture(startNetwork, { settings: { FACTS_MAX_AGE_MS: "0" } })
) {}

const fresh = (index: number) => toHex(0x70b0000000000 + index, { size: 20 })

const Amount = Schema.Struct({ amount: Schema.BigIntFromString, amountUsd: Schema.String })

const ToppedUp = Schema.Struct({
  ...QuoteAnswer.fields,
  fees: Schema.Record(Schema.String, Amount),
  details: Schema.Struct({
    currencyIn: Amount,
    currencyOut: Schema.Struct({ ...Amount.fields, minimumAmount: Schema.BigIntFromString }),
    currencyGasTopup: Amount
  })
})

const decodeQuote = Schema.decodeUnknownSync(QuoteAnswer)
const decodeTopup = Schema.decodeUnknownSync(ToppedUp)

const body = (index: number, from: TestCurrency, to: TestCurrency, changes: object = {}) =>
  Effect.map(Running, (running) =>
    requestOf(running, index, [from, to], {
      recipient: fresh(index),
      refundTo: fresh(100 + index),
      topupGas: true,
      ...changes
    }))

/** Quoted, verified like a careful client, paid and ended. */
const carriedOut = Effect.fnUntraced(
  function*(index: number, from: TestCurrency, to: TestCurrency, changes: object = {}) {
    const { chains, key, url } = yield* Running
    const { answer } = yield* verified(url, chains, yield* body(index, from, to, changes))
    const quoted = decodeQuote(answer)
    yield* execute(chains.alpha, key(index), quoted)
    const end = yield* ended(url, quoted)
    assert.strictEqual(end.status, "success")
    const { details, fees } = decodeTopup(answer)
    return { details, fees, end, order: orderIdOf(quoted) }
  }
)

const refused = Effect.fnUntraced(function*(request: object) {
  const { url } = yield* Running
  const answer = yield* postQuote(url, request)
  assert.strictEqual(answer.status, 400, answer.text)
  return Schema.decodeUnknownSync(Schema.Struct({
    message: Schema.String,
    errorCode: Schema.String,
    errorData: Schema.String,
    failedCallData: Schema.optionalKey(Schema.Struct({ to: Schema.String }))
  }))(answer.json())
})

const REVERTS = "0x60006000fd"

layer(Running.layer, { excludeTestServices: true })("gas topups", (it) => {
  it.effect("are quoted only while the vault can pay them", () =>
    Effect.gen(function*() {
      const { chains: { beta }, url } = yield* Running
      const had = yield* held(beta, ETH, addressOf("Vault"))
      yield* beta.setBalance(addressOf("Vault"), 8n * 10n ** 14n - 1n)
      const short = yield* refused(yield* body(6, USDC, USDC))
      assert.deepStrictEqual([short.errorCode, short.errorData], ["INSUFFICIENT_LIQUIDITY", "topupGas"])
      yield* beta.setBalance(addressOf("Vault"), 8n * 10n ** 14n)
      assert.strictEqual((yield* postQuote(url, yield* body(6, USDC, USDC))).status, 200)
      yield* beta.setBalance(addressOf("Vault"), had)
    }))

  it.effect("are paid with the output in the one transaction of the fill, to the unit, and are part of the execution component", () =>
    Effect.gen(function*() {
      const { chains: { beta } } = yield* Running
      const { details, end, fees, order } = yield* carriedOut(0, USDC, USDC)
      assert.strictEqual(details.currencyGasTopup.amountUsd, "2.000000")
      assert.strictEqual(yield* held(beta, ETH, fresh(0)), details.currencyGasTopup.amount)
      assert.strictEqual(yield* held(beta, USDC, fresh(0)), details.currencyOut.amount)
      assert.strictEqual(details.currencyOut.amount, details.currencyIn.amount - (fees["relayer"]?.amount ?? 0n))
      // Without gas: the topup's two dollars, and two cents.
      assert.strictEqual(fees["relayerService"]?.amount, 2_020_000n)
      const [hash = "0x", ...others] = end.txHashes
      assert.lengthOf(others, 0)
      const fill = yield* Effect.promise(() => reader(beta).getTransaction({ hash }))
      assert.strictEqual(fill.to, addressOf("Vault").toLowerCase())
      assert.isTrue(fill.input.endsWith(order.slice(2)))
      const sent = yield* Effect.promise(() =>
        reader(beta).getLogs({
          address: addressOf("Router"),
          event: parseAbiItem("event SolverNativeTransfer(address to,uint256 amount)"),
          fromBlock: fill.blockNumber,
          toBlock: fill.blockNumber
        })
      )
      assert.deepStrictEqual(sent.map(({ args }) => args.amount), [details.currencyGasTopup.amount])
    }))

  it.effect("work with an exact and an expected output, of another value, between unlike currencies", () =>
    Effect.gen(function*() {
      const { chains: { beta } } = yield* Running
      const exact = yield* carriedOut(1, ETH, USDC, {
        tradeType: "EXACT_OUTPUT",
        amount: "7000000",
        topupGasAmount: "10000000"
      })
      assert.strictEqual(exact.details.currencyGasTopup.amountUsd, "10.000000")
      assert.deepStrictEqual([yield* held(beta, USDC, fresh(1)), yield* held(beta, ETH, fresh(1))], [
        7_000_000n,
        exact.details.currencyGasTopup.amount
      ])
      const expected = yield* carriedOut(2, USDC, USDT, {
        tradeType: "EXPECTED_OUTPUT",
        amount: "7000000",
        topupGasAmount: "1"
      })
      assert.deepStrictEqual([yield* held(beta, USDT, fresh(2)), yield* held(beta, ETH, fresh(2))], [
        7_000_000n,
        expected.details.currencyGasTopup.amount
      ])
      assert.isTrue(expected.details.currencyGasTopup.amount > 0n)
    }))

  it.effect("are paid beside calls, which get none of them", () =>
    Effect.gen(function*() {
      const { chains: { beta } } = yield* Running
      const friend = fresh(200)
      const call = {
        to: USDC.address,
        value: "0",
        data: encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [friend, 1_000_000n] })
      }
      const { details } = yield* carriedOut(3, USDC, USDC, { txs: [call] })
      assert.strictEqual(yield* held(beta, USDC, friend), 1_000_000n)
      assert.strictEqual(yield* held(beta, USDC, fresh(3)), details.currencyOut.amount - 1_000_000n)
      assert.strictEqual(yield* held(beta, ETH, fresh(3)), details.currencyGasTopup.amount)
    }))

  it.effect("are paid for deposits to addresses: the whole amount at a strict one, less and more at an open one", () =>
    Effect.gen(function*() {
      const { chains: { alpha, beta }, key, url } = yield* Running
      const strict = yield* addressFor(url, yield* body(4, USDC, USDC, { strict: true }))
      const open = yield* addressFor(url, yield* body(5, USDC, USDC))
      yield* payTo(alpha, key(4), strict.depositAddress, USDC, USDC.some)
      yield* payTo(alpha, key(5), open.depositAddress, USDC, USDC.some / 2n)
      assert.strictEqual((yield* ended(url, strict.quoted)).status, "success")
      assert.strictEqual((yield* ended(url, open.quoted)).status, "success")
      const topup = yield* held(beta, ETH, fresh(4))
      assert.strictEqual(yield* held(beta, USDC, fresh(4)), BigInt(strict.quoted.details.currencyOut.amount))
      // The topup is an amount in dollars: half of the deposit pays all of it, and brings the same.
      assert.strictEqual(topup, 8n * 10n ** 14n)
      assert.strictEqual(yield* held(beta, ETH, fresh(5)), topup)
      const part = yield* held(beta, USDC, fresh(5))
      assert.isTrue(part > USDC.some / 4n && part < USDC.some / 2n - 2_020_000n, `${part}`)
    }))

  it.effect("are refused where the output is the gas currency, above ten dollars, of zero, alone, or to a contract that accepts none", () =>
    Effect.gen(function*() {
      const { chains: { beta } } = yield* Running
      const native = yield* refused(yield* body(6, USDC, ETH))
      assert.deepStrictEqual([native.errorCode, native.errorData], ["INVALID_REQUEST", "topupGas"])
      assert.include(native.message, "destinationCurrency")
      for (const topupGasAmount of ["10000001", "0"]) {
        const { errorCode, errorData } = yield* refused(yield* body(6, USDC, USDC, { topupGasAmount }))
        assert.deepStrictEqual([errorCode, errorData], ["INVALID_REQUEST", "topupGasAmount"])
      }
      const alone = yield* refused(yield* body(6, USDC, USDC, { topupGas: false, topupGasAmount: "1" }))
      assert.deepStrictEqual([alone.errorCode, alone.errorData], ["INVALID_REQUEST", "topupGasAmount"])
      assert.include(alone.message, "topupGas")
      const contract = fresh(201)
      yield* beta.setCode(contract, REVERTS)
      const refuser = yield* refused(yield* body(6, USDC, USDC, { recipient: contract }))
      assert.deepStrictEqual([refuser.errorCode, refuser.errorData, refuser.failedCallData?.to], [
        "INVALID_RECIPIENT",
        "topupGas",
        addressOf("Vault").toLowerCase()
      ])
      // Without the topup the recipient is valid.
      const { url } = yield* Running
      assert.strictEqual(
        (yield* postQuote(url, yield* body(6, USDC, USDC, { recipient: contract, topupGas: false }))).status,
        200
      )
      const call = {
        to: USDC.address,
        value: "0",
        data: encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [fresh(202), 1n] })
      }
      assert.strictEqual(
        (yield* refused(yield* body(6, USDC, USDC, { recipient: contract, txs: [call] }))).errorData,
        "topupGas"
      )
      assert.strictEqual(
        (yield* refused(yield* body(6, USDC, USDC, { txs: [{ ...call, data: "0x12345678" }] }))).errorCode,
        "DESTINATION_TX_FAILED"
      )
    }))
})
