import { assert, layer } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { shows } from "../../../../scripts/testing/Shows.ts"
import { hexFromBytes } from "../../../../src/domain/encoding/Hex.ts"
import { orderAddress } from "../../../../src/domain/hub/OrderAddress.ts"
import { withdrawalId } from "../../../../src/domain/families/Withdrawals.ts"
import { decodeWithdrawal } from "../../../../src/domain/families/Withdrawals.ts"
import type { NodeFault } from "../../../localnet/nodes/NodeFault.ts"
import { keyOfName } from "../../../localnet/nodes/bitcoin/node/LocalKey.ts"
import type { Spent } from "../../../localnet/nodes/bitcoin/node/Payment.ts"
import { psbtOf, saying, signed } from "../../../localnet/nodes/bitcoin/node/Payment.ts"
import { BTC, COIN, FEE, FINAL_AFTER, startBitcoinFixture } from "../../testing/BitcoinFixture.ts"
import type { HubAnswer as Answered } from "../../testing/HubFixture.ts"
import { changed, dead, lying, member } from "../../testing/NodeFaults.ts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"

class Running extends fixtureOf<Running>()(
  "test/BitcoinRunning",
  startBitcoinFixture(
    { kind: "oauth", clientId: "an-id", clientSecret: "a-secret", lifeSeconds: 3_600 },
    { BITCOIN_EXPLORER_CLIENT_ID: "an-id", BITCOIN_EXPLORER_CLIENT_SECRET: "a-secret" }
  )
) {}

const someId = (byte: number) => `0x${byte.toString(16).padStart(2, "0").repeat(32)}`
const stranger = (name: string) => keyOfName(`causeway.test.${name}`)
const NO_ID = someId(0)

/** The id, depositor and amount of each message. */
const deposited = ({ messages = [] }: Answered) =>
  messages.map(({ result: { amount, depositId, depositor } }) => [depositId, depositor, amount])
const refused = ({ http, message, reason }: Answered) => [http, reason ?? (typeof message === "string" ? "" : "signed")]
const decodeReady = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({
  chains: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      observed: Schema.Boolean,
      answering: Schema.Int,
      withdrawals: Schema.Int,
      companions: Schema.Array(Schema.Struct({ name: Schema.String, answering: Schema.Boolean }))
    })
  )
})))

const AMOUNT = 1_000_000n

/** A withdrawal of that amount from a coin of the depository, issued for an account of the owner's. */
const begin = Effect.gen(function*() {
  const { bitcoin, chain, coin, depository, issued } = yield* Running
  const recipient = stranger("withdrawal")
  const spent: Spent = yield* coin(depository, COIN)
  const plan = {
    inputs: [spent],
    outputs: [{ script: recipient.script, amount: AMOUNT }, { script: depository.script, amount: COIN - AMOUNT - FEE }]
  }
  const encoded = hexFromBytes(psbtOf(plan).toBuffer())
  const id = Result.getOrThrow(withdrawalId(Result.getOrThrow(decodeWithdrawal("bitcoin-vm", encoded))))
  const { account, body } = yield* issued({ encoded, id, currency: BTC, recipient: recipient.address })
  const execute = Effect.promise(() => chain.submit(signed(plan).toBuffer()))
  return { account, spent, plan, execute, bitcoin, body }
})

const standing = (body: object, url?: string) => Effect.flatMap(Running, (fixture) => fixture.standing(body, url))

layer(Running.layer, { excludeTestServices: true })("what the oracle attests on Bitcoin", (it) => {
  it.effect(
    "a deposit is minted to its order, its fill moves it to the solver, each once, to the satoshi, by HTTP and on the hub",
    () =>
      Effect.gen(function*() {
        const { ask, askDeposits, depository, done, held, into, order, ownerAlias, ref, solver, submit, user } =
          yield* Running
        const recipient = stranger("recipient")
        const signed = yield* order(AMOUNT, { recipient: recipient.address, amount: 900_000n })
        const deposit = yield* done(user, into(AMOUNT), saying(signed.id))
        const attested = yield* askDeposits(deposit.toUpperCase())
        assert.deepStrictEqual(deposited(attested), [[signed.id, user.address, `${AMOUNT}`]], JSON.stringify(attested))
        const [message] = attested.messages ?? []
        assert.strictEqual(message?.result.depository, depository.address)
        const account = Result.getOrThrow(
          orderAddress(ref, user.address, BigInt(message?.extraData.timestamp ?? 0), signed.id)
        )
        assert.strictEqual(yield* submit(attested.execution), "success")
        assert.strictEqual(yield* held(account), AMOUNT)
        const fill = yield* done(solver, { script: recipient.script, amount: 400_000n }, saying(signed.id), {
          script: recipient.script,
          amount: 500_000n
        })
        const inputs = [{ transactionId: deposit, onchainId: message?.result.onchainId, inputIndex: 0 }]
        const { id: _, ...claim } = { ...signed, inputs, fill: { transactionId: fill } }
        const filled = yield* ask("solver-fills", claim)
        assert.strictEqual(filled.http, 200, JSON.stringify(filled))
        assert.strictEqual(yield* submit(filled.execution), "success")
        assert.strictEqual(yield* held(ownerAlias), AMOUNT)
        const refund = yield* done(solver, { script: user.script, amount: AMOUNT }, saying(signed.id))
        const { fill: _fill, ...bare } = claim
        const refunded = yield* ask("solver-refunds", {
          ...bare,
          refunds: [{ transactionId: refund, inputIndex: 0, refundIndex: 0 }]
        })
        assert.strictEqual(refunded.http, 200, JSON.stringify(refunded))
        assert.strictEqual(refunded.execution?.idempotencyKey, filled.execution?.idempotencyKey)
        // A payment of too little, to another recipient, without the id or with two of them proves nothing.
        const judged = Effect.fnUntraced(
          function*(...outputs: Parameters<typeof done> extends readonly [unknown, ...infer Rest] ? Rest : never) {
            return refused(
              yield* ask("solver-fills", { ...claim, fill: { transactionId: yield* done(solver, ...outputs) } })
            )[1]
          }
        )
        const pay = { script: recipient.script, amount: 900_000n }
        assert.strictEqual(yield* judged({ ...pay, amount: 899_999n }, saying(signed.id)), "underpaid")
        assert.strictEqual(yield* judged(pay), "no-order-id")
        assert.strictEqual(yield* judged(pay, saying(`${signed.id}|depositor=${user.address}|`)), "no-order-id")
        assert.strictEqual(yield* judged(pay, saying(someId(3))), "wrong-order-id")
      }),
    shows("bitcoin-vm", "deposit", "payment")
  )

  it.effect(
    "deposits are all outputs to the depository, for the depositor that the note or the first input names; the depository's change is none",
    () =>
      Effect.gen(function*() {
        const { askDeposits, coin, depository, done, finalize, into, other, send, user } = yield* Running
        const named = yield* done(
          user,
          into(1_000n),
          saying(`${someId(2)}|depositor=${other.address.toUpperCase()}|`),
          into(2_000n)
        )
        const several = yield* send([yield* coin(other), yield* coin(user)], [into(3_000n)])
        const free = yield* done(user, into(4_000n), saying("a note of mine"))
        const spending = yield* send([yield* coin(user), yield* coin(depository)], [into(5_000n), saying(someId(4))])
        yield* finalize
        assert.deepStrictEqual(deposited(yield* askDeposits(named)), [[someId(2), other.address, "3000"]])
        assert.deepStrictEqual(deposited(yield* askDeposits(several)), [[NO_ID, other.address, "3000"]])
        assert.deepStrictEqual(deposited(yield* askDeposits(free)), [[NO_ID, user.address, "4000"]])
        const none = yield* askDeposits(spending)
        assert.deepStrictEqual([none.http, none.messages, none.execution], [200, [], undefined])
      }),
    shows("bitcoin-vm", "deposit")
  )

  it.effect(
    "nothing is attested before it is final; what a reorg of two blocks removed is not found, and what replaced it counts",
    () =>
      Effect.gen(function*() {
        const { askDeposits, bitcoin, coin, finalize, into, send, user } = yield* Running
        const spent = yield* coin(user)
        const early = yield* send([spent], [into(6_000n), saying(someId(5))])
        assert.deepStrictEqual(refused(yield* askDeposits(early)), [400, "not-found"])
        yield* bitcoin.mine(2)
        const young = yield* askDeposits(early)
        assert.deepStrictEqual([...refused(young), young.confirmations, young.needed], [
          400,
          "not-final",
          1,
          FINAL_AFTER
        ])
        yield* bitcoin.reorg(2, "dropped")
        assert.deepStrictEqual(refused(yield* askDeposits(early)), [400, "not-found"])
        const first = yield* send([spent], [into(6_100n), saying(someId(5))])
        const dearer = yield* send([spent], [into(6_200n), saying(someId(5))], 20_000n)
        yield* finalize
        assert.deepStrictEqual(refused(yield* askDeposits(first)), [400, "not-found"])
        assert.deepStrictEqual(deposited(yield* askDeposits(dearer)), [[someId(5), user.address, "6200"]])
      }),
    shows("bitcoin-vm", "reorg")
  )

  it.effect("one lying node is outvoted, two are refused, a dead one is not needed, and missing inputs are looked up elsewhere", () =>
    Effect.gen(function*() {
      const { askDeposits, done, into, misbehave, transaction, user } = yield* Running
      const deposit = (amount: bigint) => done(user, into(amount), saying(someId(6)))
      const another = transaction(yield* deposit(1_000n)).toHex()
      const swapped = lying("getrawtransaction", (result) => changed(result, { hex: another }))
      const absent: NodeFault = {
        kind: "error",
        methods: ["getrawtransaction"],
        code: -5,
        message: "No such mempool or blockchain transaction."
      }
      const indexing: NodeFault = {
        ...absent,
        message: "No such mempool transaction. Use -txindex or provide a block hash."
      }
      const forked = lying("getblockhash", () => "77".repeat(32))
      const otherTime = lying("getblockheader", (result) => changed(result, { time: 5 }))
      const elsewhere: NodeFault = {
        kind: "lie",
        methods: ["getblockhash"],
        tell: (result, _method, params) => Array.isArray(params) && params[0] === 0 ? "66".repeat(32) : result
      }
      const robbed = lying(
        "getrawtransaction",
        (result) =>
          changed(result, {
            vin: [{
              prevout: {
                scriptPubKey: {
                  hex: stranger("thief").script.reduce((text, byte) => text + byte.toString(16).padStart(2, "0"), "")
                }
              }
            }]
          })
      )
      for (const fault of [swapped, absent, indexing, forked, otherTime, robbed, dead]) {
        yield* misbehave(fault)
        const attested = yield* askDeposits(yield* deposit(7_000n))
        assert.deepStrictEqual(
          deposited(attested),
          [[someId(6), user.address, "7000"]],
          JSON.stringify([fault, attested])
        )
      }
      for (const fault of [swapped, indexing, dead]) {
        yield* misbehave(fault, undefined, fault)
        const missing = yield* askDeposits(yield* deposit(7_100n))
        assert.deepStrictEqual([missing.http, missing.retryable], [503, true], JSON.stringify(fault))
      }
      yield* misbehave(robbed, otherTime)
      assert.notStrictEqual(refused(yield* askDeposits(yield* deposit(7_200n)))[1], "signed")
      // An endpoint that answers again after a silence may be on another chain.
      for (const fault of [dead, elsewhere]) {
        yield* misbehave(fault, fault, fault)
        const lost = yield* askDeposits(yield* deposit(7_300n))
        assert.deepStrictEqual([lost.http, lost.retryable], [503, true], JSON.stringify(fault))
      }
      const wordless = lying("getrawtransaction", (result) => {
        const inputs = member(result, "vin")
        return Array.isArray(inputs)
          ? changed(result, { vin: inputs.map((each) => changed(each, { prevout: undefined })) })
          : result
      })
      yield* misbehave(wordless, wordless, wordless)
      assert.deepStrictEqual(deposited(yield* askDeposits(yield* deposit(7_400n))), [[someId(6), user.address, "7400"]])
      yield* misbehave()
    }))

  it.effect(
    "a withdrawal is pending until its transaction is final, then executed and burnt; a withdrawal fills no order",
    () =>
      Effect.gen(function*() {
        const { ask, askDeposits, bitcoin, done, finalize, held, hub, initiate, into, order, solver, submit, user } =
          yield* Running
        // The owner earns on the hub, by a fill, what it withdraws.
        const earned = yield* order(AMOUNT, { recipient: stranger("earning").address, amount: AMOUNT })
        const deposit = yield* done(user, into(AMOUNT), saying(earned.id))
        const fill = yield* done(solver, { script: stranger("earning").script, amount: AMOUNT }, saying(earned.id))
        const { execution, messages: [first] = [] } = yield* askDeposits(deposit)
        yield* submit(execution)
        const filled = yield* ask("solver-fills", {
          order: earned.order,
          orderSignature: earned.orderSignature,
          inputs: [{ transactionId: deposit, onchainId: first?.result.onchainId, inputIndex: 0 }],
          fill: { transactionId: fill }
        })
        yield* submit(filled.execution)
        yield* hub.mine(3)
        const { account, body, execute } = yield* begin
        assert.strictEqual(yield* initiate(AMOUNT, body), "success")
        assert.strictEqual(yield* held(account), AMOUNT)
        assert.strictEqual(yield* standing(body), "0")
        const executed = yield* execute
        assert.strictEqual(yield* standing(body), "0")
        yield* bitcoin.mine(3)
        assert.strictEqual(yield* standing(body), "0")
        yield* finalize
        assert.strictEqual(yield* standing(body), "1, 1")
        assert.strictEqual(yield* standing({ ...body, transactionId: executed }), "1, 1")
        assert.strictEqual(yield* standing({ ...body, transactionId: deposit }), "400 wrong-transaction")
        const burnt = yield* ask("depository-withdrawals", body)
        assert.strictEqual(yield* submit(burnt.execution), "success")
        assert.strictEqual(yield* held(account), 0n)
        assert.strictEqual(yield* submit(burnt.execution), "refused")
      }),
    shows("bitcoin-vm", "withdrawal")
  )

  it.effect(
    "a withdrawal whose coin was spent elsewhere is expired once that is final; a replacement and a reorg of two blocks before that change nothing",
    () =>
      Effect.gen(function*() {
        const { bitcoin, depository, finalize, send } = yield* Running
        const { body, execute, plan, spent } = yield* begin
        yield* execute
        yield* bitcoin.mine(2)
        yield* bitcoin.reorg(2, "dropped")
        assert.strictEqual(yield* standing(body), "0")
        const less = plan.outputs.map((each, at) => at === 1 ? { ...each, amount: each.amount - 50_000n } : each)
        yield* execute
        yield* send([spent], less, 51_000n)
        yield* bitcoin.mine(3)
        assert.strictEqual(yield* standing(body), "0")
        yield* finalize
        assert.strictEqual(yield* standing(body), "2, 2")
        assert.isNotEmpty(depository.address)
      }),
    shows("bitcoin-vm", "withdrawal", "reorg")
  )

  it.effect(
    "a dead, lying or late explorer never makes a withdrawal unused, and never outvotes nodes",
    () =>
      Effect.gen(function*() {
        const { bitcoin, finalize, misbehave, startOracle } = yield* Running
        const done = yield* begin
        yield* done.execute
        yield* finalize
        const waiting = yield* begin
        const wrong: ReadonlyArray<NodeFault> = [
          dead,
          { kind: "status", status: 404 },
          { kind: "status", status: 302 },
          { kind: "error", code: 1, message: "broken" },
          { kind: "lie", tell: () => ({}) },
          { kind: "lie", tell: () => ({ spent: "no" }) },
          { kind: "lie", tell: () => ({ spent: true, txid: "../../" }) }
        ]
        for (const fault of wrong) {
          yield* bitcoin.setExplorerFault(fault)
          assert.strictEqual(yield* standing(waiting.body), "503", JSON.stringify(fault))
          assert.strictEqual(yield* standing(done.body), "503", JSON.stringify(fault))
        }
        // It reports a spent coin as unspent, or names a transaction that did not spend it.
        for (const told of [{ spent: false }, { spent: true, txid: "77".repeat(32) }]) {
          yield* bitcoin.setExplorerFault({ kind: "lie", tell: () => told })
          assert.strictEqual(yield* standing(done.body), "503", JSON.stringify(told))
          assert.strictEqual(yield* standing(waiting.body), "0", JSON.stringify(told))
        }
        yield* bitcoin.setExplorerFault(undefined)
        for (
          const fault of [
            dead,
            lying("getrawtransaction", (result) => changed(result, { hex: "00" })),
            lying("gettxout", () => ({}))
          ]
        ) {
          yield* misbehave(fault)
          assert.deepStrictEqual(
            [yield* standing(waiting.body), yield* standing(done.body)],
            ["0", "1, 1"],
            JSON.stringify(fault)
          )
        }
        yield* misbehave(dead, dead)
        assert.deepStrictEqual([yield* standing(waiting.body), yield* standing(done.body)], ["503", "503"])
        yield* misbehave()
        // One token serves all requests. Another one is fetched when it becomes invalid.
        const { issued, revoke } = bitcoin.tokens
        const before = issued()
        assert.strictEqual(yield* standing(done.body), "1, 1")
        assert.strictEqual(issued(), before)
        revoke()
        assert.strictEqual(yield* standing(done.body), "1, 1")
        assert.strictEqual(issued(), before + 1)
        const { url } = yield* startOracle({ BITCOIN_EXPLORER_CLIENT_SECRET: "another" })
        assert.strictEqual(yield* standing(done.body, url), "503")
      }),
    shows("bitcoin-vm", "withdrawal")
  )

  it.effect("an explorer receives its key if it needs one, and is not asked where none is configured", () =>
    Effect.gen(function*() {
      const { chain, startOracle } = yield* Running
      const { serve } = yield* Effect.promise(() => import("../../../localnet/nodes/bitcoin/node/rpc/Server.ts"))
      const { anyFree } = yield* Effect.promise(() => import("../../../localnet/nodes/Port.ts"))
      const port = yield* anyFree
      yield* serve(chain, port, { node: () => undefined, explorer: () => undefined }, { kind: "key", key: "the-key" })
      const at = {
        BITCOIN_ESPLORA_COMPATIBLE_API_URL: `http://127.0.0.1:${port}/api/`,
        BITCOIN_EXPLORER_CLIENT_ID: "",
        BITCOIN_EXPLORER_CLIENT_SECRET: ""
      }
      const { body } = yield* begin
      const oracles = yield* Effect.forEach([{ ...at, BITCOIN_INDEXER_API_KEY: "the-key" }, {
        ...at,
        BITCOIN_INDEXER_API_KEY: "wrong"
      }, { ...at, BITCOIN_ESPLORA_COMPATIBLE_API_URL: "" }], startOracle)
      const answers = yield* Effect.forEach(oracles, ({ url }) => standing(body, url))
      assert.deepStrictEqual(answers, ["0", "503", "400 no-explorer"])
    }))

  it.effect("is listed, and ready with its nodes; readiness shows its explorer, without its credentials", () =>
    Effect.gen(function*() {
      const { bitcoin, depository, misbehave, oracle, startOracle } = yield* Running
      const get = (path: string, url = oracle.url) =>
        Effect.promise(() => fetch(`${url}${path}`).then((response) => response.text()))
      assert.include(
        yield* get("/chains/v1"),
        `{"id":"bitcoin-local","vmType":"bitcoin-vm","depository":"${depository.address}"}`
      )
      const ready = Effect.map(
        get("/ready/v1"),
        (text) => decodeReady(text).chains.find(({ id }) => id === "bitcoin-local")
      )
      assert.deepStrictEqual(yield* ready, {
        id: "bitcoin-local",
        observed: true,
        answering: 3,
        withdrawals: 3,
        companions: [{ name: "explorer", answering: true }]
      })
      yield* misbehave(dead, undefined, dead)
      assert.deepStrictEqual(yield* ready, {
        id: "bitcoin-local",
        observed: true,
        answering: 1,
        withdrawals: 1,
        companions: [{ name: "explorer", answering: true }]
      })
      yield* misbehave()
      const explorer = (url?: string) =>
        Effect.map(
          get("/ready/v1", url),
          (text) => decodeReady(text).chains.find(({ id }) => id === "bitcoin-local")?.companions
        )
      for (const fault of [{ kind: "status", status: 503 }, { kind: "lie", tell: () => "<html>" }] as const) {
        yield* bitcoin.setExplorerFault(fault)
        assert.deepStrictEqual(yield* explorer(), [{ name: "explorer", answering: false }], JSON.stringify(fault))
      }
      yield* bitcoin.setExplorerFault(undefined)
      const [wrong, without] = yield* Effect.forEach([{ BITCOIN_EXPLORER_CLIENT_SECRET: "another" }, {
        BITCOIN_ESPLORA_COMPATIBLE_API_URL: "",
        BITCOIN_EXPLORER_CLIENT_ID: "",
        BITCOIN_EXPLORER_CLIENT_SECRET: ""
      }], startOracle)
      assert.deepStrictEqual([yield* explorer(wrong?.url), yield* explorer(without?.url)], [[{
        name: "explorer",
        answering: false
      }], []])
      assert.notMatch(yield* get("/ready/v1"), /https?:|127\.0\.0\.1|secret|client/)
    }))
})
