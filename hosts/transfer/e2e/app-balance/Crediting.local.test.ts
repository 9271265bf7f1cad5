/**
 * Which transfers credit an app balance on a real chain, which are only listed, and what a reorg changes (BALANCE-2).
 */
import { assert, layer } from "@effect/vitest"
import { Context, Effect } from "effect"
import { concat, encodeFunctionData, erc20Abi, keccak256, maxUint256, parseAbi, toHex } from "viem"
import type { Address, Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { abi as oddTokenAbi } from "../../../../adapters/ethereum/contracts/artifacts/OddToken.ts"
import { CreditWatcher } from "../../../../ports/chain/CreditWatcher.ts"
import { judgeCredit } from "../../../../src/domain/ledger/JudgeCredit.ts"
import { CurrencyAddress } from "../../../../src/domain/chain/Address.ts"
import { pauseId } from "../../../../src/domain/pause/Pause.ts"
import type { PauseScope } from "../../../../src/domain/pause/Pause.ts"
import { creditTerms } from "../../../../src/services/app-balance/Crediting.ts"
import { addressOf, multicall3 } from "../../../localnet/nodes/ethereum/Addresses.ts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { reader } from "../../testing/Client.ts"
import { marked, startCreditFixture, transferCall } from "./testing/CreditFixture.ts"

class Fixture extends fixtureOf<Fixture>()("test/CreditStage", startCreditFixture) {}

const USDC = addressOf("TestUSDC")
const USDT = addressOf("TestUSDT")
const ONE = 1_000_000n
const ZERO = `0x${"00".repeat(20)}`

const fresh = (index: number): Address => toHex(0xba1_0000_0000n + BigInt(index), { size: 20 })

const aggregate = parseAbi([
  "struct Call3 { address target; bool allowFailure; bytes callData; }",
  "function aggregate3(Call3[] calls) payable"
])

/** A user's transaction, signed and not sent. */
const signed = Effect.fnUntraced(function*(index: number, to: Address, data: Hex) {
  const { anvil, key, user } = yield* Fixture
  return yield* Effect.promise(async () =>
    privateKeyToAccount(key(index)).signTransaction({
      type: "eip1559",
      chainId: anvil.chainId,
      nonce: await reader(anvil).getTransactionCount({ address: user(index) }),
      to,
      data,
      gas: 200_000n,
      maxFeePerGas: 10n ** 11n,
      maxPriorityFeePerGas: 1n
    })
  )
})

const sendRaw = Effect.fnUntraced(function*(raw: Hex) {
  const { anvil } = yield* Fixture
  yield* anvil.request("eth_sendRawTransaction", [raw])
  return keccak256(raw)
})

layer(Fixture.layer, { excludeTestServices: true })("a transfer to the solver", (it) => {
  it.effect("credits the named wallet or the sender by its logged amount, once it is final, and only once across restarts", () =>
    Effect.gen(function*() {
      const { anvil, crediting, send, solver, user } = yield* Fixture
      yield* Effect.scoped(Effect.gen(function*() {
        const { balance, listed, settled } = yield* crediting(undefined, "once")
        yield* send(0, { to: USDC, data: transferCall(solver, 5n * ONE, marked(fresh(1))) })
        yield* Effect.sleep(400)
        assert.strictEqual(yield* balance(fresh(1)), 0n, "credited before its block was final")
        yield* settled
        assert.strictEqual(yield* balance(fresh(1)), 5n * ONE)
        yield* send(0, { to: USDC, data: transferCall(solver, 2n * ONE, marked(ZERO)) })
        yield* send(0, { to: USDC, data: transferCall(solver, 1n, marked(fresh(1))) })
        // In any letter case: on the wire it is the same bytes.
        const upper = transferCall(solver, 3n, marked(fresh(1))).toUpperCase().replace("0X", "0x")
        yield* send(1, { to: USDC, data: `0x${upper.slice(2)}` })
        yield* settled
        assert.strictEqual(yield* balance(user(0)), 2n * ONE)
        assert.strictEqual(yield* balance(fresh(1)), 5n * ONE + 4n)
        assert.lengthOf(yield* listed, 4)
      }))
      yield* Effect.scoped(Effect.gen(function*() {
        const { balance, ledger, listed, settled } = yield* crediting(undefined, "once")
        yield* anvil.mine(20)
        yield* settled
        assert.strictEqual(yield* balance(fresh(1)), 5n * ONE + 4n)
        assert.lengthOf(yield* listed, 4)
        assert.lengthOf(yield* ledger.differences, 0)
      }))
    }))

  it.effect("credits nobody from inside another call, with the marker elsewhere or doubled, without it, of another token, or when it failed; the arrival is listed", () =>
    Effect.scoped(Effect.gen(function*() {
      const { anvil, chain, crediting, send, solver, user } = yield* Fixture
      const { context, listed, settled } = yield* crediting()
      const before = yield* Effect.promise(() => reader(anvil).getBlockNumber())
      yield* send(2, { to: USDC, data: transferCall(multicall3, 9n * ONE) })
      const inner = (amount: bigint) => ({
        target: USDC,
        allowFailure: false,
        callData: transferCall(solver, amount, marked(fresh(2)))
      })
      const batch = yield* send(2, {
        to: multicall3,
        data: encodeFunctionData({ abi: aggregate, functionName: "aggregate3", args: [[inner(ONE), inner(2n * ONE)]] })
      })
      const appended = yield* send(2, {
        to: multicall3,
        data: concat([
          encodeFunctionData({
            abi: aggregate,
            functionName: "aggregate3",
            args: [[{ ...inner(ONE), callData: transferCall(solver, ONE) }]]
          }),
          marked(fresh(2))
        ])
      })
      const doubled = yield* send(2, {
        to: USDC,
        data: transferCall(solver, ONE, concat([marked(fresh(2)), marked(fresh(2))]))
      })
      const padded = yield* send(2, { to: USDC, data: transferCall(solver, ONE, concat(["0x00", marked(fresh(2))])) })
      const shortened = yield* send(2, {
        to: USDC,
        data: transferCall(solver, ONE, `0x${marked(fresh(2)).slice(2, -2)}`)
      })
      const plain = yield* send(2, { to: USDC, data: transferCall(solver, ONE) })
      const elsewhere = yield* send(2, { to: USDC, data: transferCall(fresh(3), ONE, marked(fresh(2))) })
      const other = yield* send(2, { to: USDT, data: transferCall(solver, ONE, marked(fresh(2))) })
      const failed = yield* send(2, {
        to: USDC,
        data: transferCall(solver, 10n ** 15n, marked(fresh(2))),
        gas: 200_000n
      })
      const nothing = yield* send(2, { to: USDC, data: transferCall(solver, 0n, marked(fresh(2))) })
      yield* send(3, {
        to: USDC,
        data: encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [user(2), maxUint256] })
      })
      const pulled = yield* send(2, {
        to: USDC,
        data: concat([
          encodeFunctionData({ abi: erc20Abi, functionName: "transferFrom", args: [user(3), solver, ONE] }),
          marked(fresh(2))
        ])
      })
      yield* settled

      const ofTest = (yield* listed).filter(({ transactionId }) =>
        [batch, appended, doubled, padded, shortened, plain, elsewhere, other, failed, nothing, pulled].some((hash) =>
          hash === transactionId
        )
      )
      assert.isTrue(ofTest.every(({ wallet }) => wallet === undefined))
      const reasons = Object.fromEntries(
        ofTest.map(({ amount, reason, transactionId }) => [transactionId, [reason, amount]])
      )
      assert.deepStrictEqual(reasons, {
        [batch]: ["not-a-call-to-the-token", 3n * ONE],
        [appended]: ["not-a-call-to-the-token", ONE],
        [doubled]: ["not-a-credit-call", ONE],
        [padded]: ["not-a-credit-call", ONE],
        [pulled]: ["not-a-credit-call", ONE]
      })

      // Reading whole blocks also finds transfers without a log of the token.
      const { mentions } = Context.get(context, CreditWatcher)
      const terms = yield* Effect.provideContext(creditTerms, context)
      const to = yield* Effect.promise(() => reader(anvil).getBlockNumber())
      const seen = yield* mentions(chain, { from: before + 1n, to })
      const verdicts = Object.fromEntries(
        seen.map(({ evidence }) => [evidence.transactionId, judgeCredit(terms, evidence)])
      )
      const reasonOf = (hash: Hex) => {
        const verdict = verdicts[hash]
        return verdict?._tag === "NotCredited" ? verdict.reason : verdict?._tag
      }
      assert.deepStrictEqual([other, failed, elsewhere, nothing, plain, shortened].map(reasonOf), [
        "not-a-call-to-the-token",
        "reverted",
        "another-receiver",
        "nothing-transferred",
        undefined,
        undefined
      ])
    })))

  it.effect("of a token that takes a fee credits the amount that arrived", () =>
    Effect.scoped(Effect.gen(function*() {
      const { crediting, deployOddToken, send, solver, user } = yield* Fixture
      const odd = yield* deployOddToken
      const { balance, settled } = yield* crediting(CurrencyAddress.make(odd.toLowerCase()))
      yield* send(4, {
        to: odd,
        data: encodeFunctionData({ abi: oddTokenAbi, functionName: "mint", args: [user(4), 1_000n] })
      })
      yield* send(4, { to: odd, data: transferCall(solver, 1_000n, marked(fresh(4))) })
      yield* settled
      assert.strictEqual(yield* balance(fresh(4)), 990n)
    })))

  it.effect("that a reorg removes before it is final credits nobody, and credits once when it returns elsewhere", () =>
    Effect.scoped(Effect.gen(function*() {
      const { anvil, crediting, solver } = yield* Fixture
      const { balance, listed, settled } = yield* crediting()
      yield* settled
      const count = (yield* listed).length
      const snapshot = yield* anvil.request("evm_snapshot")
      const raw = yield* signed(5, USDC, transferCall(solver, 7n, marked(fresh(5))))
      yield* sendRaw(raw)
      yield* anvil.mine(1)
      yield* Effect.sleep(400)
      yield* anvil.request("evm_revert", [snapshot])
      yield* anvil.request("evm_increaseTime", [5])
      yield* anvil.mine(4)
      yield* settled
      assert.strictEqual(yield* balance(fresh(5)), 0n)
      assert.lengthOf(yield* listed, count)
      yield* sendRaw(raw)
      yield* settled
      assert.strictEqual(yield* balance(fresh(5)), 7n)
    })))

  it.effect("credits nobody while its chain is halted, and is credited once that is resumed", () =>
    Effect.scoped(Effect.gen(function*() {
      const { anvil, chain, crediting, send, solver } = yield* Fixture
      const { balance, pauses, settled } = yield* crediting()
      yield* settled
      const scope: PauseScope = { _tag: "Halt", chainId: chain.id, height: 1n, expected: "0xa", found: "0xb" }
      yield* pauses.add({ id: pauseId(scope), scope, reason: "a final block was replaced", createdAt: 1 })
      yield* send(8, { to: USDC, data: transferCall(solver, 17n, marked(fresh(8))) })
      yield* anvil.mine(3)
      yield* Effect.sleep(600)
      assert.strictEqual(yield* balance(fresh(8)), 0n)
      yield* pauses.remove(pauseId(scope))
      yield* settled
      assert.strictEqual(yield* balance(fresh(8)), 17n)
    })))

  it.effect("that was credited is not credited again when the chain replaces final blocks", () =>
    Effect.scoped(Effect.gen(function*() {
      const { anvil, crediting, solver } = yield* Fixture
      const { balance, credits, currency, settled } = yield* crediting()
      const snapshot = yield* anvil.request("evm_snapshot")
      const raw = yield* signed(6, USDC, transferCall(solver, 11n, marked(fresh(6))))
      const hash = yield* sendRaw(raw)
      yield* settled
      assert.strictEqual(yield* balance(fresh(6)), 11n)
      const before = yield* Effect.promise(() => reader(anvil).getTransactionReceipt({ hash }))
      yield* anvil.request("evm_revert", [snapshot])
      yield* anvil.request("evm_increaseTime", [5])
      yield* anvil.request("evm_setAutomine", [false])
      const first = yield* signed(7, USDC, transferCall(solver, 13n, marked(fresh(6))))
      yield* sendRaw(first)
      yield* sendRaw(raw)
      yield* anvil.mine(1)
      yield* anvil.request("evm_setAutomine", [true])
      yield* anvil.mine(4)
      const after = yield* Effect.promise(() => reader(anvil).getTransactionReceipt({ hash }))
      assert.notStrictEqual(after.blockHash, before.blockHash)
      yield* settled
      assert.strictEqual(yield* balance(fresh(6)), 24n)
      assert.lengthOf((yield* credits.list(currency.chainId)).filter(({ transactionId }) => transactionId === hash), 1)
    })))
})
