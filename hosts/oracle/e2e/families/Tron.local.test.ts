import { families } from "../../../../src/domain/families/index.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Result } from "effect"
import { encodeFunctionData, erc20Abi } from "viem"
import { shows } from "../../../../scripts/testing/Shows.ts"
import { Address } from "../../../../src/domain/chain/Address.ts"
import { encodeExtraData } from "../../../../src/domain/order/ExtraData.ts"
import { encodeRouterCall } from "../../../../src/domain/order/RouterCall.ts"
import { Hex } from "../../../../src/domain/encoding/Hex.ts"
import { orderAddress } from "../../../../src/domain/hub/OrderAddress.ts"
import { tronCodec } from "../../../../src/domain/families/tron/TronWithdrawal.ts"
import { keyOfName } from "../../../localnet/nodes/tron/node/LocalKey.ts"
import {
  approve,
  depositErc20,
  depositNative,
  payNative,
  transferUsdc,
  transferUsdcFrom,
  allowUsdc
} from "../../../localnet/nodes/tron/Deposits.ts"
import { depositedOf, outcomeOf } from "../../testing/HubFixture.ts"
import { startTronFixture, TRX } from "../../testing/TronFixture.ts"
import { changed, dead, lying } from "../../testing/NodeFaults.ts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"

class Running extends fixtureOf<Running>()("test/TronRunning", startTronFixture) {}

const AMOUNT = 5_000_000n
const someId = (byte: number): `0x${string}` => `0x${byte.toString(16).padStart(2, "0").repeat(32)}`
const NO_ID = someId(0)
const stranger = (name: string) => keyOfName(`causeway.test.tron.${name}`)

/** A withdrawal of that amount for another recipient, issued for an account of the owner's. */
const beginning = Effect.fnUntraced(function*(to: string, expiration: number) {
  const { issued, withdrawing } = yield* Running
  const recipient = stranger(to)
  const { execute, withdrawal } = yield* withdrawing(recipient.evm, AMOUNT, expiration)
  const request = {
    ...withdrawal,
    calls: withdrawal.calls.map((call) => ({
      ...call,
      to: Address.make(call.to.toLowerCase()),
      data: Hex.make(call.data)
    }))
  }
  const [encoded, id] = [Result.getOrThrow(tronCodec.encode(request)), Result.getOrThrow(tronCodec.idOf(request))]
  return { ...(yield* issued({ encoded, id, recipient: recipient.address, currency: TRX })), execute }
})

layer(Running.layer, { excludeTestServices: true })("what the oracle attests on Tron", (it) => {
  it.effect(
    "a deposit of TRX is minted to its order, its fill by a memo moves it to the solver, each once, by HTTP and on the hub",
    () =>
      Effect.gen(function*() {
        const { ask, askDeposits, done, held, order, other, paying, ref, seconds, submit, tron, user } = yield* Running
        const recipient = stranger("recipient").address
        const signed = yield* order(AMOUNT, { recipient, amount: 4_900_000n }, (yield* seconds) + 86_400)
        const deposit = yield* done(() => depositNative(user, signed.id, AMOUNT))
        const spellings = yield* Effect.forEach([
          deposit,
          `0x${deposit}`,
          deposit.toUpperCase(),
          ` 0X${deposit.toUpperCase()}\n`
        ], (spelt) => askDeposits(spelt))
        const [attested = yield* askDeposits(deposit)] = spellings
        assert.deepStrictEqual(
          depositedOf(attested),
          [[signed.id, user.key.address, TRX, `${AMOUNT}`]],
          JSON.stringify(attested)
        )
        for (const each of spellings) assert.deepStrictEqual(each, attested)
        const [message] = attested.messages ?? []
        assert.strictEqual(message?.result.depository, tron.depository)
        const account = Result.getOrThrow(
          orderAddress(ref, user.key.address, BigInt(message?.extraData.timestamp ?? 0), signed.id)
        )
        assert.strictEqual(yield* submit(attested.execution), "success")
        assert.strictEqual(yield* held(account), AMOUNT)

        const claim = {
          order: signed.order,
          orderSignature: signed.orderSignature,
          inputs: [{ transactionId: `0x${deposit}`, onchainId: message?.result.onchainId, inputIndex: 0 }]
        }
        const fillBy = Effect.fnUntraced(function*(pay: () => Promise<string>) {
          return yield* ask("solver-fills", { ...claim, fill: { transactionId: yield* done(pay) } })
        })
        // A payment of too little, to another recipient, for another order, or with a memo that contains more than an
        // id proves nothing.
        assert.deepStrictEqual(outcomeOf(yield* fillBy(() => payNative(paying, recipient, 4_899_999n, signed.id))), [
          400,
          "underpaid"
        ])
        assert.deepStrictEqual(
          outcomeOf(yield* fillBy(() => payNative(paying, other.key.address, 4_900_000n, signed.id))),
          [400, "underpaid"]
        )
        assert.deepStrictEqual(outcomeOf(yield* fillBy(() => payNative(paying, recipient, 4_900_000n, someId(3)))), [
          400,
          "wrong-order-id"
        ])
        assert.deepStrictEqual(
          outcomeOf(yield* fillBy(() => paying.transfer(recipient, 4_900_000n, `${signed.id}00`))),
          [400, "no-order-id"]
        )
        assert.deepStrictEqual(outcomeOf(yield* fillBy(() => paying.transfer(recipient, 4_900_000n))), [
          400,
          "no-order-id"
        ])
        const filled = yield* fillBy(() => payNative(paying, recipient, 4_900_000n, signed.id))
        assert.deepStrictEqual(outcomeOf(filled), [200, "signed"], JSON.stringify(filled))
        const inText = yield* fillBy(() =>
          paying.transfer(recipient, 4_900_000n, Buffer.from(signed.id).toString("hex"))
        )
        assert.deepStrictEqual(inText.execution?.idempotencyKey, filled.execution?.idempotencyKey)
        const refund = yield* done(() => payNative(paying, user.key.address, AMOUNT, signed.id))
        const refunded = yield* ask("solver-refunds", {
          ...claim,
          refunds: [{ transactionId: refund, inputIndex: 0, refundIndex: 0 }]
        })
        assert.strictEqual(
          refunded.execution?.idempotencyKey,
          filled.execution?.idempotencyKey,
          JSON.stringify(refunded)
        )
        assert.strictEqual(yield* submit(filled.execution), "success")
        assert.strictEqual(yield* held(account), 0n)
        assert.strictEqual(yield* submit(refunded.execution), "refused")
      }),
    shows("tron-vm", "deposit", "payment")
  )

  it.effect(
    "a fill by contracts counts what the order's router reports as paid and called, and tokens by their transfers",
    () =>
      Effect.gen(function*() {
        const { ask, askDeposits, done, fillByVault, order, paying, seconds, token, tron, user } = yield* Running
        const to = stranger("called")
        const deadline = (yield* seconds) + 86_400
        const extraData = Result.getOrThrow(encodeExtraData(families["tron-vm"], tron.router))
        const call = {
          to: token,
          data: encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [to.evm, 7n] }),
          value: 0n
        }
        const encoded = Result.getOrThrow(
          encodeRouterCall({ to: Address.make(call.to.toLowerCase()), data: Hex.make(call.data), value: 0n })
        )
        const routed = yield* order(AMOUNT, { recipient: to.address, amount: 1_000_000n }, deadline, {
          extraData,
          calls: [encoded]
        })
        const claimOf = Effect.fnUntraced(function*(signed: typeof routed) {
          const deposit = yield* done(() => depositNative(user, signed.id, AMOUNT))
          const { messages: [first] = [] } = yield* askDeposits(deposit)
          return {
            order: signed.order,
            orderSignature: signed.orderSignature,
            inputs: [{ transactionId: deposit, onchainId: first?.result.onchainId, inputIndex: 0 }]
          }
        })
        const claim = yield* claimOf(routed)
        const native = { token: `0x${"0".repeat(40)}`, recipient: to.evm, amount: 1_000_000n } as const
        const bare = yield* done(() =>
          fillByVault(routed.id, 1n, { payments: [native], calls: [], recipient: to.evm }, native.amount)
        )
        assert.deepStrictEqual(outcomeOf(yield* ask("solver-fills", { ...claim, fill: { transactionId: bare } })), [
          400,
          "calls-not-executed"
        ])
        const whole = yield* done(() =>
          fillByVault(routed.id, 0n, { payments: [native], calls: [call], recipient: to.evm }, native.amount)
        )
        assert.deepStrictEqual(outcomeOf(yield* ask("solver-fills", { ...claim, fill: { transactionId: whole } })), [
          200,
          "signed"
        ])
        // An order that names no router is not filled by one. Tokens are paid by their contract, with the id appended
        // to the call.
        const plain = yield* order(AMOUNT, { recipient: to.address, currency: tron.usdc, amount: 2_000_000n }, deadline)
        const another = yield* claimOf(plain)
        const inTrx = yield* done(() =>
          fillByVault(plain.id, 0n, { payments: [native], calls: [], recipient: to.evm }, native.amount)
        )
        assert.deepStrictEqual(outcomeOf(yield* ask("solver-fills", { ...another, fill: { transactionId: inTrx } })), [
          400,
          "underpaid"
        ])
        const inTokens = yield* done(() => transferUsdc(paying, 2_000_000n, plain.id, to.evm))
        assert.deepStrictEqual(
          outcomeOf(yield* ask("solver-fills", { ...another, fill: { transactionId: inTokens } })),
          [200, "signed"]
        )
      }),
    shows("tron-vm", "payment", "calls")
  )

  it.effect(
    "token deposits count by the depository's event, or by a transfer that carries the id; failed ones do not",
    () =>
      Effect.gen(function*() {
        const { askDeposits, done, other, paying, submit, tron, user } = yield* Running
        yield* done(() => approve(user, 10_000n))
        const pulled = yield* askDeposits(yield* done(() => depositErc20(user, someId(4), 1_000n)))
        assert.deepStrictEqual(depositedOf(pulled), [[someId(4), user.key.address, tron.usdc, "1000"]])
        assert.strictEqual(yield* submit(pulled.execution), "success")
        assert.deepStrictEqual(
          depositedOf(yield* askDeposits(yield* done(() => transferUsdc(user, 1_100n, someId(5))))),
          [[someId(5), user.key.address, tron.usdc, "1100"]]
        )
        assert.deepStrictEqual(
          depositedOf(yield* askDeposits(yield* done(() => transferUsdc(user, 1_200n)))),
          [[NO_ID, user.key.address, tron.usdc, "1200"]]
        )
        yield* done(() => allowUsdc(user, other.key.evm, 10_000n))
        assert.deepStrictEqual(
          depositedOf(yield* askDeposits(yield* done(() => transferUsdcFrom(other, user.key.evm, 1_300n, someId(6))))),
          [[someId(6), user.key.address, tron.usdc, "1300"]]
        )
        const elsewhere = yield* askDeposits(
          yield* done(() => transferUsdc(user, 1_400n, someId(6), paying.key.evm))
        )
        assert.deepStrictEqual([elsewhere.http, elsewhere.messages, elsewhere.execution], [200, [], undefined])
        const beyond = yield* done(() => depositErc20(user, someId(7), 10n ** 15n))
        assert.deepStrictEqual(outcomeOf(yield* askDeposits(beyond)), [400, "reverted"])
        assert.deepStrictEqual(outcomeOf(yield* askDeposits("77".repeat(32))), [400, "not-found"])
        assert.strictEqual((yield* askDeposits("no id")).http, 400)
      }),
    shows("tron-vm", "deposit")
  )

  it.effect(
    "nothing is attested before it is solidified; what the chain dropped is not found",
    () =>
      Effect.gen(function*() {
        const { askDeposits, tron, user } = yield* Running
        const early = yield* Effect.promise(() => depositNative(user, someId(8), 6_000n))
        assert.deepStrictEqual(outcomeOf(yield* askDeposits(early)), [400, "not-found"])
        yield* tron.mine()
        assert.deepStrictEqual(outcomeOf(yield* askDeposits(early)), [400, "not-final"])
        yield* tron.mine(18)
        assert.deepStrictEqual(outcomeOf(yield* askDeposits(early)), [400, "not-final"])
        const lost = yield* Effect.promise(() => depositNative(user, someId(9), 6_000n))
        yield* tron.mine()
        assert.deepStrictEqual(depositedOf(yield* askDeposits(early)), [[someId(8), user.key.address, TRX, "6000"]])
        yield* tron.reorg(1)
        yield* tron.solidify
        assert.deepStrictEqual(outcomeOf(yield* askDeposits(lost)), [400, "not-found"])
      }),
    shows("tron-vm", "reorg")
  )

  it.effect("a withdrawal is pending, and executed and burnt once it is solidified", () =>
    Effect.gen(function*() {
      const { ask, askDeposits, done, held, hub, initiate, order, paying, seconds, standing, submit, tron, user } =
        yield* Running
      // The owner earns on the hub, by a fill, what it withdraws.
      const earned = yield* order(
        AMOUNT,
        { recipient: stranger("earning").address, amount: AMOUNT },
        (yield* seconds) + 86_400
      )
      const deposit = yield* done(() => depositNative(user, earned.id, AMOUNT))
      const attested = yield* askDeposits(deposit)
      assert.strictEqual(yield* submit(attested.execution), "success")
      const fill = yield* done(() => payNative(paying, stranger("earning").address, AMOUNT, earned.id))
      const inputs = [{ transactionId: deposit, onchainId: attested.messages?.[0]?.result.onchainId, inputIndex: 0 }]
      assert.strictEqual(
        yield* submit(
          (yield* ask("solver-fills", {
            order: earned.order,
            orderSignature: earned.orderSignature,
            inputs,
            fill: { transactionId: fill }
          })).execution
        ),
        "success"
      )
      yield* hub.mine(3)

      const { account, body, execute } = yield* beginning("withdrawal", (yield* seconds) + 86_400)
      assert.strictEqual(yield* initiate(AMOUNT, body), "success")
      assert.strictEqual(yield* held(account), AMOUNT)

      assert.strictEqual(yield* standing(body), "0")
      const executed = yield* Effect.promise(execute)
      yield* tron.mine(19)
      assert.strictEqual(yield* standing(body), "0")
      yield* tron.mine()
      assert.strictEqual(yield* standing(body), "1, 1")
      assert.strictEqual(yield* standing({ ...body, transactionId: `0x${executed.toUpperCase()}` }), "1, 1")
      assert.strictEqual(yield* standing({ ...body, transactionId: deposit }), "400 wrong-transaction")
      const burnt = yield* ask("depository-withdrawals", body)
      assert.strictEqual(yield* submit(burnt.execution), "success")
      assert.strictEqual(yield* held(account), 0n)
      assert.strictEqual(yield* submit(burnt.execution), "refused")
    }), shows("tron-vm", "withdrawal"))

  it.effect(
    "a withdrawal is expired when a solidified block, and the head less its margin, are past its expiration, and no liar makes it executed",
    () =>
      Effect.gen(function*() {
        const { misbehave, seconds, standing, tron } = yield* Running
        const expiration = (yield* seconds) + 30
        const { body } = yield* beginning("late", expiration)
        assert.strictEqual(yield* standing(body), "0")
        while ((yield* seconds) <= expiration) yield* tron.mine()
        // The head is past it, but no solidified block is.
        assert.strictEqual(yield* standing(body), "0")
        yield* tron.solidify
        // A solidified block is past it, but the head is not by the margin.
        assert.isAtMost((yield* seconds) - 60, expiration)
        assert.strictEqual(yield* standing(body), "0")
        yield* tron.mine()
        assert.strictEqual(yield* standing(body), "2, 2")
        const used = lying("/walletsolidity/triggerconstantcontract", (result) =>
          changed(result, { constant_result: ["1".padStart(64, "0")] }))
        for (const fault of [used, dead]) {
          yield* misbehave(fault)
          assert.strictEqual(yield* standing(body), "2, 2", JSON.stringify(fault))
        }
        for (
          const fault of [dead, { kind: "error", code: 1, message: "busy", methods: ["/walletsolidity"] } as const]
        ) {
          yield* misbehave(fault, fault)
          assert.strictEqual(yield* standing(body), "503", JSON.stringify(fault))
        }
        yield* misbehave(used, used, lying("/walletsolidity/triggerconstantcontract", () => ({})))
        assert.notInclude(yield* standing(body), "2")
        yield* misbehave()
      }),
    shows("tron-vm", "withdrawal")
  )

  it.effect("one lying node is outvoted, two are refused, a dead one is not needed; it is listed and ready with its nodes", () =>
    Effect.gen(function*() {
      const { askDeposits, done, misbehave, oracle, startOracle, tron, urls, user } = yield* Running
      const depositing = done(() => depositNative(user, someId(10), 7_000n))
      const another = yield* depositing
      const rawOf = yield* Effect.promise(() => user.client.trx.getTransaction(another))
      const swapped = lying(
        "/wallet/gettransactionbyid",
        (result) => changed(result, { raw_data_hex: rawOf.raw_data_hex })
      )
      const absent = lying("eth_getTransactionReceipt", () => null)
      const richer = lying(
        "eth_getTransactionReceipt",
        (result): unknown =>
          JSON.parse(
            JSON.stringify(result).replace(
              (7_000).toString(16).padStart(64, "0"),
              (7_001).toString(16).padStart(64, "0")
            )
          )
      )
      const forked = lying("/wallet/getblock", (result) => changed(result, { blockID: "77".repeat(32) }))
      const elsewhere = lying("eth_chainId", () => "0x1")
      for (const fault of [swapped, absent, richer, forked, elsewhere, dead]) {
        yield* misbehave(fault)
        const attested = yield* askDeposits(yield* depositing)
        assert.deepStrictEqual(
          depositedOf(attested),
          [[someId(10), user.key.address, TRX, "7000"]],
          JSON.stringify([fault, attested])
        )
      }
      for (const fault of [swapped, forked, dead, { kind: "error", code: -32_000, message: "busy" } as const]) {
        yield* misbehave(fault, undefined, fault)
        const missing = yield* askDeposits(yield* depositing)
        assert.deepStrictEqual([missing.http, missing.retryable], [503, true], JSON.stringify(fault))
      }
      // All three give different answers: nothing is attested.
      yield* misbehave(richer, absent)
      assert.notStrictEqual((yield* askDeposits(yield* depositing)).http, 200)
      yield* misbehave(dead, dead, dead)
      yield* askDeposits(another)
      yield* misbehave(elsewhere, elsewhere, elsewhere)
      assert.strictEqual((yield* askDeposits(yield* depositing)).http, 503)
      yield* misbehave()
      const get = (path: string) =>
        Effect.promise(() => fetch(`${oracle.url}${path}`).then((response) => response.text()))
      assert.include(
        yield* get("/chains/v1"),
        `{"id":"tron-local","vmType":"tron-vm","depository":"${tron.depository}"}`
      )
      assert.include(
        yield* get("/ready/v1"),
        "\"id\":\"tron-local\",\"observed\":true,\"needed\":2,\"endpoints\":3,\"answering\":3,\"weak\":false,\"withdrawals\":3"
      )
      // A base URL with a path and a slash, or the JSON-RPC URL itself, names the same node.
      const { url } = yield* startOracle({ TRON_RPC_URL: `${urls[0]}/,${urls[1]}/jsonrpc` })
      assert.deepStrictEqual(depositedOf(yield* askDeposits(another, url)), [[
        someId(10),
        user.key.address,
        TRX,
        "7000"
      ]])
    }))
})
