/**
 * When a refund is signed, and under what cap: as its order allows, and as time goes by while there is no money for it.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Metric, Result, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Bookings } from "../../../../ports/store/ledger/Bookings.ts"
import { CallLosses } from "../../../../ports/store/ledger/CallLosses.ts"
import { Chains } from "../../../../ports/chain/Chains.ts"
import { ChainUnavailable } from "../../../../ports/chain/ChainUnavailable.ts"
import { DepositWatcher } from "../../../../ports/chain/DepositWatcher.ts"
import { Deposits } from "../../../../ports/store/orders/Deposits.ts"
import { Gas } from "../../../../ports/chain/Gas.ts"
import { Pauses } from "../../../../ports/store/operations/Pauses.ts"
import { Payments } from "../../../../ports/store/orders/Payments.ts"
import { TransferHistory } from "../../../../ports/store/orders/TransferHistory.ts"
import type { RecordedPayment } from "../../../../ports/store/orders/TransferHistory.ts"
import type { StoredPayment } from "../../../../ports/store/orders/Payments.ts"
import { PermitSubmissions } from "../../../../ports/store/orders/PermitSubmissions.ts"
import { Prices } from "../../../../ports/market/Prices.ts"
import { Transfers } from "../../../../ports/store/orders/Transfers.ts"
import { PaymentRefused, Treasury } from "../../../../ports/chain/Treasury.ts"
import type { PaymentOutcome } from "../../../../ports/chain/Treasury.ts"
import { UnattestedRefunds } from "../../../../ports/store/ledger/UnattestedRefunds.ts"
import { Address, CurrencyAddress } from "../../../domain/chain/Address.ts"
import { TransactionId } from "../../../domain/chain/TransactionId.ts"
import { Hex, Hex32 } from "../../../domain/encoding/Hex.ts"
import { Order, OrderId } from "../../../domain/order/Order.ts"
import { encodeRouterCall } from "../../../domain/order/RouterCall.ts"
import { transferOf } from "../../../domain/permit/testing/PermitTransfers.ts"
import { alpha, evmAddress, priced } from "../../../domain/quote/testing/Chains.ts"
import { answer, now } from "../../../domain/quote/testing/SignedQuotes.ts"
import type { Deposit } from "../../../domain/transfer/deposit/Deposit.ts"
import type { RefundBounds } from "../../../domain/transfer/refund/RefundBounds.ts"
import type { Transfer } from "../../../domain/transfer/Transfer.ts"
import { REFUND_MARGIN_SECONDS } from "../../../domain/hub/settling/SettledRefund.ts"
import { polledFollowers } from "../../following/testing/PolledFollowers.ts"
import { defaultPolicy, Policy } from "../../operations/Policy.ts"
import { guardRefund } from "./GuardRefund.ts"
import { standingBy } from "../../payments/testing/Standing.ts"
import { payRefund } from "./PayRefund.ts"

const [user, refundTo, stranger] = [evmAddress("11"), evmAddress("22"), evmAddress("33")]
const AMOUNT = 10n ** 18n
/** What a refund costs. */
const GAS = 7n
/** What sweeping a deposit address costs. */
const SWEEP = 3n
const DAY = 86_400

const Answer = Schema.Struct({ protocol: Schema.Struct({ v2: Schema.Struct({ orderId: OrderId, orderData: Order }) }) })
const { orderData: order, orderId } = Schema.decodeUnknownSync(Answer)(answer({
  user,
  refundTo,
  originChainId: 1,
  destinationChainId: 2,
  originCurrency: alpha.native.address,
  destinationCurrency: CurrencyAddress.make(`0x${"0".repeat(40)}`),
  amount: AMOUNT.toString(),
  tradeType: "EXACT_INPUT",
  includeProtocolData: true
})).protocol.v2

const UNITS = 30_000n

const { permit: _, ...terms } = transferOf({
  user,
  refundTo,
  originChainId: alpha.id,
  originCurrency: alpha.native.address
}).terms
const transfer: Transfer = { ...transferOf({}, { orderId, order }), terms }
const onchainId = Hex32.make(`0x${"1".repeat(64)}`)
const transactionId = TransactionId.make(`0x${"2".repeat(64)}`)

/** A payment for the deposit. */
const storedOf = (
  changes: Partial<StoredPayment> & Pick<StoredPayment, "leg" | "state">
): StoredPayment => ({
  deposit: onchainId,
  orderId,
  chainId: alpha.id,
  account: user,
  sequence: 0n,
  currency: alpha.native.address,
  amount: AMOUNT,
  transactionId,
  raw: "0x",
  variants: [{ transactionId, raw: "0x", signedAt: 0 }],
  ...changes
})

interface World {
  /** What opening the refund's account takes, and what it takes once its owner has closed it, when it is signed first. */
  rent: bigint
  rentOnceClosed?: bigint | undefined
  least: bigint
  /** Gas that its recipient's code takes when it is signed, of what it took when it was priced. */
  takes: bigint
  /** Whether the treasury has money. */
  funded: boolean
  /** Ends the process once, around what signs and stores. */
  killed?: "before" | "after" | undefined
  /** Whether the deposit is no longer on its chain. */
  gone: boolean
  /** Whether the cap has room. */
  room: boolean
  readonly reserved: Array<bigint>
  /** What reverted calls have cost the solver, micro-dollars. */
  readonly lost: Array<bigint>
  readonly looks: Array<string>
  /** Deposits that were recorded. */
  readonly noted: Array<string>
  paid: Array<StoredPayment>
  /** A deposit of the order that a refund was signed for before, and what its chain shows of it. */
  former?: { readonly deposit: Deposit; readonly refund: StoredPayment; readonly standing: "final" | "gone" }
  /** A refund of the order whose deposit a restored store does not know. */
  forgotten?: StoredPayment & { readonly recipient: Address }
  /** The order's fill, where there is one. */
  fill?: StoredPayment
  outcome: PaymentOutcome
  /** What the operator's submissions of the order's permit have cost, one look after the other. */
  readonly submitted: Array<bigint | "unknown" | undefined>
}

const included: PaymentOutcome = {
  _tag: "Included",
  transactionId: "0x2" as never,
  block: { height: 1n, hash: "0x", time: now },
  succeeded: true,
  gasPaid: 1n,
  final: true
}

const makeWorld = (): World => ({
  funded: true,
  gone: false,
  room: true,
  reserved: [],
  lost: [],
  looks: [],
  noted: [],
  paid: [],
  outcome: included,
  submitted: [],
  rent: 0n,
  least: 0n,
  takes: UNITS
})

const ports = (world: World) => {
  const find: Payments["Service"]["find"] = (_, leg) =>
    Effect.sync(() => leg === "fill" && world.fill !== undefined ? world.fill : world.paid.at(-1))
  return Layer.mergeAll(
    Layer.mock(Payments, {
      find,
      standing: standingBy(find),
      refuseHeld: () => Effect.void,
      signOnce: (leg, deposit, payment) =>
        Effect.sync(() => {
          const { killed } = world
          world.killed = undefined
          if (killed === "before") throw new Error("killed")
          const stored = storedOf({ leg, deposit, amount: payment.amount, state: "signed" })
          world.paid.push(stored)
          if (killed === "after") throw new Error("killed")
          return stored
        }),
      unfinishedRefunds: () =>
        Effect.sync(() => [world.forgotten, world.former?.refund].filter((each) => each !== undefined)),
      handOver: (payment, deposit) =>
        Effect.sync(() => {
          world.paid.push({ ...payment, leg: `refund:${deposit}`, deposit })
          return true
        }),
      recordSent: () => Effect.void,
      recordOutcome: () => Effect.succeed(true),
      setAside: () =>
        Effect.sync(() => {
          world.paid = []
        })
    }),
    Layer.mock(Deposits, {
      find: () =>
        Effect.sync(() => world.former === undefined ? undefined : { deposit: world.former.deposit, sighting: 1 }),
      note: (found) =>
        Effect.sync(() => {
          world.noted.push(...found.map(({ deposit }) => deposit.onchainId))
          return []
        })
    }),
    Layer.mock(TransferHistory, {
      goneDeposits: () => Effect.sync(() => world.former === undefined ? [] : [world.former.deposit]),
      paymentsOf: () =>
        Effect.sync(() => {
          const { forgotten } = world
          return forgotten === undefined
            ? []
            : [{ ...forgotten, onchainId: forgotten.deposit, block: null, gasPaid: null } satisfies RecordedPayment]
        })
    }),
    Layer.mock(Treasury, {
      prepare: () =>
        world.funded
          ? Effect.sync(() => {
            world.rent = world.rentOnceClosed ?? world.rent
            return { rent: world.rent, codeUnits: world.takes } as never
          })
          : Effect.fail(new PaymentRefused({ reason: "insufficient-funds" })),
      broadcast: () => Effect.succeed("accepted" as const),
      outcome: () => Effect.sync(() => world.outcome),
      replacing: () => undefined
    }),
    Layer.succeed(Chains, { all: [alpha] }),
    Layer.mock(Pauses, { all: Effect.succeed([]), recent: Effect.succeed([]) }),
    Layer.mock(Gas, {
      ofPayment: () => Effect.succeed(GAS),
      opening: () => Effect.succeed({ rent: world.rent, least: world.least }),
      unitsOf: () => Effect.succeed(UNITS),
      ofSweep: () => Effect.succeed(SWEEP)
    }),
    Layer.mock(Prices, { priceOf: (currency) => Effect.succeed(priced(currency, "2000")) }),
    Layer.mock(PermitSubmissions, { gasPaid: () => Effect.sync(() => world.submitted.shift()) }),
    Layer.mock(Bookings, { value: () => Effect.void }),
    Layer.mock(Transfers, { move: () => Effect.succeed(false) }),
    Layer.mock(DepositWatcher, {
      standing: (_, deposit) =>
        Effect.sync(() =>
          (deposit.onchainId === onchainId ? world.gone : world.former?.standing === "gone")
            ? { _tag: "Gone" }
            : { _tag: "Included", block: deposit.block, confirmations: 1, final: true, deposits: [deposit] }
        ),
      look: (_, transactionId) =>
        Effect.sync(() => {
          world.looks.push(transactionId)
          return [{ currency: CurrencyAddress.make(evmAddress("99")) } as Deposit]
        })
    }),
    Layer.mock(UnattestedRefunds, {
      totals: Effect.succeed([]),
      reserve: ({ usdMicros }) =>
        Effect.sync(() => {
          if (world.room) world.reserved.push(usdMicros)
          return world.room
        })
    }),
    Layer.mock(CallLosses, { settle: ({ usdMicros }) => Effect.sync(() => world.lost.push(usdMicros)) }),
    polledFollowers,
    Layer.succeed(Policy, defaultPolicy)
  )
}

const claimantOf = (changes: Partial<Deposit>, mintable: boolean | "not stored") => {
  const deposit = {
    onchainId,
    chainId: alpha.id,
    transactionId: "0x3",
    depositor: user,
    sender: user,
    currency: alpha.native.address,
    amount: AMOUNT,
    block: { height: 1n, hash: "0x", time: now },
    ...changes
  } as Deposit
  return { deposit, sighting: 1, mintable: mintable === "not stored" ? undefined : mintable }
}

const refund = (
  world: World,
  changes: Partial<Deposit> = {},
  mintable: boolean | "not stored" = true,
  of: Transfer = transfer
) => payRefund(alpha, of, claimantOf(changes, mintable), "SLIPPAGE").pipe(Effect.provide(ports(world)))

const guard = (world: World, changes: Partial<Deposit> = {}, mintable = true) =>
  guardRefund(alpha, transfer, claimantOf(changes, mintable), "SLIPPAGE").pipe(Effect.provide(ports(world)))

const atStart = TestClock.setTime(now * 1000)
/** How often somebody was told that another one used a sequence. */
const lostSequences = Effect.map(
  Metric.snapshot,
  (all) =>
    all.reduce(
      (sum, { attributes, id, state }) =>
        id === "alarms_total" && attributes?.["what"] === "sequence-used-by-another" && "count" in state
          ? sum + Number(state.count)
          : sum,
      0
    )
)

/** Two thousand dollars: all of the deposit. */
const LOST = 2_000_000_000n

describe("a refund", () => {
  it.effect("that oracles attest needs no cap: neither to the user, nor to the depositor of a stranger's deposit", () =>
    Effect.gen(function*() {
      yield* atStart
      for (
        const changes of [{}, { sender: stranger, depositor: stranger }, {
          sender: stranger,
          depositor: Address.make(evmAddress("44"))
        }]
      ) {
        const world = { ...makeWorld(), room: false }
        assert.deepStrictEqual(yield* refund(world, changes), { outcome: "refunded", why: "SLIPPAGE" })
        assert.deepStrictEqual([world.paid[0]?.amount, world.reserved], [AMOUNT - GAS, []])
      }
    }))

  it.effect("whose gas the solver bears in part counts that part under the cap for a stranger's deposit, never for the user's own", () =>
    Effect.gen(function*() {
      yield* atStart
      // The order keeps ten of all that was quoted, five of half of it, and the gas is seven.
      const half = { amount: AMOUNT / 2n }
      const strangers = { ...half, sender: stranger, depositor: stranger }
      const world = makeWorld()
      assert.deepStrictEqual(yield* refund(world, strangers), { outcome: "refunded", why: "SLIPPAGE" })
      assert.deepStrictEqual([world.paid[0]?.amount, world.reserved], [AMOUNT / 2n - 5n, [1n]])
      assert.deepStrictEqual(yield* refund({ ...makeWorld(), room: false }, strangers), { outcome: "capped" })
      const own = { ...makeWorld(), room: false }
      assert.deepStrictEqual(yield* refund(own, half), { outcome: "refunded", why: "SLIPPAGE" })
      assert.deepStrictEqual([own.paid[0]?.amount, own.reserved], [AMOUNT / 2n - 5n, []])
    }))

  it.effect("that opens an account which the order allows no deduction for counts that under the cap, whoever made the deposit", () =>
    Effect.gen(function*() {
      yield* atStart
      // Of half of the quoted amount the order keeps five. Gas is seven, and the account takes four.
      const half = { amount: AMOUNT / 2n }
      const world = { ...makeWorld(), rent: 4n }
      assert.deepStrictEqual(yield* refund(world, half), { outcome: "refunded", why: "SLIPPAGE" })
      assert.deepStrictEqual([world.paid[0]?.amount, world.reserved], [AMOUNT / 2n - 5n, [1n]])
      assert.deepStrictEqual(yield* refund({ ...world, paid: [], room: false }, half), { outcome: "capped" })
    }))

  it.effect("whose account is closed between its price and its signature is priced again, and its deposit pays for opening it", () =>
    Effect.gen(function*() {
      yield* atStart
      const world = { ...makeWorld(), rentOnceClosed: 2n }
      assert.deepStrictEqual(yield* refund(world), { outcome: "refunded", why: "SLIPPAGE" })
      assert.deepStrictEqual(world.paid.map(({ amount }) => amount), [AMOUNT - GAS - 2n])
    }))

  it.effect("whose recipient's code takes more in it than in its price is not made, however often (PRICE-26)", () =>
    Effect.gen(function*() {
      yield* atStart
      const slightly = { ...makeWorld(), takes: (UNITS * 5n) / 4n }
      assert.deepStrictEqual(yield* refund(slightly), { outcome: "refunded", why: "SLIPPAGE" })
      const greedy = { ...makeWorld(), takes: (UNITS * 5n) / 4n + 1n }
      for (let again = 0; again < 3; again += 1) {
        assert.deepStrictEqual(yield* refund(greedy), { outcome: "unrefundable", why: "UNKNOWN" })
      }
      assert.isEmpty(greedy.paid)
    }))

  it.effect("from a deposit address also bears its sweep; the solver's part of it is under the cap, because anyone can pay to the address", () =>
    Effect.gen(function*() {
      yield* atStart
      const addressed = {
        ...transfer,
        terms: { ...transfer.terms, depositAddress: { address: user, mode: "strict", depositor: user } }
      } as Transfer
      const swept = (world: World, amount: bigint) =>
        payRefund(alpha, addressed, claimantOf({ amount }, true), "SLIPPAGE").pipe(Effect.provide(ports(world)))
      // The order keeps ten of all that was quoted.
      const whole = makeWorld()
      yield* swept(whole, AMOUNT)
      assert.deepStrictEqual([whole.paid[0]?.amount, whole.reserved], [AMOUNT - GAS - SWEEP, []])
      const half = makeWorld()
      yield* swept(half, AMOUNT / 2n)
      assert.deepStrictEqual([half.paid[0]?.amount, half.reserved], [AMOUNT / 2n - 5n, [1n]])
      assert.deepStrictEqual(yield* swept({ ...makeWorld(), room: false }, AMOUNT / 2n), { outcome: "capped" })
      // Worth a refund's gas, and not the sweep's beside it.
      const dust = makeWorld()
      assert.deepStrictEqual(yield* swept(dust, GAS + SWEEP), {
        outcome: "unrefundable",
        why: "AMOUNT_TOO_LOW_TO_REFUND"
      })
      assert.deepStrictEqual([dust.paid, dust.reserved], [[], []])
    }))

  it.effect("of a permit that the operator submitted also pays for that submission, once its cost is known; of one that somebody else submitted it does not", () =>
    Effect.gen(function*() {
      yield* atStart
      const signed: Transfer = {
        ...transfer,
        terms: {
          ...transfer.terms,
          permit: {
            kind: "permit2",
            domain: { name: "Permit2" },
            forwarder: evmAddress("f0"),
            verifier: evmAddress("f2"),
            deadline: now
          }
        }
      }
      const net = (submitted: World["submitted"], of: Transfer) =>
        Effect.gen(function*() {
          const world = { ...makeWorld(), submitted: [...submitted] }
          const refunding = yield* Effect.forkChild(refund(world, {}, true, of))
          yield* TestClock.adjust("5 minutes")
          assert.deepStrictEqual(yield* Fiber.join(refunding), { outcome: "refunded", why: "SLIPPAGE" })
          return world.paid[0]?.amount
        })
      assert.strictEqual(yield* net([2n], signed), AMOUNT - GAS - 2n)
      assert.strictEqual(yield* net(["unknown", "unknown", 2n], signed), AMOUNT - GAS - 2n)
      assert.strictEqual(yield* net([undefined], signed), AMOUNT - GAS)
      assert.strictEqual(yield* net([2n], transfer), AMOUNT - GAS)
      // No refund waits for ever for what it may take off.
      assert.strictEqual(yield* net(Array.from({ length: 100 }, () => "unknown"), signed), AMOUNT - GAS)
      // The user bears it as far as the order says, and the operator what is beyond.
      assert.strictEqual(yield* net([50n], signed), AMOUNT - 10n)
    }))

  it.effect("that no oracle attests counts its whole deposit under the cap: another currency, too late, a mint that is impossible", () =>
    Effect.gen(function*() {
      yield* atStart
      const cases: ReadonlyArray<readonly [Partial<Deposit>, boolean, number]> = [
        [{ currency: alpha.currencies[1]!.address, amount: 2_000_000n }, true, 0],
        [{}, true, 14 * DAY - REFUND_MARGIN_SECONDS + 1],
        [{}, false, 0]
      ]
      for (const [changes, mintable, later] of cases) {
        yield* TestClock.setTime((now + later) * 1000)
        const world = makeWorld()
        assert.deepStrictEqual(yield* refund(world, changes, mintable), { outcome: "refunded", why: "SLIPPAGE" })
        assert.lengthOf(world.reserved, 1)
        const full = { ...makeWorld(), room: false }
        assert.deepStrictEqual(yield* refund(full, changes, mintable), { outcome: "capped" })
        assert.deepStrictEqual(full.paid, [])
      }
      const world = makeWorld()
      yield* refund(world, {}, false)
      assert.deepStrictEqual(world.reserved, [LOST])
    }))

  it.effect("that waits for money is decided again when it can no longer be attested, and only then", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime((now + 14 * DAY - REFUND_MARGIN_SECONDS - 600) * 1000)
      const world = { ...makeWorld(), funded: false }
      const waiting = yield* Effect.forkChild(refund(world))
      yield* TestClock.adjust("590 seconds")
      assert.deepStrictEqual([waiting.pollUnsafe(), world.reserved], [undefined, []])
      yield* TestClock.adjust("20 seconds")
      assert.deepStrictEqual([waiting.pollUnsafe(), world.reserved], [undefined, [LOST]])
      // What was reserved and not signed counts anew from time to time, until there is money or no room.
      yield* TestClock.adjust("150 minutes")
      assert.deepStrictEqual([waiting.pollUnsafe(), world.reserved], [undefined, [LOST, LOST, LOST]])
      world.room = false
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(yield* Fiber.join(waiting), { outcome: "capped" })
      assert.deepStrictEqual(world.paid, [])
    }))

  it.effect("that was signed keeps its amount and needs no cap, whenever it continues; to be signed again, it is decided again", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime((now + 20 * DAY) * 1000)
      const world = makeWorld()
      yield* refund(world)
      assert.lengthOf(world.reserved, 1)
      const signed = world.paid[0]
      assert.strictEqual(signed?.amount, AMOUNT - GAS)
      world.room = false
      world.paid = [{ ...signed!, amount: 5n }]
      assert.deepStrictEqual(yield* refund(world), { outcome: "refunded", why: "SLIPPAGE" })
      assert.deepStrictEqual(world.paid.map(({ amount }) => amount), [5n])
      // Its sequence was used by another transaction: there is no payment, so the cap has its say again.
      world.outcome = { _tag: "Superseded" }
      assert.deepStrictEqual(yield* refund(world), { outcome: "capped" })
      assert.deepStrictEqual(world.paid, [])
    }))

  it.effect("bears the rent of an account that it has to open", () =>
    Effect.gen(function*() {
      yield* atStart
      const world = { ...makeWorld(), rent: 2n }
      assert.deepStrictEqual(yield* refund(world), { outcome: "refunded", why: "SLIPPAGE" })
      assert.deepStrictEqual(world.paid.map(({ amount }) => amount), [AMOUNT - GAS - 2n])
    }))

  it.effect("of less than the chain keeps in a new account is not paid", () =>
    Effect.gen(function*() {
      yield* atStart
      const kept = { ...makeWorld(), least: AMOUNT - GAS }
      assert.deepStrictEqual(yield* refund(kept), { outcome: "refunded", why: "SLIPPAGE" })
      const world = { ...makeWorld(), least: AMOUNT - GAS + 1n }
      assert.deepStrictEqual(yield* refund(world), { outcome: "unrefundable", why: "AMOUNT_TOO_LOW_TO_REFUND" })
      assert.deepStrictEqual(world.paid, [])
    }))

  it.effect("that expired is signed again like one that lost its sequence, without an alarm", () =>
    Effect.gen(function*() {
      yield* atStart
      for (const [outcome, alarms] of [["Expired", 0], ["Superseded", 1]] as const) {
        const world = makeWorld()
        yield* refund(world)
        const [first] = world.paid
        let looks = 0
        Object.defineProperty(world, "outcome", { get: () => (looks += 1) === 1 ? { _tag: outcome } : included })
        const before = yield* lostSequences
        assert.deepStrictEqual(yield* refund(world), { outcome: "refunded", why: "SLIPPAGE" }, outcome)
        assert.lengthOf(world.paid, 1)
        assert.notStrictEqual(world.paid[0], first)
        assert.strictEqual((yield* lostSequences) - before, alarms, outcome)
      }
    }))

  it.effect("that loses its sequence before it is final is decided again by its guard: by its deadline and under the cap, or it is held back", () =>
    Effect.gen(function*() {
      const superseded = { _tag: "Superseded" } as const
      /** Included once, then taken back for good, and what is signed next is there. */
      const takenBack = Effect.fnUntraced(
        function*(changes: Partial<World>, mintable: boolean, meanwhile: Effect.Effect<void> = Effect.void) {
          const world = { ...makeWorld() }
          yield* refund(world, {}, mintable)
          const [first] = world.paid
          yield* meanwhile
          Object.assign(world, changes)
          let looks = 0
          Object.defineProperty(world, "outcome", { get: () => (looks += 1) === 1 ? superseded : included })
          yield* guard(world, {}, mintable)
          return { world, first }
        }
      )
      yield* atStart
      // In time and attestable: signed anew, and nothing of it is under the cap.
      const kept = yield* takenBack({ room: false }, true)
      assert.deepStrictEqual([
        kept.world.paid.map(({ amount }) => amount),
        kept.world.reserved,
        kept.world.paid[0] === kept.first
      ], [[AMOUNT - GAS], [], false])
      // Unattestable: it counts again as it did.
      const counted = yield* takenBack({}, false)
      assert.deepStrictEqual([counted.world.paid.length, counted.world.reserved], [1, [LOST, LOST]])
      const full = yield* takenBack({ room: false }, false)
      assert.deepStrictEqual(full.world.paid, [])
      // Too late for oracles by now: it is under the cap from now on.
      const late = TestClock.setTime((now + 20 * DAY) * 1000)
      const expired = yield* takenBack({ room: false }, true, late)
      assert.deepStrictEqual(expired.world.paid, [])
      yield* atStart
      const room = yield* takenBack({}, true, late)
      assert.deepStrictEqual([room.world.paid.length, room.world.reserved], [1, [LOST]])
    }))

  it.effect("that its guard does not find, after a crash while it was set aside, is paid again", () =>
    Effect.gen(function*() {
      yield* atStart
      const world = makeWorld()
      yield* guard(world)
      assert.deepStrictEqual(world.paid.map(({ amount }) => amount), [AMOUNT - GAS])
    }))

  it.effect("is not signed for a deposit that is gone, even if that happened while it waited for money; a signed one continues", () =>
    Effect.gen(function*() {
      yield* atStart
      const world = { ...makeWorld(), funded: false }
      const waiting = yield* Effect.forkChild(refund(world))
      yield* TestClock.adjust("1 minute")
      Object.assign(world, { funded: true, gone: true })
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* Fiber.join(waiting), { outcome: "gone" })
      assert.deepStrictEqual(world.paid, [])
      const signed = makeWorld()
      yield* refund(signed)
      signed.gone = true
      assert.deepStrictEqual(yield* refund(signed), { outcome: "refunded", why: "SLIPPAGE" })
    }))

  it.effect("after a fill with calls that reverted pays for it as far as its order allows; the rest of the receipt's cost is the solver's loss", () =>
    Effect.gen(function*() {
      yield* atStart
      const call = Result.getOrThrow(encodeRouterCall({ to: Address.make(user), data: Hex.make("0x"), value: 0n }))
      // The order keeps ten: four for the gas of a refund, which costs seven by now, and six for one fill that reverts.
      const bounds = { gas: 4n, calls: 6n }
      const calling = (refundBounds?: RefundBounds): Transfer => ({
        ...transfer,
        order: { ...order, output: { ...order.output, calls: [call] } },
        terms: { ...transfer.terms, ...(refundBounds === undefined ? {} : { refundBounds }) }
      })
      const reverted = (gasPaid: bigint, changes: Partial<StoredPayment> = {}) =>
        storedOf({ leg: "fill", state: "reverted", gasPaid, ...changes })
      const of = Effect.fnUntraced(function*(fill: StoredPayment, order: Transfer = calling(bounds)) {
        const world = { ...makeWorld(), room: false, fill }
        assert.deepStrictEqual(yield* refund(world, {}, true, order), { outcome: "refunded", why: "SLIPPAGE" })
        return [world.paid[0]?.amount, world.lost]
      })
      assert.deepStrictEqual(yield* of(reverted(2n)), [AMOUNT - GAS - 2n, [0n]])
      assert.deepStrictEqual(yield* of(reverted(10n ** 15n)), [AMOUNT - 10n, [2_000_000n]])
      // Orders of versions before keep their minimum; what another deposit's fill has cost is not this one's.
      assert.deepStrictEqual(yield* of(reverted(10n ** 15n), calling()), [AMOUNT - GAS, [2_000_000n]])
      assert.deepStrictEqual(yield* of(reverted(10n ** 15n, { deposit: Hex32.make(`0x${"2".repeat(64)}`) })), [
        AMOUNT - GAS,
        []
      ])
      assert.deepStrictEqual(yield* of(reverted(10n ** 15n, { state: "included" }), calling(bounds)), [
        AMOUNT - GAS,
        []
      ])
      assert.deepStrictEqual(yield* of(reverted(10n ** 15n), transfer), [AMOUNT - GAS, []])
    }))

  it.effect("after a fill that reverted is charged once and paid once, whether the process is killed before or after signing", () =>
    Effect.gen(function*() {
      yield* atStart
      const call = Result.getOrThrow(encodeRouterCall({ to: Address.make(user), data: Hex.make("0x"), value: 0n }))
      const calling: Transfer = {
        ...transfer,
        order: { ...order, output: { ...order.output, calls: [call] } },
        terms: { ...transfer.terms, refundBounds: { gas: 4n, calls: 6n } }
      }
      const fill = storedOf({ leg: "fill", state: "reverted", gasPaid: 10n ** 15n })
      for (const place of ["before", "after"] as const) {
        const world = { ...makeWorld(), fill, killed: place as World["killed"] }
        assert.isTrue(Exit.isFailure(yield* Effect.exit(refund(world, {}, true, calling))))
        assert.lengthOf(world.paid, place === "before" ? 0 : 1)
        // What is kept of an order's loss is the newest, and the same: nothing is charged on top of what was signed.
        for (let again = 0; again < 2; again += 1) {
          assert.deepStrictEqual(yield* refund(world, {}, true, calling), { outcome: "refunded", why: "SLIPPAGE" })
        }
        assert.deepStrictEqual(world.paid.map(({ amount }) => amount), [AMOUNT - 10n])
        assert.deepStrictEqual(world.lost, place === "before" ? [2_000_000n, 2_000_000n] : [2_000_000n])
      }
    }))

  it.effect("reads the deposit's transaction where no verdict was stored, and waits while it cannot be read", () =>
    Effect.gen(function*() {
      yield* atStart
      const world = makeWorld()
      yield* refund(world, {}, "not stored")
      assert.deepStrictEqual([world.looks, world.reserved], [["0x3"], [LOST]])
      const unread = Layer.mock(DepositWatcher, { look: () => Effect.undefined })
      const deposit = {
        onchainId,
        chainId: alpha.id,
        transactionId: "0x3",
        depositor: user,
        sender: user,
        currency: alpha.native.address,
        amount: AMOUNT
      } as Deposit
      const failed = yield* Effect.flip(
        payRefund(alpha, transfer, { deposit, sighting: 1, mintable: undefined }, "SLIPPAGE").pipe(
          Effect.provide(Layer.mergeAll(ports(makeWorld()), unread))
        )
      )
      assert.instanceOf(failed, ChainUnavailable)
    }))

  /** Where the deposit was before a reorg moved it. A reorg changes the index of its log, or its user sends it again. */
  const formerly = (
    standing: "final" | "gone",
    changes: Partial<Deposit> = {},
    paidFor: Pick<StoredPayment, "deposited"> = {}
  ): NonNullable<World["former"]> => {
    const former = { ...claimantOf(changes, true).deposit, onchainId: Hex32.make(`0x${"9".repeat(64)}`) }
    return {
      deposit: former,
      standing,
      refund: storedOf({
        leg: `refund:${former.onchainId}`,
        deposit: former.onchainId,
        amount: AMOUNT - 1n,
        ...paidFor,
        state: "sent"
      })
    }
  }
  const own = `refund:${onchainId}` as const

  it.effect("that was signed before a reorg moved its deposit belongs to the moved deposit: no second one is signed", () =>
    Effect.gen(function*() {
      yield* atStart
      const world = { ...makeWorld(), former: formerly("gone") }
      assert.deepStrictEqual(yield* refund(world), { outcome: "refunded", why: "SLIPPAGE" })
      // What was signed, not what would be signed now.
      assert.deepStrictEqual(world.paid.map(({ amount, leg }) => [leg, amount]), [[own, AMOUNT - 1n]])
    }))

  it.effect("that an earlier execution took over and then ended goes on, and the deposit that had it is recorded where it is back (REFUND-14)", () =>
    Effect.gen(function*() {
      yield* atStart
      for (const standing of ["final", "gone"] as const) {
        const former = formerly(standing)
        const world = { ...makeWorld(), former, paid: [{ ...former.refund, leg: own, deposit: onchainId }] }
        assert.deepStrictEqual(yield* refund(world), { outcome: "refunded", why: "SLIPPAGE" })
        assert.deepStrictEqual(world.noted, standing === "gone" ? [] : [former.deposit.onchainId])
      }
    }))

  it.effect("of another deposit is not taken over: of one that is final, of another amount or currency, or to another recipient", () =>
    Effect.gen(function*() {
      yield* atStart
      for (
        const former of [
          formerly("final"),
          formerly("gone", { amount: AMOUNT + 1n }),
          formerly("gone", { amount: AMOUNT - 1n }),
          // It came back with less before it was gone for good (REFUND-8).
          formerly("gone", {}, { deposited: AMOUNT + 1n }),
          formerly("gone", { currency: CurrencyAddress.make(evmAddress("99")) }),
          formerly("gone", { sender: stranger, depositor: stranger })
        ]
      ) {
        const world = { ...makeWorld(), former }
        assert.deepStrictEqual(yield* refund(world), { outcome: "refunded", why: "SLIPPAGE" })
        assert.deepStrictEqual(world.paid.map(({ amount, leg }) => [leg, amount]), [[own, AMOUNT - GAS]])
      }
    }))

  it.effect("whose deposit a restored store does not know belongs to the one deposit that it refunds, and to no other", () =>
    Effect.gen(function*() {
      yield* atStart
      const id = Hex32.make(`0x${"8".repeat(64)}`)
      const forgotten = (amount: bigint, recipient: Address) => ({
        ...storedOf({ leg: `refund:${id}`, deposit: id, amount, state: "included" }),
        recipient
      })
      const paid = (refunded: NonNullable<World["forgotten"]>) => {
        const world = { ...makeWorld(), forgotten: refunded }
        return Effect.map(refund(world), () => world.paid.map(({ amount, leg }) => [leg, amount]))
      }
      assert.deepStrictEqual(yield* paid(forgotten(AMOUNT - 1n, refundTo)), [[own, AMOUNT - 1n]])
      assert.deepStrictEqual(yield* paid(forgotten(AMOUNT / 2n, refundTo)), [[own, AMOUNT - GAS]])
      assert.deepStrictEqual(yield* paid(forgotten(AMOUNT - 1n, stranger)), [[own, AMOUNT - GAS]])
    }))

  it.effect("is not taken over by a deposit that is gone itself, and no refund is signed for that one", () =>
    Effect.gen(function*() {
      yield* atStart
      const world = { ...makeWorld(), gone: true, former: formerly("gone") }
      const refunding = yield* Effect.forkChild(refund(world))
      yield* TestClock.adjust("10 minutes")
      assert.deepStrictEqual(yield* Fiber.join(refunding), { outcome: "gone" })
      assert.deepStrictEqual(world.paid, [])
    }))
})
