/** The treasury on a local Bitcoin chain, with the claims of its payments in a store. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Scope } from "effect"
import { signed as signedByKey } from "../../../hosts/localnet/nodes/bitcoin/node/Payment.ts"
import { Gas } from "../../../ports/chain/Gas.ts"
import { Treasury } from "../../../ports/chain/Treasury.ts"
import type { FillPayment } from "../../../ports/chain/PaymentKinds.ts"
import { Payments } from "../../../ports/store/orders/Payments.ts"
import type { StoredPayment } from "../../../ports/store/orders/Payments.ts"
import { layer as layerStore } from "../../../property-tests/memory-store/index.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { FeeRate } from "../../../src/domain/families/bitcoin/spending/FeeRate.ts"
import { rateOf } from "../../../src/domain/families/bitcoin/treasury/JudgeBump.ts"
import { coinName } from "../../../src/domain/families/bitcoin/treasury/FreeCoins.ts"
import {
  feeIn,
  packageOf,
  readStoredForm,
  virtualBytesIn
} from "../../../src/domain/families/bitcoin/treasury/PaymentForm.ts"
import { replacementBounds } from "../../../src/domain/transfer/payment/ReplacePayment.ts"
import { account } from "../testing/LocalBitcoin.ts"
import { solver as solverKey, startPayingBitcoin } from "../testing/PayingBitcoin.ts"

type Local = Effect.Success<ReturnType<typeof startPayingBitcoin>>

const id = (n: number): `0x${string}` => `0x${n.toString(16).padStart(64, "0")}`

const onChain = (
  coins: number,
  body: (local: Local) => Effect.Effect<void, unknown, Gas | Payments | Treasury | Scope.Scope>,
  more = 0
) =>
() =>
  Effect.scoped(Effect.gen(function*() {
    const local = yield* startPayingBitcoin(coins, more)
    yield* Effect.provide(body(local), Layer.merge(local.ports, layerStore))
  }))

const paymentOf = ({ bitcoin, other }: Local, n: number, amount = 1_000_000n): FillPayment => ({
  _tag: "Fill",
  chain: bitcoin,
  currency: bitcoin.native,
  recipient: account(other.address),
  amount,
  orderId: OrderId.make(id(1_000 + n)),
  topup: 0n,
  authorizations: [],
  calls: undefined
})

/** Prepared, signed and stored. */
const sign = (local: Local, n: number, amount?: bigint) =>
  Effect.gen(function*() {
    const payment = paymentOf(local, n, amount)
    const prepared = yield* (yield* Treasury).prepare(payment)
    return yield* (yield* Payments).signOnce("fill", Hex32.make(id(n)), payment, prepared, n)
  })

const send = ({ bitcoin }: Local, payment: StoredPayment) =>
  Effect.flatMap(
    Treasury,
    ({ broadcast }) => broadcast(bitcoin, payment.variants.at(-1) ?? payment)
  )

const outcomeOf = ({ bitcoin }: Local, payment: StoredPayment) =>
  Effect.flatMap(Treasury, ({ outcome }) => outcome(bitcoin, payment.variants, "endpoint"))

const formOf = ({ raw }: { readonly raw: string }) => readStoredForm(raw) ?? assert.fail("not as it is stored")

/** By now the payment is stuck. */
const bounds = (factor: bigint) => ({ pricedOutMs: 0, stuckMs: 0, ceilingFactor: factor })

/** At a higher fee, if the treasury says so and the store signs it. */
const replace = ({ bitcoin }: Local, payment: StoredPayment, factor = 100n) =>
  Effect.gen(function*() {
    const by = (yield* Treasury).replacing(bitcoin) ?? assert.fail("nothing is replaced")
    const judged = yield* by.judge(bitcoin, { ...payment, since: 0 }, bounds(factor), Number.MAX_SAFE_INTEGER)
    if (judged._tag !== "Replace") return judged._tag
    return (yield* (yield* Payments).replace(payment, yield* judged.whole, 1)) ?? assert.fail("it is not stored")
  })

/** Somebody who has the key spends coins of the solver. */
const usurp = (local: Local, coins: ReadonlyArray<Local["spendable"][number]>) =>
  Effect.promise(() =>
    local.chain.submit(
      signedByKey({
        inputs: coins,
        outputs: [{ script: local.user.script, amount: coins.reduce((sum, { value }) => sum + value, 0n) - 200_000n }]
      }).toBuffer()
    )
  )

const received = ({ chain, other }: Local) =>
  Effect.sync(() => chain.ledger.coinsOf(other.address).reduce((sum, { value }) => sum + value, 0n))

describe("payments on Bitcoin", () => {
  it.live(
    "signed at once spend no coin twice, from change in short clusters when coins run out, and each is paid once",
    onChain(2, (local) =>
      Effect.gen(function*() {
        const paid = yield* Effect.forEach([1, 2, 3, 4, 5, 6, 7], (n) => sign(local, n), { concurrency: "unbounded" })
        const spent = paid.flatMap((each) => formOf(each).form.inputs.map(coinName))
        assert.strictEqual(new Set(spent).size, spent.length)
        assert.isTrue(paid.some((each) => formOf(each).ancestors.length > 0))
        assert.isTrue(paid.every((each) => formOf(each).ancestors.length < 5))
        for (const each of paid) {
          // With what it needs, it pays the rate.
          const { ancestors, form } = formOf(each)
          const { fee, virtualBytes } = packageOf([...ancestors, form])
          assert.isTrue(fee * 1_000n >= 2_000n * BigInt(virtualBytes))
          assert.isTrue(feeIn(form) * 1_000n >= 2_000n * BigInt(virtualBytesIn(form)))
        }
        // In any order: each brings what it needs.
        for (const each of paid.toReversed()) assert.strictEqual(yield* send(local, each), "accepted")
        assert.strictEqual((yield* outcomeOf(local, paid[0] ?? assert.fail()))._tag, "Pending")
        yield* local.mine()
        for (const each of paid) {
          const outcome = yield* outcomeOf(local, each)
          assert.deepInclude(outcome, { _tag: "Included", final: false, gasPaid: feeIn(formOf(each).form) })
          assert.strictEqual(yield* send(local, each), "accepted")
        }
        assert.strictEqual(yield* received(local), 7_000_000n)
        yield* local.mine(6)
        assert.deepInclude(yield* outcomeOf(local, paid[0] ?? assert.fail()), { _tag: "Included", final: true })
      }))
  )

  it.live(
    "are refused when no coin is free, and signed once a block has freed change",
    onChain(1, (local) =>
      Effect.gen(function*() {
        yield* send(local, yield* sign(local, 1, 5_000_000n))
        // The change is split, and one part of it alone may be spent while it waits.
        const refused = yield* Effect.flip(sign(local, 2, 4_000_000n))
        assert.deepInclude(refused, { _tag: "PaymentRefused", reason: "insufficient-funds" })
        yield* local.mine()
        yield* send(local, yield* sign(local, 2, 4_000_000n))
        yield* local.mine()
        assert.strictEqual(yield* received(local), 9_000_000n)
      }))
  )

  it.live(
    "are replaced by the same coins and outputs, up to the ceiling, and one of the forms is paid",
    onChain(1, (local) =>
      Effect.gen(function*() {
        const payment = yield* sign(local, 1)
        yield* send(local, payment)
        local.state.rate = FeeRate(20_000n)
        const replaced = yield* replace(local, payment)
        if (typeof replaced === "string") return assert.fail(replaced)
        assert.strictEqual(yield* send(local, replaced), "accepted")
        const [before, after] = [formOf(payment).form, formOf(replaced).form]
        assert.deepStrictEqual(after.inputs, before.inputs)
        assert.deepStrictEqual(after.outputs.slice(0, 2), before.outputs.slice(0, 2))
        assert.isTrue(feeIn(after) * 1_000n >= 20_000n * BigInt(virtualBytesIn(after)))
        assert.strictEqual(yield* send(local, payment), "underpriced")
        local.state.rate = FeeRate(200_000n)
        assert.strictEqual(yield* replace(local, replaced, 10n), "Exhausted")
        yield* local.mine()
        const outcome = yield* outcomeOf(local, replaced)
        assert.deepInclude(outcome, { _tag: "Included", transactionId: replaced.transactionId, gasPaid: feeIn(after) })
        assert.strictEqual(yield* received(local), 1_000_000n)
      }))
  )

  it.live(
    "that a node refuses for their form go to the next one, and count as refused while none takes them; only a fee is too low",
    onChain(1, (local) =>
      Effect.gen(function*() {
        const [first] = local.nodes
        const saying = (
          message: string
        ) => ({ kind: "error", methods: ["sendrawtransaction"], code: -26, message } as const)
        const payment = yield* sign(local, 1)
        yield* local.setFault(saying("scriptpubkey"))
        for (
          const words of [
            "scriptpubkey",
            "datacarrier",
            "dust",
            "mempool-script-verify-flag-failed (Signature must be zero for failed CHECK(MULTI)SIG operation)",
            "absurdly-high-fee"
          ]
        ) {
          yield* first?.setFault(saying(words)) ?? assert.fail("there is no other node")
          assert.deepInclude(yield* Effect.flip(send(local, payment)), { _tag: "ChainUnavailable", kind: "refused" })
        }
        for (
          const words of [
            "min relay fee not met, 110 < 141",
            "mempool min fee not met, 110 < 1410",
            "insufficient fee, rejecting replacement 00; new feerate 0.00001 BTC/kvB <= old feerate 0.00002 BTC/kvB",
            "insufficient feerate: does not improve feerate diagram",
            "too-long-mempool-chain, too many unconfirmed ancestors [limit: 25]",
            "too many potential replacements, rejecting replacement 00; too many (101 > 100)",
            "bad-txns-spends-conflicting-tx"
          ]
        ) {
          yield* first?.setFault(saying(words)) ?? assert.fail("there is no other node")
          assert.strictEqual(yield* send(local, payment), "underpriced", words)
        }
        yield* first?.setFault(saying("scriptpubkey")) ?? assert.fail("there is no other node")
        yield* local.setFault(undefined)
        assert.strictEqual(yield* send(local, payment), "accepted")
        yield* local.mine()
        assert.strictEqual((yield* outcomeOf(local, payment))._tag, "Included")
        assert.strictEqual(yield* received(local), 1_000_000n)
      }), 1)
  )

  it.live(
    "that their recipient spends while they wait are replaced all the same, unless that pays more; they are paid once",
    onChain(2, (local) =>
      Effect.gen(function*() {
        const spend = ({ transactionId }: StoredPayment, fee: bigint) =>
          local.send(
            [{ id: transactionId, index: 0, value: 1_000_000n, key: local.other }],
            [{ script: local.user.script, amount: 100_000n }],
            fee
          )
        const [evicting, outbid] = [yield* sign(local, 1), yield* sign(local, 2)]
        for (const each of [evicting, outbid]) yield* send(local, each)
        const [cheap, dear] = [yield* spend(evicting, 1_000n), yield* spend(outbid, 500_000n)]
        local.state.rate = FeeRate(20_000n)
        const [higher, lower] = [yield* replace(local, evicting), yield* replace(local, outbid)]
        if (typeof higher === "string") return assert.fail("not replaced")
        assert.strictEqual(yield* send(local, higher), "accepted")
        assert.deepStrictEqual([cheap, dear].map((each) => local.chain.isWaiting(each)), [false, true])
        // What the recipient pays lifts the payment. No replacement that nodes take is below the ceiling.
        assert.strictEqual(lower, "Exhausted")
        yield* local.mine()
        const { transactionId: newest } = higher.variants.at(-1) ?? assert.fail("no form")
        assert.deepInclude(yield* outcomeOf(local, higher), { _tag: "Included", transactionId: newest })
        assert.deepInclude(yield* outcomeOf(local, outbid), {
          _tag: "Included",
          transactionId: outbid.transactionId
        })
        // The one can be spent again; of the other the change is back.
        assert.strictEqual(yield* received(local), 1_000_000n + 400_000n)
      }))
  )

  it.live(
    "whose change another spends are not replaced: the child pays for both",
    onChain(1, (local) =>
      Effect.gen(function*() {
        const parent = yield* sign(local, 1)
        const child = yield* sign(local, 2)
        for (const each of [parent, child]) yield* send(local, each)
        local.state.rate = FeeRate(20_000n)
        const kept = yield* replace(local, parent)
        if (typeof kept === "string") return assert.fail(kept)
        assert.lengthOf(kept.variants, 1)
        const bumped = yield* replace(local, child)
        if (typeof bumped === "string") return assert.fail(bumped)
        assert.strictEqual(yield* send(local, bumped), "accepted")
        const { ancestors, form } = formOf(bumped)
        const { fee, virtualBytes } = packageOf([...ancestors, form])
        assert.isTrue(fee * 1_000n >= 20_000n * BigInt(virtualBytes))
        yield* local.mine()
        for (const each of [parent, bumped]) assert.strictEqual((yield* outcomeOf(local, each))._tag, "Included")
      }))
  )

  it.live(
    "that nodes refuse, for what their recipient pays, are replaced at the fee that nodes ask for, and a child that no pool has is dead",
    onChain(1, (local) =>
      Effect.gen(function*() {
        const first = yield* sign(local, 1)
        yield* send(local, first)
        local.state.rate = FeeRate(20_000n)
        const parent = yield* replace(local, first)
        if (typeof parent === "string") return assert.fail(parent)
        yield* local.send(
          [{ id: first.transactionId, index: 0, value: 1_000_000n, key: local.other }],
          [{ script: local.user.script, amount: 100_000n }],
          10_000n
        )
        assert.strictEqual(yield* send(local, parent), "underpriced")
        const child = yield* sign(local, 2)
        assert.strictEqual(formOf(child).ancestors[0]?.id, formOf(parent).form.id)
        assert.strictEqual(yield* send(local, child), "unfunded")
        // No fee of the child gets its parent into a pool.
        assert.strictEqual(yield* replace(local, child), "Wait")
        const raised = yield* replace(local, parent)
        if (typeof raised === "string") return assert.fail(raised)
        assert.strictEqual(yield* send(local, raised), "accepted")
        assert.isTrue(feeIn(formOf(raised).form) >= 10_000n + feeIn(formOf(first).form))
        yield* local.mine()
        assert.strictEqual((yield* outcomeOf(local, raised))._tag, "Included")
        assert.strictEqual((yield* outcomeOf(local, child))._tag, "Unseen")
        yield* local.mine(6)
        assert.strictEqual((yield* outcomeOf(local, child))._tag, "Expired")
      }))
  )

  it.live(
    "offer no more than the configured ceiling, for their parents' sake or when they are raised",
    onChain(1, (local) =>
      Effect.gen(function*() {
        local.state.ceiling = FeeRate(20_000n)
        const parent = yield* sign(local, 1)
        local.state.rate = FeeRate(20_000n)
        // At the ceiling it would pay nothing of what its parent lacks.
        assert.deepInclude(yield* Effect.flip(sign(local, 2)), { reason: "insufficient-funds" })
        local.state.rate = FeeRate(5_000n)
        const child = yield* sign(local, 2)
        const rateIn = ({ form }: ReturnType<typeof formOf>) =>
          rateOf({ fee: feeIn(form), virtualBytes: virtualBytesIn(form) })
        assert.isTrue(rateIn(formOf(child)) > 5_000n && rateIn(formOf(child)) <= 20_000n)
        for (const each of [parent, child]) yield* send(local, each)
        local.state.rate = FeeRate(19_000n)
        const bumped = yield* replace(local, child)
        if (typeof bumped === "string") return assert.fail(bumped)
        assert.isTrue(rateIn(formOf(bumped)) > 19_000n && rateIn(formOf(bumped)) <= 20_000n)
        assert.strictEqual(yield* replace(local, bumped), "Exhausted")
      }))
  )

  it.live(
    "are dead once a final block has spent their coin otherwise, and not before; then they are signed again and paid once",
    onChain(2, (local) =>
      Effect.gen(function*() {
        const payments = yield* Payments
        const payment = yield* sign(local, 1)
        const [coin] = formOf(payment).form.inputs
        const stolen = local.spendable.filter((each) => each.id === coin?.transactionId && each.index === coin.index)
        yield* usurp(local, stolen)
        assert.strictEqual((yield* outcomeOf(local, payment))._tag, "Unseen")
        yield* local.mine(6)
        assert.strictEqual((yield* outcomeOf(local, payment))._tag, "Unseen")
        assert.strictEqual(yield* send(local, payment), "unfunded")
        yield* local.mine()
        // What no explorer names is not proven.
        for (
          const fault of [
            { kind: "status", status: 503 },
            { kind: "lie", tell: () => ({ spent: true, txid: stolen[0]?.id }) }
          ] as const
        ) {
          yield* local.setExplorerFault(fault)
          assert.strictEqual((yield* outcomeOf(local, payment))._tag, "Unseen")
        }
        yield* local.setExplorerFault(undefined)
        assert.strictEqual((yield* outcomeOf(local, payment))._tag, "Superseded")
        yield* payments.setAside(payment)
        const again = yield* sign(local, 1)
        yield* send(local, again)
        yield* local.mine()
        assert.strictEqual((yield* outcomeOf(local, again))._tag, "Included")
        assert.strictEqual(yield* received(local), 1_000_000n)
      }))
  )

  it.live(
    "take no coin of a stranger whose makers are not all known before it is final",
    onChain(0, (local) =>
      Effect.gen(function*() {
        const { coin, mine, other, send: pay } = local
        const parts = 201
        const fan = yield* pay(
          [yield* coin(other)],
          Array.from({ length: parts }, () => ({ script: other.script, amount: 20_000n })),
          40_000n
        )
        const [first, ...rest] = Array.from({ length: parts }, (_, index) => ({
          id: fan,
          index,
          value: 20_000n,
          key: other
        }))
        if (first === undefined) return assert.fail("no parts")
        yield* pay([first, ...rest], [{ script: solverKey.script, amount: 3_000_000n }], 100_000n)
        yield* mine()
        assert.deepInclude(yield* Effect.flip(sign(local, 1)), { _tag: "PaymentRefused", reason: "insufficient-funds" })
        yield* mine(5)
        assert.deepInclude(yield* Effect.flip(sign(local, 1)), { _tag: "PaymentRefused", reason: "insufficient-funds" })
        yield* mine()
        const payment = yield* sign(local, 1)
        yield* send(local, payment)
        yield* mine()
        assert.strictEqual((yield* outcomeOf(local, payment))._tag, "Included")
      }))
  )

  it.live(
    "that need a form of their parent which a final block has replaced are dead",
    onChain(1, (local) =>
      Effect.gen(function*() {
        const parent = yield* sign(local, 1)
        local.state.rate = FeeRate(20_000n)
        const replaced = yield* replace(local, parent)
        if (typeof replaced === "string") return assert.fail(replaced)
        const child = yield* sign(local, 2)
        assert.strictEqual(formOf(child).ancestors[0]?.id, formOf(replaced).form.id)
        // A miner takes the older form.
        yield* send(local, parent)
        yield* local.mine(6)
        assert.deepInclude(yield* outcomeOf(local, replaced), {
          _tag: "Included",
          transactionId: parent.transactionId
        })
        assert.strictEqual((yield* outcomeOf(local, child))._tag, "Unseen")
        yield* local.mine()
        // No alarm: nobody else has the key.
        assert.strictEqual((yield* outcomeOf(local, child))._tag, "Expired")
        // A store that has forgotten the older form is told that its own is dead, and looks for what was paid.
        const { bitcoin } = local
        const newest = replaced.variants.at(-1) ?? assert.fail()
        const { outcome } = yield* Treasury
        assert.strictEqual((yield* outcome(bitcoin, [newest], "endpoint"))._tag, "Expired")
      }))
  )

  it.live(
    "that spend change in blocks are dead once a reorg has taken these back and another form of its maker is final",
    onChain(1, (local) =>
      Effect.gen(function*() {
        const payments = yield* Payments
        const parent = yield* sign(local, 1)
        local.state.rate = FeeRate(20_000n)
        const replaced = yield* replace(local, parent)
        if (typeof replaced === "string") return assert.fail(replaced)
        local.state.rate = FeeRate(2_000n)
        yield* send(local, parent)
        yield* local.mine()
        const child = yield* sign(local, 2)
        yield* send(local, child)
        yield* local.mine()
        const grandchild = yield* sign(local, 3)
        assert.deepStrictEqual([child, grandchild].map((each) => formOf(each).ancestors.length), [0, 0])
        assert.deepStrictEqual(
          formOf(grandchild).makers?.slice(0, 2).map(({ id }) => id),
          [formOf(child).form.id, formOf(parent).form.id]
        )
        // A replacement knows the same of its coins.
        local.state.rate = FeeRate(20_000n)
        const bumped = yield* replace(local, grandchild)
        if (typeof bumped === "string") return assert.fail(bumped)
        assert.deepStrictEqual(formOf(bumped).makers, formOf(grandchild).makers)
        yield* local.reorg(2, "dropped")
        yield* send(local, replaced)
        yield* local.mine(6)
        for (const each of [child, bumped]) assert.strictEqual((yield* outcomeOf(local, each))._tag, "Unseen")
        yield* local.mine()
        for (const each of [child, bumped]) assert.strictEqual((yield* outcomeOf(local, each))._tag, "Expired")
        yield* payments.setAside(child)
        yield* payments.setAside(bumped)
        for (const n of [2, 3]) {
          yield* send(local, yield* sign(local, n))
          yield* local.mine()
        }
        assert.strictEqual(yield* received(local), 3_000_000n)
      }))
  )

  it.live(
    "are not dead because one of three nodes has put what waits into a final block",
    onChain(
      1,
      (local) =>
        Effect.gen(function*() {
          const payment = yield* sign(local, 1)
          const thief = yield* usurp(local, local.spendable)
          const { blocks, tip } = local.chain.ledger
          const blockhash = blocks[tip.height - 6]?.hash
          const [liar] = local.nodes
          yield* (liar ?? assert.fail("no node")).setFault({
            kind: "lie",
            methods: ["gettxout", "getrawtransaction"],
            tell: (result, method) => {
              if (method === "gettxout") return null
              return typeof result === "object" && result !== null && "txid" in result && result.txid === thief
                ? { ...result, blockhash }
                : result
            }
          })
          assert.strictEqual((yield* outcomeOf(local, payment))._tag, "Unseen")
          yield* local.mine(7)
          assert.strictEqual((yield* outcomeOf(local, payment))._tag, "Superseded")
        }),
      2
    )
  )

  it.live(
    "that a reorg and every mempool forgot are broadcast again, with what they need",
    onChain(1, (local) =>
      Effect.gen(function*() {
        const [parent, child] = [yield* sign(local, 1), yield* sign(local, 2)]
        for (const each of [parent, child]) yield* send(local, each)
        yield* local.mine()
        yield* local.reorg(1, "dropped")
        for (const each of [parent, child]) assert.strictEqual((yield* outcomeOf(local, each))._tag, "Unseen")
        assert.strictEqual(yield* send(local, child), "accepted")
        yield* local.mine()
        for (const each of [parent, child]) assert.strictEqual((yield* outcomeOf(local, each))._tag, "Included")
        assert.strictEqual(yield* received(local), 2_000_000n)
      }))
  )

  it.live(
    "are made without an explorer, of coins that it named before and of change",
    onChain(2, (local) =>
      Effect.gen(function*() {
        yield* send(local, yield* sign(local, 1))
        yield* local.setExplorerFault({ kind: "status", status: 503 })
        yield* local.mine()
        const paid = yield* Effect.forEach([2, 3, 4], (n) => sign(local, n))
        for (const each of paid) assert.strictEqual(yield* send(local, each), "accepted")
        yield* local.mine()
        for (const each of paid) assert.strictEqual((yield* outcomeOf(local, each))._tag, "Included")
      }))
  )

  it.live(
    "that nodes would not relay, that are more than plain, or that pay the account itself, are refused; one whose signer fails holds no coin",
    onChain(1, (local) =>
      Effect.gen(function*() {
        const { prepare } = yield* Treasury
        const dust = yield* Effect.flip(prepare(paymentOf(local, 1, 293n)))
        assert.deepInclude(dust, { _tag: "PaymentRefused", reason: "reverts" })
        const topped = yield* Effect.flip(prepare({ ...paymentOf(local, 1), topup: 1n }))
        assert.deepInclude(topped, { _tag: "PaymentRefused", reason: "reverts" })
        const toItself = { ...paymentOf(local, 1), recipient: local.own }
        const same = { reason: "reverts", unfit: { _tag: "OwnAccount" } } as const
        assert.deepInclude(yield* Effect.flip(prepare(toItself)), same)
        assert.deepInclude(yield* Effect.flip((yield* Gas).ofPayment(toItself)), same)
        const all = yield* Effect.flip(sign(local, 1, 10_000_000n))
        assert.deepInclude(all, { _tag: "PaymentRefused", reason: "insufficient-funds" })
        local.state.isSigning = false
        assert.strictEqual((yield* Effect.flip(sign(local, 1)))._tag, "SignerUnavailable")
        local.state.isSigning = true
        assert.strictEqual((yield* sign(local, 1, 9_900_000n)).sequence, 0n)
      }))
  )

  it.live(
    "wait for as long as a chain's blocks take before they are replaced",
    onChain(1, (local) =>
      Effect.gen(function*() {
        const payment = yield* sign(local, 1)
        const by = (yield* Treasury).replacing(local.bitcoin) ?? assert.fail("nothing is replaced")
        const time = local.chain.ledger.tip.block.timestamp * 1_000
        const usual = replacementBounds(local.bitcoin.blockTimeMs, 10n)
        const at = (since: number) =>
          Effect.map(by.judge(local.bitcoin, { ...payment, since }, usual, Number.MAX_SAFE_INTEGER), ({ _tag }) => _tag)
        assert.strictEqual(yield* at(time - usual.stuckMs + 1), "Wait")
        assert.strictEqual(yield* at(time - usual.stuckMs), "Replace")
        local.state.rate = FeeRate(4_000n)
        assert.strictEqual(yield* at(time - usual.pricedOutMs + 1), "Wait")
        assert.strictEqual(yield* at(time - usual.pricedOutMs), "Replace")
      }))
  )
})
