/**
 * Laws: the store in memory and SQLite give the same answers to any sequence of calls, port by port. Each sequence runs
 * in a transaction that is rolled back, so the next one begins with an empty store only if both take everything back.
 */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Context, Effect, Exit, Layer, Redacted, References, Result } from "effect"
import * as fc from "fast-check"
import { SqlClient } from "effect/sql"
import { MemoryStore } from "../../property-tests/memory-store/index.ts"
import { SignerUnavailable } from "../../ports/signing/SignerUnavailable.ts"
import { ApiKeys } from "../../ports/store/clients/ApiKeys.ts"
import { AppBalances } from "../../ports/store/ledger/AppBalances.ts"
import { Budgets } from "../../ports/store/ledger/Budgets.ts"
import { CallLosses } from "../../ports/store/ledger/CallLosses.ts"
import { Ledger } from "../../ports/store/ledger/Ledger.ts"
import { Losses } from "../../ports/store/ledger/Losses.ts"
import { SponsorHolds } from "../../ports/store/ledger/SponsorHolds.ts"
import { UnattestedRefunds } from "../../ports/store/ledger/UnattestedRefunds.ts"
import { Pauses } from "../../ports/store/operations/Pauses.ts"
import { Records } from "../../ports/store/operations/Records.ts"
import { Restorations } from "../../ports/store/operations/Restorations.ts"
import { UnpaidAddresses } from "../../ports/store/operations/UnpaidAddresses.ts"
import { UnpaidQuotes } from "../../ports/store/operations/UnpaidQuotes.ts"
import { DepositAddresses } from "../../ports/store/orders/DepositAddresses.ts"
import { Deposits } from "../../ports/store/orders/Deposits.ts"
import { DirectPayments } from "../../ports/store/orders/DirectPayments.ts"
import { Exposures } from "../../ports/store/orders/Exposures.ts"
import { InventoryReservations } from "../../ports/store/orders/InventoryReservations.ts"
import { Payments } from "../../ports/store/orders/Payments.ts"
import type { PaymentPurpose } from "../../ports/store/orders/Payments.ts"
import { PaymentClaim, PaymentRefused } from "../../ports/chain/Treasury.ts"
import { PermitSubmissions } from "../../ports/store/orders/PermitSubmissions.ts"
import { Settlements } from "../../ports/store/orders/Settlements.ts"
import { Sweeps } from "../../ports/store/orders/Sweeps.ts"
import { TransferHistory } from "../../ports/store/orders/TransferHistory.ts"
import { Transfers } from "../../ports/store/orders/Transfers.ts"
import { inputs } from "../../scripts/testing/Tally.ts"
import { ApiKeyId, apiKeyHash } from "../../src/domain/api-key/ApiKey.ts"
import { Address, CurrencyAddress } from "../../src/domain/chain/Address.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import { ChainId, ChainSlug } from "../../src/domain/chain/ChainId.ts"
import { TransactionId } from "../../src/domain/chain/TransactionId.ts"
import { Hex, Hex32 } from "../../src/domain/encoding/Hex.ts"
import { families } from "../../src/domain/families/index.ts"
import { MicroUsdc } from "../../src/domain/ledger/MicroUsdc.ts"
import { credit } from "../../src/domain/ledger/Movements.ts"
import { LedgerId } from "../../src/domain/ledger/Transaction.ts"
import { OrderId } from "../../src/domain/order/Order.ts"
import { pauseId } from "../../src/domain/pause/Pause.ts"
import type { Charge } from "../../src/domain/sponsorship/Charge.ts"
import type { Deposit } from "../../src/domain/transfer/deposit/Deposit.ts"
import { RequestId } from "../../src/domain/transfer/RequestId.ts"
import { Status } from "../../src/domain/transfer/Status.ts"
import { layerDatabase } from "./engine/Database.ts"
import { StoreCommands, storeInMemory, storeOnTables } from "./testing/StoreLayers.ts"
import type { StorePorts } from "./testing/StoreLayers.ts"
import { transferOf } from "./testing/Transfers.ts"

const word = (n: number): `0x${string}` => `0x${n.toString(16).padStart(64, "0")}`
const address = (n: number) => Address.make(`0x${n.toString(16).padStart(40, "0")}`)
const native = CurrencyAddress.make(address(0))
const currency = { chainId: ChainId.make(1), address: native }
const requestOf = (n: number) => RequestId.make(word(n))
const orderOf = (n: number) => OrderId.make(word(0x1000000 + n))
const onchainId = (n: number) => Hex32.make(word(5_000 + n))
const wallet = address(0xa1)

const chainOf = (n: number): Chain => {
  const coin = { chainId: ChainId.make(n), address: native, symbol: "E", name: "E", decimals: 18, isNative: true }
  return {
    id: ChainId.make(n),
    slug: ChainSlug.make(`chain-${n}`),
    family: families["ethereum-vm"],
    network: "mainnet",
    name: "A chain",
    depository: address(0xd0),
    router: undefined,
    vault: undefined,
    native: coin,
    currencies: [coin],
    finality: { _tag: "Tag", tag: "finalized", seconds: 2 },
    confirmations: [],
    blockTimeMs: 1000,
    explorerUrl: undefined
  }
}

/** Deposit `n` is of order `n % 3`, on one of two chains. */
const depositOf = (n: number, block: number): Deposit => ({
  onchainId: onchainId(n),
  chainId: ChainId.make(1 + n % 2),
  transactionId: TransactionId.make(word(6_000 + n)),
  index: n,
  block: { height: BigInt(block), hash: word(block), time: block },
  depositId: orderOf(n % 3),
  depositor: address(0xd1),
  sender: address(0xd1),
  currency: native,
  amount: 5n + BigInt(block % 2)
})

/** One call. `at`: its place in the sequence, which is its time, and makes its transaction ids unique. */
interface Call {
  readonly name: string
  readonly run: (at: number) => Effect.Effect<unknown, unknown, StorePorts>
}

const small = fc.nat({ max: 3 })

/** A call of this name, with up to three small numbers. */
const calls = (
  of: Record<string, (a: number, b: number, c: number) => (at: number) => Effect.Effect<unknown, unknown, StorePorts>>
): fc.Arbitrary<Call> =>
  fc.oneof(
    ...Object.entries(of).map(([name, make]) =>
      fc.tuple(small, small, small).map(([a, b, c]): Call => ({
        name: `${name}(${a}, ${b}, ${c})`,
        run: make(a, b, c)
      }))
    )
  )

const legs = (deposit: number): ReadonlyArray<PaymentPurpose> => [
  "fill",
  "fallback",
  `refund:${onchainId(deposit)}`,
  `excess:${onchainId(deposit)}`
]
const legOf = (n: number, deposit: number): PaymentPurpose => legs(deposit)[n] ?? "fill"
const holdings = [{ holder: address(0xf1), currency: native }, { holder: address(0xf2), currency: native }] as const

const found = (
  order: number,
  leg: number,
  of: (payments: Payments["Service"]) => {
    readonly [_ in "with"]: (
      payment: Parameters<Payments["Service"]["recordSent"]>[0]
    ) => Effect.Effect<unknown, unknown, StorePorts>
  }
) =>
  Effect.gen(function*() {
    const payments = yield* Payments
    const payment = yield* payments.find(orderOf(order % 3), legOf(leg, order))
    return payment === undefined ? "none" : yield* of(payments).with(payment)
  })

const haltOf = (n: number) => {
  const scope = { _tag: "Halt", chainId: ChainId.make(1 + n % 2), height: 1n, expected: "0x1", found: "0x2" } as const
  return { id: pauseId(scope), scope, reason: "", createdAt: 0 }
}

const claims = ["a", "b", "c", "d"].map((name) => PaymentClaim(name))

const sign = (deposit: number, leg: number, balance: number) => (at: number) =>
  Effect.flatMap(Payments, (payments) => {
    const chain = chainOf(1 + deposit % 2)
    const of = legs(deposit)[balance % 3] ?? "fill"
    const besides = { recorded: 1n, leg: of, deposited: at % 2 === 0 ? 1n : undefined }
    const isBeside = leg === 3 && at % 5 > 1
    const payment = {
      _tag: isBeside ? "Excess" : "Payout",
      ...(isBeside ? { besides } : {}),
      chain,
      currency: chain.native,
      recipient: address(0xb1),
      amount: 7n,
      orderId: orderOf(deposit % 3)
    } as const
    const holding = holdings[leg % 2] ?? holdings[0]
    const signed = { transactionId: TransactionId.make(word(10_000 + at)), raw: `raw ${at}` }
    // Some payments have claims, and some of these claim what another holds.
    const claimable = claims.slice(0, balance)
    return payments.signOnce(legOf(leg, deposit), onchainId(deposit), payment, {
      account: address(0xf1),
      chainSequence: BigInt(Math.trunc(at / 10)),
      costs: [{ ...holding, amount: 10n, balance: BigInt(10 * balance) }],
      ...(at % 3 === 0 ? { claimable } : {}),
      sign: (_, others) => {
        if (at % 9 === 8) return Effect.fail(new SignerUnavailable({ fault: "refused" }))
        if (at % 3 !== 0) return Effect.succeed(signed)
        const held = others.flatMap((other) => other.claims)
        const taken = claimable.filter((claim) => at % 7 === 0 || !held.includes(claim)).slice(0, 2)
        return taken.length === 0
          ? Effect.fail(new PaymentRefused({ reason: "insufficient-funds" }))
          : Effect.succeed({ ...signed, raw: JSON.stringify([signed.raw, others]), claims: taken })
      }
    }, at)
  })

const states = ["filled", "refunded", "gone", "unrefundable"] as const

const close = (n: number, sighting: number, state: number) => (at: number) =>
  Effect.flatMap(Deposits, ({ close }) => close(onchainId(n), sighting, states[state] ?? "gone", at))

const payments = calls({
  note: (n, block) => (at) =>
    Effect.flatMap(
      Deposits,
      (deposits) => deposits.note([{ deposit: depositOf(n, block), precedence: BigInt(block) }], at)
    ),
  close,
  lose: (order, leg, deposit) => (at) =>
    found(order, leg, () => ({
      with: ({ amount, chainId, currency, deposit: own, leg: of, orderId, transactionId }) =>
        Effect.flatMap(Losses, ({ book }) =>
          book({
            kind: at % 2 === 0 ? "deposit" : "payment",
            chainId,
            orderId,
            deposit: of === "fill" ? own : onchainId(deposit),
            transactionId,
            currency,
            amount
          }, at))
    })),
  sign,
  signAgain: sign,
  signMore: sign,
  sent: (order, leg) => () => found(order, leg, ({ recordSent }) => ({ with: recordSent })),
  outcome: (order, leg, state) => (at) =>
    found(order, leg, ({ recordOutcome }) => ({
      with: ({ leg: of, orderId, variants: [{ transactionId }] }) =>
        recordOutcome(orderId, of, {
          state: state === 0 ? "reverted" : "included",
          transactionId,
          block: { height: BigInt(at), hash: word(at), time: at },
          gasPaid: BigInt(at)
        })
    })),
  replace: (order, leg, balance) => (at) =>
    found(order, leg, ({ replace }) => ({
      with: (payment) =>
        replace(payment, {
          extra: { ...holdings[0], amount: 1n, balance: BigInt(11 * balance) },
          mostGas: 1n,
          ...(order === 2 ? { undoes: claims.slice(balance) } : {}),
          sign: Effect.succeed({ transactionId: TransactionId.make(word(20_000 + at)), raw: `again ${at}` })
        }, at)
    })),
  setAside: (order, leg) => () => found(order, leg, ({ setAside }) => ({ with: setAside })),
  handOver: (order, leg, to) => (at) =>
    found(order, leg, ({ handOver }) => ({
      with: (payment) =>
        handOver(payment, onchainId(to), at, at % 2 === 0 && payment.leg.startsWith("refund:") ? "excess" : undefined)
    })),
  adopt: (deposit, leg, sequence) => (at) =>
    Effect.flatMap(Payments, (store) => {
      const payment = { orderId: orderOf(deposit % 3), recipient: address(0xb1), currency: native, amount: 7n }
      const sent = {
        account: address(0xf1),
        transactionId: TransactionId.make(word(30_000 + at)),
        raw: `found ${at}`,
        sequence: sequence === 3 ? undefined : BigInt(sequence),
        block: depositOf(deposit, 1).block,
        succeeded: true,
        gasPaid: 1n,
        movesNothing: false,
        payment
      }
      const place = { deposit: onchainId(deposit), chainId: ChainId.make(1), sent, payment }
      return at % 2 === 0 ? store.adopt({ ...place, leg: legOf(leg, deposit) }, at) : store.adoptVariant(place, at)
    }),
  halt: (n) => () => Effect.flatMap(Pauses, (pauses) => pauses.add(haltOf(n))),
  resume: (n) => () => Effect.flatMap(Pauses, (pauses) => pauses.remove(haltOf(n).id)),
  restored: () => (at) => Effect.flatMap(StoreCommands, ({ markRestored }) => markRestored(at)),
  settled: (n) => (at) => Effect.flatMap(Restorations, ({ settle }) => settle(ChainId.make(1 + n % 2), [], at)),
  cursor: (n) => (at) =>
    Effect.flatMap(
      Deposits,
      (deposits) => {
        const chainId = ChainId.make(1 + n % 2)
        const cursor = { height: BigInt(at), hash: word(at) }
        const move = at % 3 === 0
          ? deposits.recordFinal(chainId, cursor, [], at)
          : deposits.record(chainId, cursor, [], at)
        return Effect.andThen(move, deposits.finalCursor(chainId))
      }
    ),
  reserve: (n, usd) => (at) =>
    Effect.flatMap(
      UnattestedRefunds,
      ({ reserve }) => reserve({ onchainId: onchainId(n), usdMicros: BigInt(usd) }, 4n, at)
    ),
  look: (order, deposit) => () =>
    Effect.gen(function*() {
      const [store, records, history] = [yield* Payments, yield* Records, yield* TransferHistory]
      const chains = [chainOf(1), chainOf(2)]
      return [
        yield* store.standing(orderOf(order), legs(deposit), chains),
        yield* store.unfinishedRefunds(orderOf(order)),
        yield* history.payments(orderOf(order)),
        yield* history.allPayments(orderOf(order)),
        yield* Effect.forEach(chains, ({ id }) => records.payments(id)),
        yield* Effect.forEach(chains, ({ id }) => records.sequences(id)),
        yield* (yield* Restorations).open,
        yield* (yield* UnattestedRefunds).totals,
        yield* (yield* Losses).all,
        yield* (yield* Settlements).ofOrder(orderOf(order)),
        yield* Effect.forEach([0, 1, 2, 3], (n) => Effect.flatMap(Deposits, ({ stateOf }) => stateOf(onchainId(n))))
      ]
    })
})

/** By store: what its versions of requests have stood for. */
const versions = new WeakMap<TransferHistory["Service"], Map<string, unknown>>()

/** While the version of a request is the same, so is everything that its status shows. */
const checkVersion = Effect.fnUntraced(function*(n: number) {
  const [transfers, history] = [yield* Transfers, yield* TransferHistory]
  const [version, transfer] = [yield* history.version(requestOf(n)), yield* transfers.find(requestOf(n))]
  assert.strictEqual(version === undefined, transfer === undefined)
  if (version === undefined || transfer === undefined) return
  const { failReason, status, updatedAt } = transfer
  const shown = {
    transfer: { failReason, status, updatedAt },
    deposits: yield* history.deposits(orderOf(n)),
    payments: yield* history.payments(orderOf(n)),
    send: yield* (yield* DirectPayments).find(orderOf(n))
  }
  const seen = versions.get(history) ?? new Map<string, unknown>()
  versions.set(history, seen)
  const key = `${n} ${version}`
  if (seen.has(key)) assert.deepStrictEqual(shown, seen.get(key))
  else seen.set(key, shown)
})

const orders = calls({
  add: (n) => (at) => Effect.flatMap(Transfers, ({ add }) => add(transferOf(n, { quotedAt: at }))),
  move: (n, to, part) => (at) =>
    Effect.flatMap(Transfers, ({ move }) =>
      move(requestOf(n), {
        to: Status.literals[(to * 3 + at) % Status.literals.length] ?? "pending",
        at,
        reserves: [{
          orderId: orderOf(n),
          part: part % 2 === 0 ? "output" : "topup",
          chainId: ChainId.make(1),
          currency: native,
          holding: part < 2 ? "account" : "vault",
          amount: BigInt(at)
        }],
        ...(to === 3 ? { releases: orderOf(part) } : {})
      })),
  note: (n, block, amount) => (at) =>
    Effect.flatMap(
      Deposits,
      ({ note }) =>
        note([{ deposit: { ...depositOf(n, block), amount: BigInt(amount) }, precedence: BigInt(amount) }], at)
    ),
  correct: (n, sighting, other) => () =>
    Effect.flatMap(
      Deposits,
      ({ correct }) =>
        correct(sighting, {
          deposit: { ...depositOf(n, other), depositId: orderOf(other % 3), amount: BigInt(other) },
          precedence: BigInt(other)
        })
    ),
  foreign: (n, block) => (at) => Effect.flatMap(Deposits, ({ noteForeign }) => noteForeign([depositOf(n, block)], at)),
  close,
  again: (n, sighting) => () =>
    Effect.flatMap(Deposits, ({ sightAgain }) => sightAgain({ onchainId: onchainId(n), sighting })),
  reopen: (n) => () => Effect.flatMap(Deposits, ({ reopen }) => reopen(onchainId(n))),
  lose: (n, kind) => (at) =>
    Effect.flatMap(Losses, ({ book }) =>
      book({
        kind: kind % 2 === 0 ? "deposit" : "payment",
        chainId: ChainId.make(1),
        orderId: orderOf(n % 3),
        deposit: onchainId(n),
        transactionId: TransactionId.make(word(6_000 + n)),
        currency: native,
        amount: 5n + BigInt(at % 2)
      }, at)),
  recover: (n) => (at) => Effect.flatMap(Losses, ({ recover }) => recover(onchainId(n), ["deposit", "payment"], at)),
  take: (n, user, usd) => () =>
    Effect.flatMap(Exposures, ({ take }) =>
      take({
        onchainId: onchainId(n),
        chainId: ChainId.make(1 + n % 2),
        user: address(user),
        usdMicros: BigInt(usd)
      }, { chain: 5n, user: 3n })),
  wait: (n, part, holding) => (at) =>
    Effect.flatMap(InventoryReservations, (inventory) => {
      const reservation = {
        orderId: orderOf(n),
        part: part % 2 === 0 ? "output" as const : "topup" as const,
        chainId: ChainId.make(1),
        currency: native,
        holding: holding % 2 === 0 ? "account" as const : "vault" as const,
        amount: BigInt(at)
      }
      return part < 2
        ? inventory.wait([reservation], { since: at, until: at + 5 })
        : inventory.take([reservation])
    }),
  clear: (n) => () => Effect.flatMap(InventoryReservations, ({ clear }) => clear(orderOf(n))),
  claim: (limit, lease) => (at) => Effect.flatMap(Settlements, ({ claim }) => claim(at, at + lease, limit)),
  conclude: (how, limit) => (at) =>
    Effect.gen(function*() {
      const settlements = yield* Settlements
      const on = { chainId: ChainId.make(1), gate: address(7) }
      const conclusions = [
        { _tag: "Later", reason: "late", dueAt: at },
        { _tag: "Settled", on, checkAt: at + 2 },
        { _tag: "Refused", reason: "bad" },
        { _tag: "Excluded" }
      ] as const
      for (const each of yield* settlements.claim(at, at + 2, limit)) {
        yield* settlements.conclude(each, conclusions[how] ?? { _tag: "Excluded" }, at)
      }
    }),
  look: (n, limit) => (at) =>
    Effect.gen(function*() {
      yield* checkVersion(n)
      const [transfers, deposits, history] = [yield* Transfers, yield* Deposits, yield* TransferHistory]
      const [settlements, inventory] = [yield* Settlements, yield* InventoryReservations]
      const holding = { chainId: ChainId.make(1), currency: native, holding: "account" } as const
      return [
        yield* transfers.find(requestOf(n)),
        (yield* transfers.unended(9)).toSorted((one, other) => one.id < other.id ? -1 : 1),
        yield* transfers.unendedByStatus,
        yield* transfers.findByDeposit(onchainId(n)),
        yield* deposits.open(limit),
        yield* deposits.ended(ChainId.make(1), limit),
        yield* history.eventsAfter(requestOf(n), 0),
        [...yield* history.lastChanges([requestOf(n), requestOf(n + 1), requestOf(999)])].toSorted(([one], [other]) =>
          one < other ? -1 : 1
        ),
        yield* history.deposits(orderOf(n)),
        yield* history.lastEnded(limit),
        yield* inventory.claims(holding),
        yield* inventory.claims({ ...holding, holding: "vault" }),
        yield* settlements.open,
        yield* settlements.ofOrder(orderOf(n)),
        yield* settlements.toCheck(at, limit),
        yield* (yield* Losses).all
      ]
    })
})

const charge: Charge = {
  payer: "sponsor",
  costs: { totals: { execution: 7n, swap: -1n, service: 2n, app: 0n, rent: 0n }, originGas: 0n, fillGas: 3n }
}

const keyOf = (n: number) => ApiKeyId.make(`key-${n % 2}`)
const DAY_MS = 86_400_000

const riskKinds = ["calls", "swap", "signed-swap", "calls-after-loss"] as const

const money = calls({
  key: (n) => (at) =>
    Effect.flatMap(ApiKeys, ({ add }) => add({ id: keyOf(n), label: "", wallet }, apiKeyHash(keyOf(n)), at)),
  revoke: (n, often) => (at) =>
    often === 3 ? Effect.flatMap(ApiKeys, ({ revoke }) => revoke(keyOf(n), at)) : Effect.void,
  fund: (n, units) => (at) =>
    Effect.flatMap(Ledger, ({ post }) =>
      post(
        Result.getOrThrow(
          credit({ id: LedgerId.make(`credit:${n}`), currency, wallet, units: BigInt(10 + units) })
        ),
        at
      )),
  limit: (n, total, later) => () =>
    Effect.flatMap(Budgets, ({ change }) =>
      change(keyOf(n), {
        total: total === 0 ? null : MicroUsdc(BigInt(10 * total)),
        laterPerAddressPerDay: later === 0 ? null : MicroUsdc(BigInt(4 * later)),
        ...(n > 1 ? { perRecipientPerDay: MicroUsdc(BigInt(5 * later)) } : {})
      })),
  hold: (n, units, where) => (at) =>
    Effect.flatMap(SponsorHolds, ({ hold }) =>
      hold({
        request: requestOf(n),
        claimant: `${where}`,
        key: keyOf(where),
        wallet,
        recipient: address(where),
        currency,
        units: MicroUsdc(BigInt(1 + units)),
        at: where < 2
          ? { address: address(0xa0 + where), as: units % 2 === 0 ? "quote" : "later", worth: MicroUsdc(3n) }
          : undefined
      }, at * DAY_MS / 4)),
  release: (n, claimant) => (at) =>
    Effect.flatMap(SponsorHolds, ({ release }) => release(requestOf(n), `${claimant}`, at * DAY_MS / 4)),
  settle: (n, captured, payer) => (at) =>
    Effect.flatMap(SponsorHolds, ({ settle }) =>
      settle({
        request: requestOf(n),
        currency,
        wallet,
        charge: { ...charge, payer: payer === 0 ? "user" : "sponsor" },
        gasPaid: BigInt(at),
        captured: MicroUsdc(BigInt(captured)),
        owed: payer === 3 ? [{ recipient: address(3), units: MicroUsdc(2n) }] : []
      }, at * DAY_MS / 4)),
  forget: (day, most) => () => Effect.flatMap(Budgets, ({ forgetDays }) => forgetDays(10 ** 4 + day, 1_000 + most)),
  callLoss: (n, usd, sender) => (at) =>
    Effect.flatMap(CallLosses, (losses) => {
      const loss = { orderId: orderOf(n), sender: address(sender), usdMicros: BigInt(usd) }
      return usd === 0
        ? losses.settle(loss, at * DAY_MS / 4)
        : losses.reserve(
          { ...loss, kind: riskKinds[(n + usd) % riskKinds.length] ?? "calls" },
          { all: 5n, sender: 3n },
          at * DAY_MS / 4
        )
    }),
  look: (n, recipient) => (at) =>
    Effect.gen(function*() {
      const [ledger, budgets, holds, balances] = [
        yield* Ledger,
        yield* Budgets,
        yield* SponsorHolds,
        yield* AppBalances
      ]
      return [
        yield* ledger.differences,
        yield* balances.accountsOf(wallet),
        yield* balances.debtsOf(wallet),
        yield* balances.movementsOf(wallet, { before: undefined, limit: 1 + n }),
        yield* budgets.find(keyOf(n), at * DAY_MS / 4),
        yield* budgets.left(keyOf(n), address(recipient), at * DAY_MS / 4),
        yield* budgets.leftForLater(keyOf(n), address(0xa0 + recipient), at * DAY_MS / 4),
        yield* holds.settled(requestOf(n)),
        yield* holds.atAddress(address(0xa0 + n % 2)),
        yield* (yield* CallLosses).spent(at * DAY_MS / 4)
      ]
    })
})

const sweepId = (n: number, number: number) => Hex32.make(word(40_000 + 10 * n + number))
const permitOf = (n: number, number: number) => Hex32.make(word(50_000 + 10 * n + number))

const standing = calls({
  quote: (n, mode, chain) => (at) =>
    Effect.flatMap(Transfers, ({ add }) => {
      const transfer = transferOf(10 * n + at, { quotedAt: at })
      const depositAddress = {
        address: address(0xa0 + n),
        mode: mode === 0 ? "strict" as const : "open" as const,
        depositor: address(0xd1)
      }
      return add({
        ...transfer,
        terms: {
          ...transfer.terms,
          originChainId: ChainId.make(1 + chain % 2),
          ...(mode === 3 ? { send: true as const } : { depositAddress })
        }
      })
    }),
  queue: (n, number, chain) => (at) =>
    Effect.flatMap(Sweeps, ({ queue }) =>
      queue({
        id: sweepId(n, number),
        chainId: ChainId.make(1 + chain % 2),
        address: address(0xa0 + n),
        currency: native,
        number,
        orderId: orderOf(n),
        depositor: address(0xd1),
        units: BigInt(at),
        queuedAt: at
      })),
  closeSweep: (n, number, round) => (at) =>
    Effect.flatMap(
      Sweeps,
      ({ close }) =>
        close(sweepId(n, number), round % 2, { state: round < 2 ? "done" : "void", height: BigInt(at) }, at)
    ),
  finalSweep: (n, number, round) => (at) =>
    Effect.flatMap(Sweeps, ({ recordFinal }) => recordFinal(sweepId(n, number), round, at)),
  failSweep: (n, number, round) => () => Effect.flatMap(Sweeps, ({ fail }) => fail(sweepId(n, number), round)),
  reopenSweep: (n, number) => () => Effect.flatMap(Sweeps, ({ reopen }) => reopen(sweepId(n, number))),
  permit: (n, number, owner) => (at) =>
    Effect.flatMap(PermitSubmissions, ({ queue }) =>
      queue({
        id: permitOf(n, number),
        orderId: orderOf(n),
        number,
        chainId: ChainId.make(1),
        signature: Hex.make("0x12"),
        owner: address(owner),
        reservedMicros: BigInt(1 + owner),
        queuedAt: at * DAY_MS / 4
      }, 6n)),
  spend: (n, number, usd) => () =>
    Effect.flatMap(PermitSubmissions, ({ spend }) => spend(permitOf(n, number), BigInt(usd))),
  closePermit: (n, number, round) => (at) =>
    Effect.flatMap(
      PermitSubmissions,
      ({ close }) => close(permitOf(n, number), round % 2, round < 2 ? "done" : "void", at * DAY_MS / 4)
    ),
  finalPermit: (n, number, round) => (at) =>
    Effect.flatMap(
      PermitSubmissions,
      ({ recordFinal }) => recordFinal(permitOf(n, number), round, at * DAY_MS / 4)
    ),
  failPermit: (n, number, round) => (at) =>
    Effect.flatMap(PermitSubmissions, ({ fail }) => fail(permitOf(n, number), round, at * DAY_MS / 4)),
  reopenPermit: (n, number) => () => Effect.flatMap(PermitSubmissions, ({ reopen }) => reopen(permitOf(n, number))),
  reindex: (n, last, back) => (at) =>
    Effect.flatMap(DepositAddresses, (addresses) => {
      const place = [ChainId.make(1), address(0xa0 + n), ChainId.make(2)] as const
      return back === 3
        ? addresses.forgetReindex(...place, last === 0 ? undefined : last, at - 1)
        : addresses.noteReindex(...place, last === 0 ? undefined : at - last, at)
    }),
  drop: (n) => (at) =>
    Effect.gen(function*() {
      const unpaid = yield* UnpaidAddresses
      const [only] = (yield* unpaid.list(at, undefined, 9)).slice(n)
      return only === undefined ? "none" : yield* unpaid.drop(only, at)
    }),
  forget: (n) => (at) =>
    Effect.gen(function*() {
      const quotes = yield* UnpaidQuotes
      return yield* quotes.forget((yield* quotes.list(at, undefined, n)).map(({ id }) => id))
    }),
  look: (n, limit) => (at) =>
    Effect.gen(function*() {
      yield* checkVersion(n)
      const [addresses, sweeps, permits] = [yield* DepositAddresses, yield* Sweeps, yield* PermitSubmissions]
      const here = address(0xa0 + n)
      return [
        yield* addresses.find(ChainId.make(1), here),
        yield* addresses.recent(ChainId.make(1), { since: limit, until: at }, undefined, limit),
        yield* addresses.requestsOf(here, limit),
        yield* addresses.reindexedAt(ChainId.make(1), here, ChainId.make(2)),
        yield* sweeps.of(ChainId.make(1), here),
        yield* sweeps.ofAddress(here, limit),
        yield* sweeps.signed(ChainId.make(1), here),
        yield* sweeps.open,
        yield* sweeps.unfinal,
        yield* permits.newest(orderOf(n)),
        yield* permits.open,
        yield* permits.unfinal,
        yield* permits.reverted(orderOf(n)),
        yield* (yield* UnpaidAddresses).dropped(here),
        yield* (yield* UnpaidQuotes).list(at, undefined, limit)
      ]
    })
})

/** An answer, or the name of a failure: its fields are compared where it has a reason. */
const answerOf = (exit: Exit.Exit<unknown, unknown>): unknown => {
  if (Exit.isSuccess(exit)) return exit.value
  const failure = Cause.squash(exit.cause)
  if (typeof failure !== "object" || failure === null) return String(failure)
  return ["_tag" in failure ? failure._tag : "defect", "reason" in failure ? failure.reason : ""]
}

const answers = (sequence: ReadonlyArray<Call>) =>
  Effect.forEach(sequence, ({ run }, index) => Effect.map(Effect.exit(run(index + 1)), answerOf))

const ROLLED_BACK = "rolled back"

const differential = (name: string, call: fc.Arbitrary<Call>, [runs, longRuns]: readonly [number, number]) =>
  it.effect(`give the same answers to calls of ${name}`, () =>
    Effect.gen(function*() {
      const database = layerDatabase(Redacted.make("sqlite::memory:"))
      const tables = yield* Layer.build(storeOnTables(database))
      const memory = yield* Layer.build(storeInMemory)
      const sql = Context.get(tables, SqlClient.SqlClient)
      const { transaction } = Context.get(memory, MemoryStore)
      const quietly = Effect.provideService(References.MinimumLogLevel, "None")
      const ofTables = Effect.fnUntraced(
        function*(sequence: ReadonlyArray<Call>) {
          let told: ReadonlyArray<unknown> = []
          const run = Effect.tap(answers(sequence), (all) => Effect.sync(() => void (told = all)))
          yield* Effect.ignore(sql.withTransaction(Effect.andThen(run, Effect.fail(ROLLED_BACK))))
          return told
        },
        Effect.provideContext(tables),
        quietly
      )
      const ofMemory = Effect.fnUntraced(
        function*(sequence: ReadonlyArray<Call>) {
          let told: ReadonlyArray<unknown> = []
          const run = Effect.tap(answers(sequence), (all) => Effect.sync(() => void (told = all)))
          yield* Effect.ignore(transaction(Effect.andThen(run, Effect.fail(ROLLED_BACK))))
          return told
        },
        Effect.provideContext(memory),
        quietly
      )
      yield* Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(fc.array(call, { maxLength: 40, size: "max" }), async (sequence) => {
            const [real, mine] = [
              await Effect.runPromise(ofTables(sequence)),
              await Effect.runPromise(ofMemory(sequence))
            ]
            const named = (told: ReadonlyArray<unknown>) => told.map((answer, index) => [sequence[index]?.name, answer])
            assert.lengthOf(real, sequence.length)
            assert.deepStrictEqual(named(mine), named(real))
          }),
          { numRuns: inputs(runs, longRuns) }
        )
      )
    }), 600_000)

describe("the store in memory and SQLite", () => {
  differential("payments", payments, [60, 2_000])
  differential("transfers, deposits, inventory and settlements", orders, [60, 2_000])
  differential("addresses, sweeps, permits and quotes", standing, [60, 2_000])
  differential("holds, budgets and the ledger", money, [60, 2_000])
})
