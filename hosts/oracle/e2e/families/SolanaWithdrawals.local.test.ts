import { assert, layer } from "@effect/vitest"
import { address } from "@solana/kit"
import { Context, Effect, Layer } from "effect"
import { shows } from "../../../../scripts/testing/Shows.ts"
import { Hex32, hexFromBytes } from "../../../../src/domain/encoding/Hex.ts"
import type { Fault } from "../../../localnet/nodes/solana/Solana.ts"
import { keyOfName } from "../../../localnet/nodes/solana/node/LocalKey.ts"
import { tokenProgram } from "../../../localnet/nodes/solana/node/TokenAccount.ts"
import * as Depository from "../../../localnet/nodes/solana/DepositoryProgram.ts"
import { signer, SOL, startSolanaFixture } from "../../testing/SolanaFixture.ts"
import { changed } from "../../testing/NodeFaults.ts"
import type { SolanaFixture } from "../../testing/SolanaFixture.ts"

class Running extends Context.Service<Running, SolanaFixture>()("test/SolanaWithdrawalsRunning") {
  static readonly layer = Layer.effect(Running, startSolanaFixture)
}

const AMOUNT = 1_000_000n
let nonces = 0n

/** The owner earns SOL on the hub as solvers do, by a fill of an order that was deposited. The vault holds it. */
const earn = Effect.gen(function*() {
  const { ask, askDeposits, done, hub, memo, order, paySol, solver, submit, user } = yield* Running
  const recipient = keyOfName("causeway.test.earning").address
  const signed = yield* order(AMOUNT, { recipient, amount: 1_000_000n })
  const deposit = yield* done(
    user,
    Depository.depositNative({ sender: signer(user), amount: AMOUNT, id: signed.bytes })
  )
  const fill = yield* done(solver, paySol(solver, recipient, 1_000_000n), memo(signed.id))
  const { execution, messages: [first] = [] } = yield* askDeposits(deposit)
  yield* submit(execution)
  const inputs = [{ transactionId: deposit, onchainId: first?.result.onchainId, inputIndex: 0 }]
  const filled = yield* ask("solver-fills", {
    order: signed.order,
    orderSignature: signed.orderSignature,
    inputs,
    fill: { transactionId: fill }
  })
  yield* submit(filled.execution)
  yield* hub.mine(3)
})

/** A withdrawal of the owner's SOL, issued by the allocator. */
const begin = Effect.fnUntraced(function*(life: number) {
  const { allocator, chain, issued, user } = yield* Running
  nonces += 1n
  const recipient = keyOfName(`causeway.test.recipient.${nonces}`).address
  const request: Depository.TransferRequest = {
    recipient,
    amount: AMOUNT,
    nonce: nonces,
    expiration: BigInt(chain.ledger.open.time + life)
  }
  const bytes = Depository.requestId(request)
  const id = Hex32.make(hexFromBytes(bytes))
  const { account, body } = yield* issued({
    encoded: hexFromBytes(Depository.requestBytes(request)),
    id,
    currency: SOL,
    recipient
  })
  const execute = [
    Depository.verifySignature(allocator.address, allocator.sign(bytes), bytes),
    yield* Effect.promise(() => Depository.executeTransfer(signer(user), request, tokenProgram))
  ]
  const used = yield* Effect.promise(() => Depository.usedRequest(bytes))
  return { account, id, used, execute, recipient, body }
})

const standing = (body: object) => Effect.flatMap(Running, (fixture) => fixture.standing(body))

const fault = (methods: ReadonlyArray<string>, kind: Fault): Fault => ({ ...kind, methods })

layer(Running.layer, { excludeTestServices: true })("what the oracle attests of withdrawals on Solana", (it) => {
  it.effect(
    "is pending, then executed with a burn; its transaction is distinguished from others, and the hub executes the burn",
    () =>
      Effect.gen(function*() {
        const { ask, askDeposits, done, held, initiate, memo, order, paySol, send, solana: node, submit, user } =
          yield* Running
        yield* earn
        const { account, body, execute, recipient } = yield* begin(600)
        assert.strictEqual(yield* initiate(AMOUNT, body), "success")
        assert.strictEqual(yield* held(account, SOL), AMOUNT)
        assert.strictEqual(yield* standing(body), "0")
        // The sender may add a deposit, and its order, to the same transaction; that order pays the same recipient the
        // same amount.
        const signed = yield* order(AMOUNT, { recipient, amount: AMOUNT })
        const executed = send(
          user,
          ...execute,
          Depository.depositNative({ sender: signer(user), amount: AMOUNT, id: signed.bytes }),
          memo(signed.id)
        )
        // Executed, but not final: still pending.
        assert.strictEqual(yield* standing(body), "0")
        yield* node.finalize
        assert.strictEqual(yield* standing(body), "1, 1")
        assert.strictEqual(yield* standing({ ...body, transactionId: executed }), "1, 1")
        const another = yield* done(user, paySol(user, keyOfName("causeway.test.nobody").address, 1_000_000n))
        assert.strictEqual(yield* standing({ ...body, transactionId: another }), "400 wrong-transaction")
        // The deposit counts in full, although money left the vault in the same transaction; and the money that left
        // has filled no order.
        const { messages: beside = [] } = yield* askDeposits(executed)
        assert.deepStrictEqual(beside.map(({ result }) => [result.depositId, result.amount]), [[
          signed.id,
          `${AMOUNT}`
        ]])
        const inputs = [{ transactionId: executed, onchainId: beside[0]?.result.onchainId, inputIndex: 0 }]
        const filled = yield* ask("solver-fills", {
          order: signed.order,
          orderSignature: signed.orderSignature,
          inputs,
          fill: { transactionId: executed }
        })
        assert.deepStrictEqual([filled.http, filled.reason], [400, "underpaid"])

        // It was burnt on the hub, once.
        const burnt = yield* ask("depository-withdrawals", body)
        assert.strictEqual(yield* submit(burnt.execution), "success")
        assert.strictEqual(yield* held(account, SOL), 0n)
        assert.strictEqual(yield* submit(burnt.execution), "refused")
      }),
    shows("solana-vm", "withdrawal")
  )

  it.effect(
    "is expired once a final block and the head are past the expiration by the margin, and never executed afterwards",
    () =>
      Effect.gen(function*() {
        const { chain, send, solana: node, user } = yield* Running
        const { body, execute } = yield* begin(100)
        const end = chain.ledger.open.time + 100
        yield* node.setTime(end)
        yield* node.finalize
        assert.strictEqual(yield* standing(body), "0")
        yield* node.setTime(end + 2)
        // The head is past it, but no final block is.
        assert.strictEqual(yield* standing(body), "0")
        yield* node.setTime(end + 10)
        yield* node.mine(5)
        assert.strictEqual(yield* standing(body), "2, 2")
        send(user, ...execute)
        yield* node.finalize
        assert.strictEqual(yield* standing(body), "2, 2")
      }),
    shows("solana-vm", "withdrawal")
  )

  it.effect("is never unused when it cannot be read or understood", () =>
    Effect.gen(function*() {
      const { chain, misbehave, solana: node } = yield* Running
      const { body, used } = yield* begin(-1_000)
      yield* node.finalize
      assert.strictEqual(yield* standing(body), "2, 2")
      const program = Depository.program
      const truth = [135, 134, 110, 77, 150, 98, 180, 107]
      const put = (owner: string, data: ReadonlyArray<number>) => {
        chain.setAccount(used, {
          owner: address(owner),
          data: Uint8Array.from(data),
          lamports: 1_000_000n,
          executable: false
        })
        return node.finalize
      }
      for (
        const [owner, data] of [
          [Depository.vault, [...truth, 1]],
          [Depository.vault, []],
          [SOL, [1]],
          [program, []],
          [program, truth],
          [program, [...truth, 2]],
          [program, [...truth, 1, 0]],
          [program, [0, ...truth.slice(1), 1]]
        ] as const
      ) {
        yield* put(owner, data)
        assert.strictEqual(yield* standing(body), "503", JSON.stringify([owner, data]))
      }
      // Lamports that a third party sent there do not prevent the execution, and prove nothing.
      yield* put(SOL, [])
      assert.strictEqual(yield* standing(body), "2, 2")
      for (
        const wrong of [
          fault(["getAccountInfo"], {
            kind: "error",
            code: -32_016,
            message: "Minimum context slot has not been reached"
          }),
          fault(["getAccountInfo"], { kind: "error", code: -32_005, message: "Node is behind" }),
          fault(["getAccountInfo"], { kind: "lie", tell: () => null }),
          fault(["getAccountInfo"], { kind: "lie", tell: (result) => changed(result, { context: { slot: 1 } }) }),
          fault(["getBlock"], { kind: "lie", tell: () => null }),
          fault(["getBlockTime"], { kind: "lie", tell: () => null }),
          { kind: "status", status: 429 } as const
        ]
      ) {
        yield* misbehave(wrong, wrong, wrong)
        assert.strictEqual(yield* standing(body), "503", JSON.stringify(wrong))
        yield* misbehave(wrong)
        assert.strictEqual(yield* standing(body), "2, 2", JSON.stringify(wrong))
      }
      // A node that reports it as executed is outvoted.
      const executed: Fault = {
        kind: "lie",
        methods: ["getAccountInfo"],
        tell: (result) =>
          changed(result, {
            value: { owner: program, data: [Buffer.from([...truth, 1]).toString("base64"), "base64"] }
          })
      }
      yield* misbehave(executed)
      assert.strictEqual(yield* standing(body), "2, 2")
      yield* misbehave(executed, fault(["getAccountInfo"], { kind: "status", status: 500 }))
      assert.strictEqual(yield* standing(body), "503")
      yield* misbehave()
    }), shows("solana-vm", "withdrawal"))

  it.effect("read before and after its execution by two endpoints, it is read once more, and they agree", () =>
    Effect.gen(function*() {
      const { chain, misbehave, oracle, send, solana: node, user } = yield* Running
      yield* earn
      const { body, execute, used } = yield* begin(10_000)
      assert.isNull(chain.ledger.transaction(send(user, ...execute))?.meta.err)
      yield* node.finalize
      const told = oracle.log().length
      // The state from before the execution became final, unless a later slot is asked for.
      let first = true
      const lagging: Fault = {
        kind: "lie",
        methods: ["getAccountInfo"],
        tell: (result, _method, params) => {
          const asked: unknown = Array.isArray(params) ? params[0] : undefined
          if (asked !== used || !first) return result
          first = false
          return changed(result, { value: null })
        }
      }
      yield* misbehave(lagging, fault(["getAccountInfo"], { kind: "status", status: 500 }))
      // Two endpoints differ and the third is silent: the two are asked again.
      assert.strictEqual(yield* standing(body), "1, 1")
      assert.isFalse(oracle.log().slice(told).some((line) => line.includes("endpoints disagree")))
      yield* misbehave()
    }))
})
