/** Deposit addresses on a local Bitcoin chain: what they hold, and sweeps, with their claims in a store. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import type { Scope } from "effect"
import { AddressBalances } from "../../../ports/chain/AddressBalances.ts"
import { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { DepositWatcher } from "../../../ports/chain/DepositWatcher.ts"
import { Gas } from "../../../ports/chain/Gas.ts"
import type { SweepPayment } from "../../../ports/chain/PaymentKinds.ts"
import { SentTransactions } from "../../../ports/chain/SentTransactions.ts"
import { PaymentRefused, Treasury } from "../../../ports/chain/Treasury.ts"
import type { PreparedPayment } from "../../../ports/chain/Treasury.ts"
import { Payments } from "../../../ports/store/orders/Payments.ts"
import type { StoredPayment } from "../../../ports/store/orders/Payments.ts"
import { FamilyFixture } from "../../../property-tests/family/FamilyFixture.ts"
import { addressBalancesContract } from "../../../property-tests/family/Quoting.ts"
import { layer as layerStore } from "../../../property-tests/memory-store/index.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { FeeRate } from "../../../src/domain/families/bitcoin/spending/FeeRate.ts"
import { coinsIn, feeIn, readStoredForm } from "../../../src/domain/families/bitcoin/treasury/PaymentForm.ts"
import { MOST_SWEPT } from "../../../src/domain/families/bitcoin/addresses/SweptCoins.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { replacementBounds } from "../../../src/domain/transfer/payment/ReplacePayment.ts"
import { account, FINAL_AFTER } from "../testing/LocalBitcoin.ts"
import { depositKey, solver, startPayingBitcoin } from "../testing/PayingBitcoin.ts"

type Local = Effect.Success<ReturnType<typeof startPayingBitcoin>>
type Ports = Payments | Layer.Success<Local["ports"]>

const onChain = (coins: number, body: (local: Local) => Effect.Effect<void, unknown, Ports | Scope.Scope>) => () =>
  Effect.scoped(Effect.gen(function*() {
    const local = yield* startPayingBitcoin(coins)
    yield* Effect.provide(body(local), Layer.merge(local.ports, layerStore))
  }))

const id = (n: number): `0x${string}` => `0x${n.toString(16).padStart(64, "0")}`

const place = { generation: 7, number: 9 }
const key = depositKey(place)
const address = account(key.address)

/** Outputs to the address, in one transaction of a stranger, which is in a block. */
const pay = Effect.fnUntraced(function*({ coin, mine, other, send }: Local, ...amounts: ReadonlyArray<bigint>) {
  const outputs = amounts.map((amount) => ({ script: key.script, amount }))
  const made = yield* send([yield* coin(other)], outputs, 2_000n + 100n * BigInt(amounts.length))
  yield* mine()
  return made
})

const sweepOf = ({ bitcoin, other }: Local, n: number): SweepPayment => ({
  _tag: "Sweep",
  chain: bitcoin,
  currency: bitcoin.native,
  recipient: address,
  amount: 0n,
  orderId: OrderId.make(id(n)),
  sweep: {
    address,
    key: place,
    orderId: OrderId.make(id(1_000)),
    depositor: account(other.address),
    depositId: OrderId.make(id(1_000 + n)),
    currency: bitcoin.native.address
  }
})

/**
 * A node in the test's process takes seconds to verify a hundred signatures while the machine is busy, and is then too
 * late for its reader. The service would ask again, and so does the test.
 */
const untilInTime = <A, E, R>(asked: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.retry(asked, { while: (error) => error instanceof ChainUnavailable && error.kind === "timeout" })

/** Prepared, signed and stored. */
const sign = (local: Local, n: number) =>
  Effect.gen(function*() {
    const payment = sweepOf(local, n)
    const prepared = yield* untilInTime((yield* Treasury).prepare(payment))
    return yield* (yield* Payments).signOnce("sweep", Hex32.make(id(n)), payment, prepared, n)
  })

const send = ({ bitcoin }: Local, payment: StoredPayment) =>
  Effect.flatMap(Treasury, ({ broadcast }) => untilInTime(broadcast(bitcoin, payment.variants.at(-1) ?? payment)))

const outcome = ({ bitcoin }: Local, payment: StoredPayment) =>
  Effect.flatMap(Treasury, (treasury) => untilInTime(treasury.outcome(bitcoin, payment.variants, "quorum")))

const formOf = ({ raw }: { readonly raw: string }) => readStoredForm(raw)?.form ?? assert.fail("unread")

const held = ({ bitcoin }: Local) =>
  Effect.gen(function*() {
    const [reading] = yield* untilInTime((yield* AddressBalances).read(bitcoin, address, [bitcoin.native]))
    return reading?._tag === "Read" ? reading.units : assert.fail("unread")
  })

/** What so many inputs cost at a rate, in satoshi for a thousand virtual bytes. */
const inputsFee = (inputs: number, rate = 2_000n): bigint => BigInt(inputs) * 68n * rate / 1_000n

const heldBy = ({ chain }: Local, of: string): bigint =>
  chain.ledger.coinsOf(of).reduce((sum, { value }) => sum + value, 0n)

const reasonOf = <E, R>(refused: Effect.Effect<unknown, E, R>) =>
  Effect.map(Effect.flip(refused), (error) => (error as { readonly reason?: string }).reason)

describe("AddressBalances of a Bitcoin chain", () => {
  for (const { check, name } of addressBalancesContract) {
    it.live(name, () =>
      Effect.scoped(Effect.gen(function*() {
        const local = yield* startPayingBitcoin(1)
        yield* pay(local, 70_000n, 30_000n)
        yield* local.mine(FINAL_AFTER)
        const none = Effect.die(new Error("no contract of balances asks for it"))
        const fixture = FamilyFixture.of({
          chain: local.bitcoin,
          token: local.bitcoin.native,
          user: address,
          stranger: account(depositKey({ generation: 7, number: 10 }).address),
          refusing: undefined,
          balance: (of) => Effect.sync(() => heldBy(local, of)),
          deposit: () => none,
          carryOut: () => none,
          mine: local.mine(),
          finalise: local.mine(FINAL_AFTER),
          takeBack: local.reorg(1, "dropped")
        })
        yield* Effect.provide(check, Layer.merge(Layer.succeed(FamilyFixture, fixture), local.ports))
      })))
  }

  it.live(
    "counts an output once it is final, and never one that a reorg took back",
    onChain(1, (local) =>
      Effect.gen(function*() {
        yield* pay(local, 70_000n)
        yield* local.mine(FINAL_AFTER - 1)
        assert.strictEqual(yield* held(local), 0n)
        yield* local.reorg(FINAL_AFTER, "dropped")
        yield* local.mine(2 * FINAL_AFTER)
        assert.strictEqual(yield* held(local), 0n)
        yield* pay(local, 40_000n)
        yield* local.mine(FINAL_AFTER)
        assert.strictEqual(yield* held(local), 40_000n)
      }))
  )
})

describe("a deposit address that is watched on a Bitcoin chain", () => {
  const watched = ({ bitcoin }: Local) =>
    Effect.gen(function*() {
      const [reading] = yield* (yield* AddressBalances).read(bitcoin, address, [bitcoin.native], "watched")
      return reading?._tag === "Read" ? reading.units : assert.fail("unread")
    })

  it.live(
    "is listed once: all that comes later is found in blocks, also while the explorer is dead, and is swept",
    onChain(2, (local) =>
      Effect.gen(function*() {
        yield* pay(local, 20_000n)
        yield* local.mine(FINAL_AFTER)
        assert.strictEqual(yield* watched(local), 20_000n)
        // The solver's coins are known.
        yield* sign(local, 1).pipe(Effect.flatMap((payment) => send(local, payment)))
        yield* local.setExplorerFault({ kind: "status", status: 503 })
        yield* local.mine(FINAL_AFTER)
        yield* pay(local, 70_000n, 30_000n)
        assert.strictEqual(yield* watched(local), 0n)
        yield* local.mine(3 * FINAL_AFTER)
        assert.strictEqual(yield* watched(local), 100_000n)
        const payment = yield* sign(local, 2)
        assert.strictEqual(formOf(payment).outputs[0]?.amount, 100_000n - inputsFee(1))
        assert.strictEqual(yield* send(local, payment), "accepted")
        assert.strictEqual(yield* watched(local), 0n)
      }))
  )

  it.live(
    "is asked for by a reindex, which finds and sweeps what the explorer hid from the watcher",
    onChain(1, (local) =>
      Effect.gen(function*() {
        yield* pay(local, 20_000n)
        yield* local.mine(FINAL_AFTER)
        yield* local.setExplorerFault({ kind: "lie", methods: ["/address"], tell: () => [] })
        assert.strictEqual(yield* watched(local), 0n)
        yield* local.setExplorerFault(undefined)
        assert.strictEqual(yield* watched(local), 0n)
        assert.strictEqual(yield* held(local), 20_000n)
        assert.strictEqual(formOf(yield* sign(local, 1)).outputs[0]?.amount, 20_000n)
      }))
  )

  it.live(
    "is read without the transactions that paid it, which may be of a megabyte each",
    onChain(1, (local) =>
      Effect.gen(function*() {
        yield* pay(local, 20_000n, 30_000n)
        yield* local.mine(FINAL_AFTER)
        yield* local.setFault({ kind: "status", status: 503, methods: ["getrawtransaction"] })
        assert.deepStrictEqual([yield* watched(local), yield* held(local)], [50_000n, 50_000n])
      }))
  )

  it.live(
    "is never read as empty while nothing has listed it",
    onChain(1, (local) =>
      Effect.gen(function*() {
        yield* pay(local, 20_000n)
        yield* local.mine(FINAL_AFTER)
        yield* local.setExplorerFault({ kind: "status", status: 503 })
        const failed = yield* Effect.flip(watched(local))
        assert.strictEqual((failed as { readonly _tag?: string })._tag, "ChainUnavailable")
      }))
  )
})

describe("a sweep on a Bitcoin chain", () => {
  it.live(
    "deposits all final outputs of the address, whatever their transactions, less the inputs of all but the largest; the solver pays what was quoted",
    onChain(2, (local) =>
      Effect.gen(function*() {
        yield* pay(local, 70_000n, 30_000n)
        yield* pay(local, 11_111n)
        yield* local.mine(FINAL_AFTER)
        const before = heldBy(local, solver.address)
        const expected = yield* (yield* Gas).ofSweep(local.bitcoin, local.bitcoin.native)
        const payment = yield* sign(local, 1)
        assert.strictEqual(yield* send(local, payment), "accepted")
        assert.strictEqual(yield* held(local), 0n, "what waits to be swept is no balance")
        yield* local.mine()
        const found = yield* outcome(local, payment)
        const [deposit, ...more] = (yield* (yield* DepositWatcher).look(local.bitcoin, payment.transactionId)) ?? []
        assert.lengthOf(more, 0)
        assert.deepInclude(deposit, {
          amount: 111_111n - inputsFee(2),
          depositId: OrderId.make(id(1_001)),
          depositor: address,
          sender: address
        })
        const gasPaid = found._tag === "Included" ? found.gasPaid : assert.fail(found._tag)
        assert.strictEqual(before - heldBy(local, solver.address), gasPaid)
        // The pool is split where it has few coins: each part costs its output.
        assert.isTrue(gasPaid >= expected - 1n && gasPaid < expected + 4n * 40n, `${gasPaid} of ${expected}`)
        assert.strictEqual(heldBy(local, address), 0n)
        const sent = yield* (yield* SentTransactions).find(local.bitcoin, payment.transactionId)
        assert.deepInclude(sent, { payment: undefined, movesNothing: true, gasPaid })
      }))
  )

  it.live(
    "leaves small outputs of strangers that cost too much, and never counts an address as empty that has some",
    onChain(2, (local) =>
      Effect.gen(function*() {
        yield* pay(local, 5_000_000n, 2_000n, 2_000n, ...Array.from({ length: 20 }, () => 300n))
        // An input then costs 204 satoshi: 300 are less than twice that.
        local.state.rate = FeeRate(3_000n)
        yield* local.mine(FINAL_AFTER)
        assert.strictEqual(yield* held(local), 5_004_000n)
        const payment = yield* sign(local, 1)
        assert.strictEqual(formOf(payment).outputs[0]?.amount, 5_004_000n - inputsFee(2, 3_000n))
        yield* send(local, payment)
        yield* local.mine()
        assert.strictEqual((yield* outcome(local, payment))._tag, "Included")
        assert.strictEqual(heldBy(local, address), 20n * 300n)
        assert.strictEqual(yield* held(local), 300n)
      }))
  )

  it.live(
    "is bounded, however many outputs a stranger sends",
    onChain(2, (local) =>
      Effect.gen(function*() {
        yield* pay(local, 5_000_000n, ...Array.from({ length: 130 }, () => 2_000n))
        yield* local.mine(FINAL_AFTER)
        const expected = 5_000_000n + BigInt(MOST_SWEPT - 1) * 2_000n
        assert.strictEqual(yield* held(local), expected)
        const form = formOf(yield* sign(local, 1))
        assert.lengthOf(form.inputs.filter((_, at) => form.keys?.[at] !== undefined), MOST_SWEPT)
        assert.strictEqual(form.outputs[0]?.amount, expected - inputsFee(MOST_SWEPT - 1))
      }))
  )

  it.live(
    "of a hundred outputs costs the solver what a fill or a refund is charged for one, however dear the rate, as often as it is repeated",
    onChain(2, (local) =>
      Effect.gen(function*() {
        local.state.rate = FeeRate(50_000n)
        for (const n of [1, 2]) {
          yield* pay(local, ...Array.from({ length: MOST_SWEPT }, () => 7_000n))
          yield* local.mine(FINAL_AFTER)
          const before = heldBy(local, solver.address)
          const charged = yield* (yield* Gas).ofSweep(local.bitcoin, local.bitcoin.native)
          const payment = yield* sign(local, n)
          const form = formOf(payment)
          assert.lengthOf(form.inputs.filter((_, at) => form.keys?.[at] !== undefined), MOST_SWEPT)
          assert.strictEqual(form.outputs[0]?.amount, 700_000n - inputsFee(MOST_SWEPT - 1, 50_000n))
          assert.strictEqual(yield* send(local, payment), "accepted")
          yield* local.mine()
          const found = yield* outcome(local, payment)
          const gasPaid = found._tag === "Included" ? found.gasPaid : assert.fail(found._tag)
          assert.strictEqual(before - heldBy(local, solver.address), gasPaid)
          // With one more input of the solver, or two more parts of its change.
          assert.isTrue(gasPaid <= charged + 50n * (68n + 2n * 31n), `${gasPaid} of ${charged}`)
        }
      }))
  )

  it.live(
    "leaves an output that arrives after it was signed to the next one",
    onChain(2, (local) =>
      Effect.gen(function*() {
        yield* pay(local, 70_000n)
        yield* local.mine(FINAL_AFTER)
        const payment = yield* sign(local, 1)
        yield* pay(local, 50_000n)
        yield* send(local, payment)
        yield* local.mine(FINAL_AFTER)
        assert.strictEqual((yield* outcome(local, payment))._tag, "Included")
        assert.strictEqual(formOf(payment).outputs[0]?.amount, 70_000n)
        assert.strictEqual(yield* held(local), 50_000n)
        assert.strictEqual(formOf(yield* sign(local, 2)).outputs[0]?.amount, 50_000n)
      }))
  )

  it.live(
    "is replaced by the same coins and the same deposit at a higher fee, which both keys sign again",
    onChain(1, (local) =>
      Effect.gen(function*() {
        yield* pay(local, 70_000n, 30_000n)
        yield* local.mine(FINAL_AFTER)
        const [treasury, payments] = [yield* Treasury, yield* Payments]
        const payment = yield* sign(local, 1)
        yield* send(local, payment)
        local.state.rate = FeeRate(9_000n)
        const by = treasury.replacing(local.bitcoin) ?? assert.fail("never replaced")
        const later = Date.now() + 86_400_000
        const pending = { sequence: payment.sequence, variants: payment.variants, since: 0 }
        const judged = yield* by.judge(local.bitcoin, pending, replacementBounds(1_000, 50n), later)
        const replacement = judged._tag === "Replace" ? yield* judged.whole : assert.fail(judged._tag)
        const stored = (yield* payments.replace(payment, replacement, later)) ?? assert.fail("not stored")
        const [before, after] = [formOf(payment), formOf(stored.variants.at(-1) ?? assert.fail("none"))]
        const named = (form: typeof before) => coinsIn(form)
        assert.deepStrictEqual(named(after), named(before))
        assert.deepStrictEqual(after.outputs.slice(0, 2), before.outputs.slice(0, 2))
        assert.isAbove(Number(feeIn(after)), Number(feeIn(before)))
        assert.strictEqual(yield* send(local, stored), "accepted")
        yield* local.mine()
        const landed = yield* outcome(local, stored)
        assert.strictEqual(landed._tag === "Included" ? String(landed.transactionId) : landed._tag, after.id)
        assert.strictEqual(heldBy(local, address), 0n)
      }))
  )

  it.live(
    "is the same one after a reorg: its coins are its own meanwhile, and no other sweep takes them",
    onChain(3, (local) =>
      Effect.gen(function*() {
        yield* pay(local, 70_000n)
        yield* local.mine(FINAL_AFTER)
        const payment = yield* sign(local, 1)
        yield* send(local, payment)
        yield* local.mine(2)
        yield* local.reorg(2, "dropped")
        assert.strictEqual((yield* outcome(local, payment))._tag, "Unseen")
        // The chain shows the money at the address again.
        assert.strictEqual(yield* held(local), 70_000n)
        assert.strictEqual(yield* reasonOf(sign(local, 2)), "reverts")
        assert.strictEqual(yield* send(local, payment), "accepted")
        yield* local.mine()
        assert.strictEqual((yield* outcome(local, payment))._tag, "Included")
        assert.strictEqual(heldBy(local, local.depository.address), 70_000n)
      }))
  )

  it.live(
    "is one, where two workers sign for the same outputs at the same moment; the other takes only what came since",
    onChain(4, (local) =>
      Effect.gen(function*() {
        const [treasury, payments] = [yield* Treasury, yield* Payments]
        yield* pay(local, 70_000n, 30_000n)
        yield* local.mine(FINAL_AFTER)
        const swept = [sweepOf(local, 1), sweepOf(local, 2), sweepOf(local, 3)] as const
        const signed = (payment: SweepPayment, prepared: PreparedPayment, n: number) =>
          payments.signOnce("sweep", Hex32.make(id(n)), payment, prepared, n)
        // All have read the same balance before any of them signs.
        const ready = yield* Effect.forEach(swept, treasury.prepare, { concurrency: "unbounded" })
        const tried = yield* Effect.forEach(
          swept,
          (payment, at) => Effect.result(signed(payment, ready[at] ?? assert.fail(), at + 1)),
          { concurrency: "unbounded" }
        )
        const [one, ...more] = tried.flatMap((each) => Result.isSuccess(each) ? [each.success] : [])
        assert.lengthOf(more, 0)
        assert.deepStrictEqual(
          tried.flatMap((each) => Result.isFailure(each) ? [each.failure] : []),
          [new PaymentRefused({ reason: "reverts" }), new PaymentRefused({ reason: "reverts" })]
        )
        assert.strictEqual(formOf(one ?? assert.fail()).outputs[0]?.amount, 100_000n - inputsFee(1))
        // Two who have read what came since, while the first sweep has not been sent.
        yield* pay(local, 50_000n)
        yield* local.mine(FINAL_AFTER)
        const again = [sweepOf(local, 4), sweepOf(local, 5)] as const
        const both = yield* Effect.forEach(again, treasury.prepare, { concurrency: "unbounded" })
        const later = yield* Effect.forEach(
          again,
          (payment, at) => Effect.result(signed(payment, both[at] ?? assert.fail(), at + 4)),
          { concurrency: "unbounded" }
        )
        const amounts = later.flatMap((each) => Result.isSuccess(each) ? [formOf(each.success).outputs[0]?.amount] : [])
        assert.deepStrictEqual(amounts, [50_000n])
      }))
  )

  it.live(
    "waits for the solver's coins, and says that nothing lies there when nothing does",
    onChain(0, (local) =>
      Effect.gen(function*() {
        assert.strictEqual(yield* reasonOf(sign(local, 1)), "reverts")
        yield* pay(local, 70_000n)
        yield* local.mine(FINAL_AFTER)
        assert.strictEqual(yield* reasonOf(sign(local, 1)), "insufficient-funds")
        yield* local.coin(solver)
        yield* local.mine()
        assert.strictEqual(yield* send(local, yield* sign(local, 1)), "accepted")
      }))
  )

  it.live(
    "costs what its coins cost at the rate, so that one that is not worth it waits",
    onChain(1, (local) =>
      Effect.gen(function*() {
        const gas = yield* Gas
        yield* pay(local, ...Array.from({ length: 20 }, () => 100_000n))
        yield* local.mine(FINAL_AFTER)
        const low = yield* gas.ofPayment(sweepOf(local, 1))
        local.state.rate = FeeRate(200_000n)
        const high = yield* gas.ofPayment(sweepOf(local, 1))
        assert.isTrue(low > 20n * 68n * 2n && high > 20n * 68n * 200n, `${low}, ${high}`)
        assert.strictEqual(yield* held(local), 2_000_000n)
      }))
  )

  it.live(
    "is never signed with another key than the address's",
    onChain(1, (local) =>
      Effect.gen(function*() {
        yield* pay(local, 70_000n)
        yield* local.mine(FINAL_AFTER)
        const payment = sweepOf(local, 1)
        const wrong = { ...payment, sweep: { ...payment.sweep, key: { generation: 7, number: 8 } } }
        const treasury = yield* Treasury
        const died = yield* Effect.exit(treasury.prepare(wrong))
        assert.include(String(died), "does not follow from the seed")
        assert.include(
          String(yield* Effect.exit(treasury.prepare({ ...payment, sweep: { ...payment.sweep, key: undefined } }))),
          "without the seed"
        )
      }))
  )
})
