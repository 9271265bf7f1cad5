import { getAddressEncoder } from "@solana/kit"
import type { Address } from "@solana/kit"
import { assert, layer } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { shows } from "../../../../scripts/testing/Shows.ts"
import { orderAddress } from "../../../../src/domain/hub/OrderAddress.ts"
import type { Fault } from "../../../localnet/nodes/solana/Solana.ts"
import { keyOfName } from "../../../localnet/nodes/solana/node/LocalKey.ts"
import { readTransaction } from "../../../localnet/nodes/solana/node/Submitted.ts"
import * as Depository from "../../../localnet/nodes/solana/DepositoryProgram.ts"
import { feeToken, usdc } from "../../../localnet/nodes/solana/Mints.ts"
import { lookupTable, signer, SOL, startSolanaFixture } from "../../testing/SolanaFixture.ts"
import type { HubAnswer as Answered } from "../../testing/HubFixture.ts"
import { changed, dead, member } from "../../testing/NodeFaults.ts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { depositedOf } from "../../testing/HubFixture.ts"

class Running extends fixtureOf<Running>()("test/SolanaRunning", startSolanaFixture) {}

const encodeAddress = (key: Address) => new Uint8Array(getAddressEncoder().encode(key))
const someId = (byte: number) => new Uint8Array(32).fill(byte)
const hexOf = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString("hex")}`
const stranger = (name: string) => keyOfName(`causeway.test.${name}`).address

const refused = ({ http, message, reason }: Answered) => [http, reason ?? (typeof message === "string" ? "" : "signed")]

/** A node that changes its answer to this method. Large numbers stay exact. */
const lying = (method: string, tell: (result: object) => object): Fault => ({
  kind: "lie",
  methods: [method],
  tell: (result) => typeof result === "object" && result !== null ? tell(result) : result
})
const decodeReady = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({
  chains: Schema.Array(
    Schema.Struct({ id: Schema.String, observed: Schema.Boolean, answering: Schema.Int, withdrawals: Schema.Int })
  )
})))

layer(Running.layer, { excludeTestServices: true })("what the oracle attests on Solana", (it) => {
  it.effect(
    "a deposit is minted to its order, its fill moves it to the solver, each once, to the unit, by HTTP and on the hub",
    () =>
      Effect.gen(function*() {
        const { ask, askDeposits, done, held, memo, order, ownerAlias, paySol, ref, solver, submit, user } =
          yield* Running
        const amount = 1_234_567_891n
        const recipient = stranger("recipient")
        const signed = yield* order(amount, { recipient, amount: 1_200_000_000n })
        const deposit = yield* done(user, Depository.depositNative({ sender: signer(user), amount, id: signed.bytes }))
        const attested = yield* askDeposits(deposit)
        assert.deepStrictEqual(depositedOf(attested), [[signed.id, user.address, SOL, `${amount}`]])
        const [message] = attested.messages ?? []
        assert.strictEqual(message?.result.depository, Depository.program)
        const account = Result.getOrThrow(
          orderAddress(ref, user.address, BigInt(message?.extraData.timestamp ?? 0), signed.id)
        )
        assert.strictEqual(yield* submit(attested.execution), "success")
        assert.strictEqual(yield* held(account, SOL), amount)

        const fill = yield* done(solver, paySol(solver, recipient, 1_200_000_000n), memo(signed.id))
        const inputs = [{ transactionId: deposit, onchainId: message?.result.onchainId, inputIndex: 0 }]
        const { id: _, bytes: __, ...claim } = { ...signed, inputs, fill: { transactionId: fill } }
        const filled = yield* ask("solver-fills", claim)
        assert.strictEqual(filled.http, 200, JSON.stringify(filled))
        assert.strictEqual(yield* submit(filled.execution), "success")
        assert.strictEqual(yield* held(account, SOL), 0n)
        assert.strictEqual(yield* held(ownerAlias, SOL), amount)

        // The deposit was also refunded, which settles nothing twice: the idempotency key is the same.
        const refund = yield* done(solver, paySol(solver, user.address, amount), memo(signed.id))
        const { fill: _fill, ...bare } = claim
        const refunded = yield* ask("solver-refunds", {
          ...bare,
          refunds: [{ transactionId: refund, inputIndex: 0, refundIndex: 0 }]
        })
        assert.strictEqual(refunded.http, 200, JSON.stringify(refunded))
        assert.strictEqual(refunded.execution?.idempotencyKey, filled.execution?.idempotencyKey)
      }),
    shows("solana-vm", "deposit", "payment")
  )

  it.effect(
    "payments that prove nothing: too little, late, to someone else, without a memo, with two, with calls",
    () =>
      Effect.gen(function*() {
        const { ask, askDeposits, chain, done, memo, order, paySol, payToken, solver, user } = yield* Running
        const claimOf = Effect.fnUntraced(function*(payment: Parameters<typeof order>[1], changes: object = {}) {
          const signed = yield* order(1_000n, payment, changes)
          const deposit = yield* done(
            user,
            Depository.depositNative({ sender: signer(user), amount: 1_000n, id: signed.bytes })
          )
          const { messages: [first] = [] } = yield* askDeposits(deposit)
          const inputs = [{ transactionId: deposit, onchainId: first?.result.onchainId, inputIndex: 0 }]
          const judged = (fill: string) =>
            Effect.map(
              ask("solver-fills", {
                order: signed.order,
                orderSignature: signed.orderSignature,
                inputs,
                fill: { transactionId: fill }
              }),
              refused
            )
          return { ...signed, judged }
        })
        const recipient = stranger("payee")
        const sol = yield* claimOf({ recipient, amount: 2_000_000n })
        const pay = (amount: bigint, ...memos: ReadonlyArray<string>) =>
          done(solver, paySol(solver, recipient, amount), ...memos.map(memo))
        assert.deepStrictEqual(yield* sol.judged(yield* pay(1_999_999n, sol.id)), [400, "underpaid"])
        assert.deepStrictEqual(yield* sol.judged(yield* pay(2_000_000n)), [400, "no-order-id"])
        assert.deepStrictEqual(yield* sol.judged(yield* pay(2_000_000n, sol.id, sol.id)), [400, "several-order-ids"])
        assert.deepStrictEqual(yield* sol.judged(yield* pay(2_000_000n, `${sol.id} ${hexOf(someId(1))}`)), [
          400,
          "several-order-ids"
        ])
        assert.deepStrictEqual(yield* sol.judged(yield* pay(2_000_000n, hexOf(someId(1)))), [400, "wrong-order-id"])
        assert.deepStrictEqual(
          yield* sol.judged(yield* done(solver, paySol(solver, stranger("somebody"), 2_000_000n), memo(sol.id))),
          [400, "underpaid"]
        )
        assert.deepStrictEqual(yield* sol.judged(yield* pay(2_000_000n, sol.id)), [200, "signed"])
        // Lamports that left and came back are not received, and the fee payer has received that much less.
        const own = yield* claimOf({ recipient: user.address, amount: 2_000_000n })
        assert.deepStrictEqual(yield* own.judged(yield* done(user, memo(own.id))), [400, "underpaid"])

        // For tokens with a transfer fee, the amount that arrived counts. A move between two accounts of one owner does
        // not count.
        const token = yield* claimOf({ recipient: user.address, currency: feeToken.address, amount: 990_000n })
        const paid = yield* payToken(solver, user.address, feeToken, 999_999n)
        assert.deepStrictEqual(yield* token.judged(yield* done(solver, paid, memo(token.id))), [400, "underpaid"])
        const enough = yield* payToken(solver, user.address, feeToken, 1_000_000n)
        assert.deepStrictEqual(yield* token.judged(yield* done(solver, enough, memo(token.id))), [200, "signed"])

        const late = yield* claimOf({ recipient, amount: 1_000_000n }, { deadline: chain.ledger.open.time - 10 })
        assert.deepStrictEqual(
          yield* late.judged(yield* done(solver, paySol(solver, recipient, 1_000_000n), memo(late.id))),
          [400, "late"]
        )
        // Nothing on this chain executes an order's calls.
        const call = `0x${"00".repeat(31)}20${"00".repeat(160)}`
        const calls = yield* claimOf({ recipient, amount: 1_000_000n }, { calls: [call] })
        assert.deepStrictEqual(
          yield* calls.judged(yield* done(solver, paySol(solver, recipient, 1_000_000n), memo(calls.id))),
          [400, "calls-not-executed"]
        )
      }),
    shows("solana-vm", "payment", "calls")
  )

  it.effect(
    "deposits are worth what the vault received: token fees, several in one transaction, into one vault",
    () =>
      Effect.gen(function*() {
        const { askDeposits, done, user } = yield* Running
        const native = (amount: bigint, byte: number) =>
          Depository.depositNative({ sender: signer(user), amount, id: someId(byte) })
        const token = ({ address: mint, program: tokenProgram }: typeof usdc, amount: bigint, byte: number) =>
          Effect.promise(() =>
            Depository.depositToken({
              sender: signer(user),
              depositor: stranger("depositor"),
              amount,
              id: someId(byte),
              mint,
              tokenProgram
            })
          )
        const plain = yield* askDeposits(yield* done(user, yield* token(usdc, 5_000_000n, 1)))
        assert.deepStrictEqual(depositedOf(plain), [[hexOf(someId(1)), stranger("depositor"), usdc.address, "5000000"]])
        const withFee = yield* askDeposits(yield* done(user, yield* token(feeToken, 1_000_000n, 2)))
        assert.deepStrictEqual(depositedOf(withFee), [[
          hexOf(someId(2)),
          stranger("depositor"),
          feeToken.address,
          "990000"
        ]])

        const several = yield* askDeposits(
          yield* done(
            user,
            native(100n, 3),
            yield* token(feeToken, 1_000_000n, 4),
            native(200n, 3),
            yield* token(feeToken, 3_000_000n, 5)
          )
        )
        assert.deepStrictEqual(depositedOf(several).map(([id, , , amount]) => [id, amount]), [
          [hexOf(someId(3)), "100"],
          [hexOf(someId(4)), "990000"],
          [hexOf(someId(3)), "200"],
          [hexOf(someId(5)), "2970000"]
        ])
        assert.strictEqual(new Set((several.messages ?? []).map(({ result }) => result.onchainId)).size, 4)
      }),
    shows("solana-vm", "deposit")
  )

  it.effect("a lone transfer straight into the vault belongs to its payer; with anything else beside it, to nobody", () =>
    Effect.gen(function*() {
      const { aliasOf, askDeposits, done, held, memo, other, paySol, payToken, submit } = yield* Running
      const zero = hexOf(someId(0))
      const sol = yield* askDeposits(yield* done(other, paySol(other, Depository.vault, 777n)))
      assert.deepStrictEqual(depositedOf(sol), [[zero, other.address, SOL, "777"]])
      assert.strictEqual(yield* submit(sol.execution), "success")
      assert.strictEqual(yield* held(aliasOf(other.address), SOL), 777n)
      const straight = yield* payToken(other, Depository.vault, feeToken, 1_000_000n)
      assert.deepStrictEqual(depositedOf(yield* askDeposits(yield* done(other, straight))), [[
        zero,
        other.address,
        feeToken.address,
        "990000"
      ]])
      for (
        const id of [
          yield* done(other, paySol(other, Depository.vault, 777n), memo("mine")),
          yield* done(other, paySol(other, stranger("somebody"), 900_000n))
        ]
      ) {
        const nothing = yield* askDeposits(id)
        assert.deepStrictEqual([nothing.http, nothing.messages, nothing.execution], [200, [], undefined])
      }
    }))

  it.effect("a failed transaction, a forged log, or a call of another program is no deposit", () =>
    Effect.gen(function*() {
      const { askDeposits, chain, done, memo, paySol, user } = yield* Running
      const deposit = Depository.depositNative({ sender: signer(user), amount: 5_000n, id: someId(6) })
      const failed = yield* done(user, deposit, paySol(user, stranger("somebody"), 10n ** 18n))
      assert.isNotNull(chain.ledger.transaction(failed)?.meta.err)
      assert.deepStrictEqual(refused(yield* askDeposits(failed)), [400, "reverted"])
      // The log text of a real deposit's event, logged by another program.
      const truth = yield* done(user, deposit)
      const event = chain.ledger.transaction(truth)?.meta.logMessages.find((line) =>
        line.startsWith("Program data: ")
      ) ?? assert.fail("no event")
      const forged = yield* askDeposits(yield* done(user, memo(event)))
      assert.deepStrictEqual([forged.http, forged.messages], [200, []])
      assert.lengthOf((yield* askDeposits(truth)).messages ?? [], 1)
    }))

  it.effect(
    "nothing is attested before it is final, and what a fork removed is not found",
    () =>
      Effect.gen(function*() {
        const { askDeposits, misbehave, send, solana, user } = yield* Running
        const early = send(user, Depository.depositNative({ sender: signer(user), amount: 6_000n, id: someId(7) }))
        yield* solana.mine(1)
        const young = yield* askDeposits(early)
        assert.deepStrictEqual(refused(young), [400, "not-final"])
        assert.isAbove(young.needed ?? 0, young.confirmations ?? 0)
        yield* solana.rollback(3)
        yield* solana.mine(8)
        assert.deepStrictEqual(refused(yield* askDeposits(early)), [400, "not-found"])
        // A transaction that is not found as finalized is not final, whatever its slot.
        const late = send(user, Depository.depositNative({ sender: signer(user), amount: 6_001n, id: someId(7) }))
        yield* solana.finalize
        const hidden: Fault = {
          kind: "lie",
          methods: ["getTransaction"],
          tell: (result, _method, params) =>
            Array.isArray(params) && member(params[1], "commitment") === "finalized" ? null : result
        }
        yield* misbehave(hidden, hidden, hidden)
        assert.deepStrictEqual(refused(yield* askDeposits(late)), [400, "not-final"])
        yield* misbehave()
        assert.lengthOf((yield* askDeposits(late)).messages ?? [], 1)
      }),
    shows("solana-vm", "reorg")
  )

  it.effect(
    "a deposit that a fork below the final slot moves is signed for in the same way or not at all",
    () =>
      Effect.gen(function*() {
        const { askDeposits, chain, done, solana, startOracle, user } = yield* Running
        const id = yield* done(user, Depository.depositNative({ sender: signer(user), amount: 6_100n, id: someId(12) }))
        const attested = yield* askDeposits(id)
        const wire = chain.ledger.transaction(id)?.wire ?? ""
        const key = attested.execution?.idempotencyKey
        const { url } = yield* startOracle({})
        yield* solana.rollback(5)
        yield* solana.mine(8)
        // An oracle that has seen it final gives the same answer again; one that has not finds nothing.
        const [again, elsewhere] = [yield* askDeposits(id), yield* askDeposits(id, url)]
        assert.deepStrictEqual([depositedOf(again), again.execution?.idempotencyKey], [depositedOf(attested), key])
        assert.deepStrictEqual(refused(elsewhere), [400, "not-found"])
        // In another block it is the same deposit, so the hub accepts it once.
        chain.submit(readTransaction(new Uint8Array(Buffer.from(wire, "base64"))))
        yield* solana.finalize
        const moved = yield* askDeposits(id, url)
        assert.deepStrictEqual(
          moved.messages?.map(({ result }) => result),
          attested.messages?.map(({ result }) => result)
        )
        assert.strictEqual(moved.execution?.idempotencyKey, key)
      }),
    shows("solana-vm", "reorg")
  )

  it.effect("a deposit through a lookup table counts, even if the table is closed afterwards", () =>
    Effect.gen(function*() {
      const { askDeposits, chain, sendThrough, solana, user } = yield* Running
      const table = stranger("table")
      const addresses = [Depository.depository, Depository.vault, stranger("depositor"), Depository.program]
      chain.setAccount(table, lookupTable(addresses, encodeAddress))
      yield* solana.mine(2)
      const deposit = Depository.depositNative({
        sender: signer(user),
        depositor: stranger("depositor"),
        amount: 8_000n,
        id: someId(8)
      })
      const id = sendThrough(user, { [table]: addresses }, deposit)
      chain.setAccount(table, undefined)
      yield* solana.finalize
      assert.isAbove(chain.ledger.transaction(id)?.meta.loadedAddresses.writable.length ?? 0, 0)
      assert.deepStrictEqual(depositedOf(yield* askDeposits(id)), [[
        hexOf(someId(8)),
        stranger("depositor"),
        SOL,
        "8000"
      ]])
    }))

  it.effect("one lying endpoint is outvoted and named, two are refused, and a dead one is not needed", () =>
    Effect.gen(function*() {
      const { askDeposits, chain, done, misbehave, oracle, user } = yield* Running
      const deposit = (amount: bigint) =>
        done(user, Depository.depositNative({ sender: signer(user), amount, id: someId(9) }))
      const richer = (by: bigint) =>
        lying("getTransaction", (result) => {
          const meta = member(result, "meta")
          const before = member(meta, "preBalances")
          return Array.isArray(before)
            ? {
              ...result,
              meta: changed(meta, {
                preBalances: before.map((each) => BigInt(String(each)) > by ? BigInt(String(each)) - by : 0n)
              })
            }
            : result
        })
      const failing = lying(
        "getTransaction",
        (result) => ({ ...result, meta: changed(member(result, "meta"), { err: "AccountInUse" }) })
      )
      const absent: Fault = { kind: "lie", methods: ["getTransaction"], tell: () => null }
      const timeless = lying("getTransaction", (result) => ({ ...result, blockTime: null }))
      const otherTime = lying("getBlock", (result) => ({ ...result, blockTime: 1 }))
      const stripped = (name: string) =>
        lying("getTransaction", (result) => ({ ...result, meta: changed(member(result, "meta"), { [name]: null }) }))
      const forked = lying("getBlock", (result) => ({ ...result, blockhash: stranger("another block") }))
      const truth = yield* deposit(49n)
      const another = chain.ledger.transaction(truth)
      const swapped = lying("getTransaction", (result) => ({ ...result, transaction: [another?.wire ?? "", "base64"] }))
      const elsewhere: Fault = { kind: "lie", methods: ["getGenesisHash"], tell: () => stranger("another cluster") }
      const high: Fault = { kind: "lie", methods: ["getSlot"], tell: () => 10 ** 9 }
      for (
        const fault of [
          richer(5n),
          failing,
          absent,
          timeless,
          otherTime,
          stripped("innerInstructions"),
          stripped("postTokenBalances"),
          forked,
          swapped,
          elsewhere,
          high,
          dead
        ]
      ) {
        yield* misbehave(fault)
        const attested = yield* askDeposits(yield* deposit(50n))
        assert.deepStrictEqual(
          depositedOf(attested),
          [[hexOf(someId(9)), user.address, SOL, "50"]],
          JSON.stringify([fault, attested])
        )
      }
      assert.isTrue(oracle.log().some((line) => line.includes("endpoints contradict the quorum")))
      // An endpoint without a time, without inner instructions or with another transaction's block does not count. Two
      // of them leave too few.
      for (const fault of [timeless, otherTime, stripped("innerInstructions"), swapped, dead]) {
        yield* misbehave(fault, undefined, fault)
        const missing = yield* askDeposits(yield* deposit(51n))
        assert.deepStrictEqual([missing.http, missing.retryable], [503, true], JSON.stringify(fault))
      }
      yield* misbehave(failing, absent)
      const [, outcome] = refused(yield* askDeposits(yield* deposit(52n)))
      assert.notStrictEqual(outcome, "signed")
      // An endpoint that answers again after a silence may be another node.
      for (const fault of [dead, elsewhere]) {
        yield* misbehave(fault, fault, fault)
        const lost = yield* askDeposits(yield* deposit(53n))
        assert.deepStrictEqual([lost.http, lost.retryable], [503, true])
      }
      yield* misbehave()
    }))

  it.effect("a node with a pruned ledger cannot prove absence: it is outvoted, and alone it gives no answer", () =>
    Effect.gen(function*() {
      const { askDeposits, chain, done, misbehave, oracle, send, solana, user } = yield* Running
      // Each has a different amount, because final evidence is cached.
      const deposited = (amount: bigint) =>
        done(user, Depository.depositNative({ sender: signer(user), amount, id: someId(11) }))
      const metric = Effect.promise(() => fetch(`${oracle.url}/metrics`).then((response) => response.text()))
      const pruned = (): Fault => ({ kind: "forgets", from: 0, to: chain.ledger.open.slot })
      const jumped = (): Fault => ({ kind: "forgets", from: 2, to: chain.ledger.open.slot })
      const one = yield* deposited(70n)
      yield* misbehave(pruned())
      assert.lengthOf((yield* askDeposits(one)).messages ?? [], 1)
      const two = yield* deposited(71n)
      yield* misbehave(pruned(), pruned(), pruned())
      const lost = yield* askDeposits(two)
      assert.deepStrictEqual([lost.http, lost.retryable], [503, true])
      // Two that have pruned it do not outvote the one that has it.
      yield* misbehave(pruned(), undefined, pruned())
      const outnumbered = yield* askDeposits(two)
      assert.deepStrictEqual([outnumbered.http, outnumbered.retryable], [503, true])
      assert.match(yield* metric, /endpoint_faults_total\{[^}]*fault="pruned"/)
      // The transaction is found, and its block is not.
      const blockless: Fault = { ...jumped(), methods: ["getBlock"] }
      yield* misbehave(blockless, undefined, blockless)
      const three = yield* askDeposits(two)
      assert.deepStrictEqual([three.http, three.retryable], [503, true])
      for (const code of [-32_001, -32_004, -32_007, -32_009, -32_014, -32_011]) {
        const error: Fault = { kind: "error", code, message: "not here", methods: ["getTransaction"] }
        yield* misbehave(error, undefined, error)
        const answered = yield* askDeposits(two)
        assert.deepStrictEqual([answered.http, answered.retryable], [503, true], `${code}`)
      }
      // A node with the whole history knows that something does not exist.
      yield* misbehave()
      const never = send(user, Depository.depositNative({ sender: signer(user), amount: 72n, id: someId(11) }))
      yield* solana.rollback(2)
      yield* solana.mine(8)
      assert.deepStrictEqual(refused(yield* askDeposits(never)), [400, "not-found"])
      assert.lengthOf((yield* askDeposits(two)).messages ?? [], 1)
    }))

  it.effect("is listed, and ready with its endpoints; a genesis of another cluster is not ready", () =>
    Effect.gen(function*() {
      const { askDeposits, done, misbehave, oracle, startOracle, user } = yield* Running
      const get = (url: string, path: string) =>
        Effect.promise(() => fetch(`${url}${path}`).then((response) => response.text()))
      assert.include(
        yield* get(oracle.url, "/chains/v1"),
        `{"id":"solana-local","vmType":"solana-vm","depository":"${Depository.program}"}`
      )
      const standing = Effect.map(
        get(oracle.url, "/ready/v1"),
        (text) => decodeReady(text).chains.find(({ id }) => id === "solana-local")
      )
      assert.deepStrictEqual(yield* standing, { id: "solana-local", observed: true, answering: 3, withdrawals: 3 })
      yield* misbehave(dead, undefined, dead)
      assert.deepStrictEqual(yield* standing, { id: "solana-local", observed: true, answering: 1, withdrawals: 1 })
      yield* misbehave()
      const { url } = yield* startOracle({ SOLANA_GENESIS_HASH: stranger("another cluster") })
      const id = yield* done(user, Depository.depositNative({ sender: signer(user), amount: 60n, id: someId(10) }))
      const refusedThere = yield* askDeposits(id, url)
      assert.deepStrictEqual([refusedThere.http, refusedThere.retryable], [503, true])
      assert.lengthOf((yield* askDeposits(id)).messages ?? [], 1)
    }))
})
