import { assert } from "@effect/vitest"
import { Effect, Result } from "effect"
import { SqlClient } from "effect/sql"
import { ApiKeys } from "../../../ports/store/clients/ApiKeys.ts"
import { Budgets } from "../../../ports/store/ledger/Budgets.ts"
import { Ledger } from "../../../ports/store/ledger/Ledger.ts"
import { SponsorHolds } from "../../../ports/store/ledger/SponsorHolds.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import type { SponsorHold } from "../../../ports/store/ledger/SponsorHolds.ts"
import { ApiKeyId, apiKeyHash } from "../../../src/domain/api-key/ApiKey.ts"
import { Account } from "../../../src/domain/ledger/Account.ts"
import { MicroUsdc } from "../../../src/domain/ledger/MicroUsdc.ts"
import { credit } from "../../../src/domain/ledger/Movements.ts"
import { LedgerId } from "../../../src/domain/ledger/Transaction.ts"
import type { LedgerCurrency } from "../../../src/domain/ledger/Transaction.ts"
import { Address, CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { UsdPrice } from "../../../src/domain/money/Usd.ts"
import type { Agreement } from "../../../src/domain/sponsorship/Agreement.ts"
import type { Charge } from "../../../src/domain/sponsorship/Charge.ts"
import { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import { describeStores } from "../testing/stores.ts"
import type { StorePorts } from "../testing/StoreLayers.ts"
import { addressTransfer } from "../testing/Transfers.ts"

const DAY = 86_400_000
const address = (n: number) => Address.make(`0x${n.toString(16).padStart(40, "0")}`)
const requestOf = (n: number) => RequestId.make(`0x${n.toString(16).padStart(64, "0")}`)
const currency: LedgerCurrency = {
  chainId: ChainId.make(616102),
  address: CurrencyAddress.make("0x00000000000000000000000000000000000000c1")
}
const wallet = address(1)
const key = ApiKeyId.make("key")
const { AppFeePending, Hold, Receivable, Revenue, Wallet } = Account.cases

const ofRequest = (n: number, changes: Partial<SponsorHold> = {}): SponsorHold => ({
  request: requestOf(n),
  claimant: "a@0",
  key,
  wallet,
  recipient: address(9),
  currency,
  units: MicroUsdc(10n),
  ...changes
})

const priced = {
  currency: {
    chainId: currency.chainId,
    address: currency.address,
    symbol: "D",
    name: "D",
    decimals: 6,
    isNative: false
  },
  price: UsdPrice(10n ** 36n)
}
const agreement: Agreement = {
  wallet,
  selection: { _tag: "Defaulted", components: ["execution", "swap", "service", "app"] },
  kind: "deposit-address",
  feeCurrency: priced,
  fillNative: priced,
  costs: { totals: { execution: 10n, swap: 0n, service: 0n, app: 5n, rent: 0n }, originGas: 0n, fillGas: 0n }
}

const charge: Charge = {
  payer: "sponsor",
  costs: { totals: { execution: 7n, swap: -1n, service: 2n ** 200n, app: 0n, rent: 0n }, originGas: 0n, fillGas: 3n }
}

const settlement = (n: number, captured: bigint, owed: ReadonlyArray<readonly [Address, bigint]> = []) => ({
  request: requestOf(n),
  currency,
  wallet,
  charge,
  gasPaid: 2n ** 70n,
  captured: MicroUsdc(captured),
  owed: owed.map(([recipient, units]) => ({ recipient, units: MicroUsdc(units) }))
})

describeStores((store) => {
  /** A key whose wallet has this balance. */
  const funded = Effect.fnUntraced(function*(units: bigint) {
    const keys = yield* ApiKeys
    const ledger = yield* Ledger
    yield* keys.add({ id: key, label: "", wallet }, apiKeyHash("secret"), 1)
    yield* ledger.post(Result.getOrThrow(credit({ id: LedgerId.make("c"), currency, wallet, units })), 1)
  })

  const balance = (account: Account) => Effect.flatMap(Ledger, (ledger) => ledger.balanceOf(account, currency))
  const walletHas = balance(Wallet.make({ wallet }))
  const heldFor = (n: number) => balance(Hold.make({ wallet, request: requestOf(n) }))

  /** Then every account is the sum of its entries. */
  const balanced = <E, R>(effect: Effect.Effect<void, E, R>) =>
    Effect.gen(function*() {
      yield* effect
      const ledger = yield* Ledger
      assert.lengthOf(yield* ledger.differences, 0)
    })
  const test = <E>(name: string, effect: Effect.Effect<void, E, StorePorts>) => store.test(name, balanced(effect))
  const testOnTables = <E>(name: string, effect: Effect.Effect<void, E, StorePorts | SqlClient.SqlClient>) =>
    store.testOnTables(name, balanced(effect))

  test(
    "holds once for a request, under concurrency, and releases when the last claimant gives up",
    Effect.gen(function*() {
      yield* funded(25n)
      const holds = yield* SponsorHolds
      assert.strictEqual(yield* holds.hold(ofRequest(1), 2), "held")
      assert.strictEqual(yield* holds.hold(ofRequest(1), 2), "held")
      assert.strictEqual(yield* holds.hold(ofRequest(1, { claimant: "b@0" }), 2), "held")
      assert.strictEqual(yield* heldFor(1), 10n)
      yield* holds.release(requestOf(1), "a@0", 3)
      yield* holds.release(requestOf(1), "a@0", 3)
      yield* holds.release(requestOf(1), "stranger@0", 3)
      assert.strictEqual(yield* heldFor(1), 10n)
      yield* holds.release(requestOf(1), "b@0", 3)
      assert.deepStrictEqual([yield* heldFor(1), yield* walletHas], [0n, 25n])
      // A released hold may be placed again.
      assert.strictEqual(yield* holds.hold(ofRequest(1), 4), "held")
      assert.deepStrictEqual([yield* heldFor(1), yield* walletHas], [10n, 15n])
      yield* holds.release(requestOf(1), "a@0", 5)
      assert.strictEqual(yield* walletHas, 25n)
    })
  )

  test(
    "captures once, at most what is held; the rest is released, and nothing is held again",
    Effect.gen(function*() {
      yield* funded(25n)
      const holds = yield* SponsorHolds
      yield* holds.hold(ofRequest(1), 2)
      assert.isUndefined(yield* holds.settled(requestOf(1)))
      assert.strictEqual(yield* holds.settle(settlement(1, 7n, [[address(5), 3n]]), 3), 7n)
      assert.strictEqual(yield* holds.settle(settlement(1, 9n, [[address(5), 3n]]), 4), 7n)
      assert.deepStrictEqual([yield* walletHas, yield* heldFor(1), yield* balance(Revenue.make({}))], [18n, 0n, 7n])
      assert.deepStrictEqual([
        yield* balance(Receivable.make({ wallet })),
        yield* balance(AppFeePending.make({ recipient: address(5) }))
      ], [-3n, 3n])
      assert.deepStrictEqual(yield* holds.settled(requestOf(1)), {
        charge,
        gasPaid: 2n ** 70n,
        rentPaid: undefined,
        captured: MicroUsdc(7n)
      })
      assert.strictEqual(yield* holds.hold(ofRequest(1), 5), "settled")
      yield* holds.release(requestOf(1), "a@0", 6)
      assert.strictEqual(yield* walletHas, 18n)
      yield* holds.hold(ofRequest(2), 7)
      assert.strictEqual(yield* holds.settle(settlement(2, 11n), 8), 10n)
      // The rent that the chain reported is stored with the charge, also when it is zero.
      yield* holds.settle({ ...settlement(9, 5n), rentPaid: 0n }, 8)
      assert.strictEqual((yield* holds.settled(requestOf(9)))?.rentPaid, 0n)
      // Without a hold nothing is captured.
      assert.strictEqual(yield* holds.settle(settlement(3, 5n), 9), 0n)
      assert.strictEqual(yield* walletHas, 8n)
    })
  )

  test(
    "refuses what the balance, the link or a budget does not allow, and changes nothing",
    Effect.gen(function*() {
      yield* funded(25n)
      const holds = yield* SponsorHolds
      const budgets = yield* Budgets
      const keys = yield* ApiKeys
      assert.strictEqual(yield* holds.hold(ofRequest(1, { units: MicroUsdc(26n) }), 2), "balance-too-low")
      assert.strictEqual(yield* holds.hold(ofRequest(1, { wallet: address(2) }), 2), "not-linked")
      assert.deepStrictEqual((yield* budgets.find(key, 2))?.spent, MicroUsdc(0n))
      yield* budgets.change(key, { perRecipientPerDay: MicroUsdc(9n) })
      assert.strictEqual(yield* holds.hold(ofRequest(1), 2), "budget-spent")
      yield* budgets.change(key, { perRecipientPerDay: MicroUsdc(10n) })
      assert.strictEqual(yield* holds.hold(ofRequest(1), 2), "held")
      assert.strictEqual(yield* holds.hold(ofRequest(2), 2), "budget-spent")
      assert.strictEqual(yield* holds.hold(ofRequest(2, { recipient: address(8), units: MicroUsdc(1n) }), 2), "held")
      yield* keys.revoke(key, 3)
      assert.strictEqual(
        yield* holds.hold(ofRequest(3, { recipient: address(7), units: MicroUsdc(1n) }), 4),
        "not-linked"
      )
      assert.isUndefined(yield* keys.find(apiKeyHash("secret")))
      assert.deepStrictEqual([yield* walletHas, yield* heldFor(1), yield* heldFor(2), yield* heldFor(3)], [
        14n,
        10n,
        1n,
        0n
      ])
    })
  )

  test(
    "counts a hold as spent on its day, and afterwards only what was captured",
    Effect.gen(function*() {
      yield* funded(1_000n)
      const holds = yield* SponsorHolds
      const budgets = yield* Budgets
      const recipient = address(9)
      const left = (at: number) => budgets.left(key, recipient, at)
      assert.isUndefined(yield* left(1))
      assert.isFalse(yield* budgets.change(ApiKeyId.make("nobody"), { total: MicroUsdc(1n) }))
      assert.isUndefined(yield* budgets.find(ApiKeyId.make("nobody"), 1))
      yield* budgets.change(key, { total: MicroUsdc(100n), perDay: MicroUsdc(30n), defaultCap: MicroUsdc(5n) })
      yield* budgets.change(key, { perRecipientPerDay: MicroUsdc(15n) })
      assert.strictEqual(yield* left(1), 15n)
      yield* holds.hold(ofRequest(1), 1)
      assert.strictEqual(yield* left(1), 5n)
      assert.strictEqual(yield* budgets.left(key, address(8), 1), 15n)
      // A hold that ends the next day, captured or released, changes the spending of its own day.
      yield* holds.settle(settlement(1, 4n), DAY + 1)
      assert.strictEqual(yield* left(1), 11n)
      yield* holds.hold(ofRequest(2), 2)
      yield* holds.release(requestOf(2), "a@0", DAY + 1)
      assert.strictEqual(yield* left(1), 11n)
      yield* budgets.change(key, { perRecipientPerDay: null })
      assert.deepStrictEqual([yield* left(1), yield* left(DAY)], [MicroUsdc(26n), MicroUsdc(30n)])
      yield* budgets.change(key, { total: MicroUsdc(3n), perDay: null, defaultCap: null })
      assert.strictEqual(yield* left(DAY), 0n)
      assert.deepStrictEqual(yield* budgets.find(key, DAY), {
        limits: { total: MicroUsdc(3n) },
        defaultCap: undefined,
        spent: MicroUsdc(4n),
        spentToday: MicroUsdc(0n)
      })
    })
  )

  test(
    "at an open address one request gets the quoted sponsorship; later ones draw on the key's daily allowance, or nothing without one",
    Effect.gen(function*() {
      yield* funded(1_000n)
      const holds = yield* SponsorHolds
      const budgets = yield* Budgets
      const [here, there] = [address(0xa1), address(0xa2)]
      const at = (as: "quote" | "later", worth = 10n, where = here) => ({
        at: { address: where, as, worth: MicroUsdc(worth) }
      })
      const holder = holds.atAddress(here)
      assert.isUndefined(yield* holder)
      assert.strictEqual(yield* holds.hold(ofRequest(1, at("later")), 1), "budget-spent")
      assert.strictEqual(yield* holds.hold(ofRequest(1, at("quote")), 1), "held")
      assert.strictEqual(yield* holds.hold(ofRequest(1, { ...at("quote"), claimant: "b@0" }), 1), "held")
      assert.strictEqual(yield* holds.hold(ofRequest(2, at("quote")), 1), "budget-spent")
      assert.strictEqual(yield* holder, requestOf(1))
      // A reorg removes its deposit: the sponsorship is free again once the last claimant has given up.
      yield* holds.release(requestOf(1), "a@0", 2)
      assert.strictEqual(yield* holds.hold(ofRequest(2, at("quote")), 2), "budget-spent")
      yield* holds.release(requestOf(1), "b@0", 2)
      assert.isUndefined(yield* holder)
      assert.strictEqual(yield* holds.hold(ofRequest(2, at("quote")), 2), "held")
      assert.strictEqual(yield* holds.hold(ofRequest(1, at("quote")), 2), "budget-spent")
      yield* holds.release(requestOf(1), "a@0", 2)
      assert.strictEqual(yield* holder, requestOf(2))
      // A fill that the user paid for after all frees the sponsorship. One that was the sponsor's uses it up, even if
      // it cost nothing.
      yield* holds.settle({ ...settlement(2, 0n), charge: { ...charge, payer: "user" } }, 3)
      assert.isUndefined(yield* holder)
      assert.strictEqual(yield* holds.hold(ofRequest(3, at("quote")), 3), "held")
      yield* holds.settle(settlement(3, 0n), 3)
      yield* holds.release(requestOf(3), "a@0", 3)
      assert.strictEqual(yield* holder, requestOf(3))
      assert.strictEqual(yield* holds.hold(ofRequest(4, at("quote", 10n, there)), 3), "held")
      assert.strictEqual(yield* holds.hold(ofRequest(5, at("quote")), 3), "budget-spent")
      // Opted in: this much per day for each address, including the app fees that the sponsor owes.
      yield* budgets.change(key, { laterPerAddressPerDay: MicroUsdc(25n) })
      const left = (where = here, day = 0) => budgets.leftForLater(key, where, day * DAY + 3)
      assert.strictEqual(yield* holds.hold(ofRequest(5, at("quote", 12n)), 3), "held")
      assert.deepStrictEqual([yield* left(), yield* left(there)], [MicroUsdc(13n), MicroUsdc(25n)])
      assert.strictEqual(yield* holds.hold(ofRequest(6, at("later", 14n)), 3), "budget-spent")
      assert.strictEqual(yield* holds.hold(ofRequest(6, at("later", 13n)), 3), "held")
      assert.strictEqual(
        yield* holds.hold(ofRequest(7, { ...at("later", 1n), units: MicroUsdc(1n) }), 3),
        "budget-spent"
      )
      assert.strictEqual(yield* holds.hold(ofRequest(7, at("later", 25n)), DAY), "held")
      // Captured amounts and owed app fees stay counted, on the day of the hold; released amounts do not.
      yield* holds.settle(settlement(5, 4n), DAY)
      yield* holds.release(requestOf(6), "a@0", DAY)
      yield* holds.settle({ ...settlement(7, 0n), charge: { ...charge, payer: "user" } }, DAY)
      assert.deepStrictEqual([yield* left(), yield* left(here, 1), yield* left(there, 1)], [
        MicroUsdc(19n),
        MicroUsdc(25n),
        MicroUsdc(25n)
      ])
      yield* budgets.change(key, { laterPerAddressPerDay: null, perDay: MicroUsdc(100n) })
      assert.deepStrictEqual([yield* left(), (yield* budgets.find(key, 3))?.limits], [MicroUsdc(0n), {
        perDay: MicroUsdc(100n)
      }])
      // A limit of the key applies to an address too. A refusal by it leaves the address's own budget unchanged.
      yield* budgets.change(key, { laterPerAddressPerDay: MicroUsdc(25n), perDay: MicroUsdc(1n) })
      assert.strictEqual(yield* holds.hold(ofRequest(8, at("quote", 10n, address(0xa3))), 3), "budget-spent")
      assert.isUndefined(yield* holds.atAddress(address(0xa3)))
      assert.strictEqual(yield* left(), 19n)
    })
  )

  test(
    "lists those who were quoted with a sponsor for an address and wait for its money, until they end",
    Effect.gen(function*() {
      yield* funded(1_000n)
      const [holds, transfers] = [yield* SponsorHolds, yield* Transfers]
      const [here, there] = [address(0xa1), address(0xa2)]
      const add = (n: number, where: Address, sponsored: boolean, quotedAt = 10) => {
        const transfer = addressTransfer(n, { address: where, mode: "open", depositor: wallet }, { quotedAt })
        return transfers.add(
          sponsored ? { ...transfer, terms: { ...transfer.terms, sponsorship: agreement } } : transfer
        )
      }
      for (const n of [1, 2, 3, 4, 5]) yield* add(n, here, true)
      yield* add(6, here, false)
      yield* add(7, there, true)
      yield* add(8, here, true, 9)
      yield* transfers.move(requestOf(2), { to: "pending", at: 11 })
      for (const to of ["pending", "submitted", "success"] as const) yield* transfers.move(requestOf(3), { to, at: 11 })
      yield* holds.hold(ofRequest(4), 1)
      yield* holds.hold(ofRequest(5), 1)
      yield* holds.release(requestOf(5), "a@0", 2)
      const waiting = Effect.map(holds.awaited(here, 10), (found) => found.map(({ request }) => request).toSorted())
      assert.deepStrictEqual(yield* waiting, [1, 2, 5].map(requestOf))
      assert.deepStrictEqual((yield* holds.awaited(there, 10)).map(({ sponsorship }) => sponsorship), [agreement])
      // Only the newest requests are examined, however many there are.
      for (let n = 100; n < 147; n += 1) yield* add(n, here, false)
      assert.deepStrictEqual(yield* waiting, [5].map(requestOf))
      // Ends the hold before the ledger is checked.
      yield* holds.settle(settlement(4, 0n), 3)
    })
  )

  test(
    "of 32 concurrent deposits to one open address one gets the quoted sponsorship, and the others at most a day's budget",
    Effect.gen(function*() {
      yield* funded(1_000n)
      const holds = yield* SponsorHolds
      const budgets = yield* Budgets
      yield* budgets.change(key, { laterPerAddressPerDay: MicroUsdc(35n) })
      const here = { address: address(0xa1), as: "quote", worth: MicroUsdc(10n) } as const
      const outcomes = yield* Effect.forEach(
        Array.from({ length: 32 }, (_, n) => n),
        (n) =>
          Effect.retry(holds.hold(ofRequest(n, { at: here, recipient: address(n) }), 1), {
            times: 100,
            while: (error) => error._tag === "StoreUnavailable"
          }),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(
        outcomes.filter((outcome) => outcome === "held").length,
        4
      )
      assert.strictEqual(yield* walletHas, 960n)
    })
  )

  test(
    "deletes spending of days that no limit reads, a few at a time, and can still release what was held on one of them",
    Effect.gen(function*() {
      yield* funded(1_000n)
      const holds = yield* SponsorHolds
      const budgets = yield* Budgets
      yield* budgets.change(key, { perDay: MicroUsdc(30n), perRecipientPerDay: MicroUsdc(15n) })
      const today = 20_778
      const at = (day: number) => day * DAY + 1
      for (const [n, day] of [today - 31, today - 30, today - 1, today].entries()) {
        yield* holds.hold(ofRequest(2 * n, { recipient: address(8) }), at(day))
        yield* holds.hold(ofRequest(2 * n + 1), at(day))
      }
      assert.deepStrictEqual([
        yield* budgets.forgetDays(today - 30, 2),
        yield* budgets.forgetDays(today - 30, 2),
        yield* budgets.forgetDays(today - 30, 2)
      ], [2, 1, 0])
      assert.deepStrictEqual([
        yield* budgets.left(key, address(9), at(today)),
        (yield* budgets.find(key, at(today)))?.spent
      ], [MicroUsdc(5n), MicroUsdc(80n)])
      // Holds of the deleted day: one is captured in part, and one is released in full.
      assert.strictEqual(yield* holds.settle(settlement(0, 4n), at(today)), 4n)
      yield* holds.release(requestOf(1), "a@0", at(today))
      assert.deepStrictEqual((yield* budgets.find(key, at(today)))?.spent, MicroUsdc(64n))
      assert.deepStrictEqual([yield* walletHas, yield* heldFor(0), yield* heldFor(1)], [936n, 0n, 0n])
    })
  )

  testOnTables(
    "forgets the rows of those days and no others, and makes none of them again by giving back",
    Effect.gen(function*() {
      yield* funded(1_000n)
      const holds = yield* SponsorHolds
      const budgets = yield* Budgets
      const sql = yield* SqlClient.SqlClient
      const today = 20_778
      const at = (day: number) => day * DAY + 1
      for (const [n, day] of [today - 1, today].entries()) yield* holds.hold(ofRequest(n), at(day))
      const rows = Effect.map(
        sql<{ readonly scope: string }>`SELECT scope FROM budget_spent`,
        (all) => new Set(all.map(({ scope }) => scope))
      )
      const ofDay = (day: number) => [`day:${day}`, `day:${day}:${address(9)}`]
      assert.deepStrictEqual(yield* rows, new Set(["total", ...[today - 1, today].flatMap(ofDay)]))
      assert.strictEqual(yield* budgets.forgetDays(today, 9), 2)
      yield* holds.release(requestOf(0), "a@0", at(today))
      assert.deepStrictEqual(yield* rows, new Set(["total", ...ofDay(today)]))
    })
  )

  test(
    "deletes a day while a hold of it is released, under any number of workers",
    Effect.gen(function*() {
      yield* funded(1_000n)
      const holds = yield* SponsorHolds
      const budgets = yield* Budgets
      const all = Array.from({ length: 24 }, (_, n) => n)
      yield* Effect.forEach(
        all,
        (n) => holds.hold(ofRequest(n, { recipient: address(100 + n % 5) }), 20_000 * DAY + 1),
        { discard: true }
      )
      yield* Effect.forEach(
        all,
        (n) =>
          Effect.all([holds.settle(settlement(n, 4n), 20_040 * DAY), budgets.forgetDays(20_010, 2)], {
            concurrency: "unbounded"
          }),
        { concurrency: 8, discard: true }
      )
      yield* Effect.repeat(budgets.forgetDays(20_010, 2), { until: (count) => count === 0 })
      assert.deepStrictEqual(yield* budgets.find(key, 20_000 * DAY), {
        limits: {},
        defaultCap: undefined,
        spent: MicroUsdc(96n),
        spentToday: MicroUsdc(0n)
      })
    })
  )

  test(
    "the first record of who pays for an amount stays",
    Effect.gen(function*() {
      const holds = yield* SponsorHolds
      yield* holds.noteCharge(requestOf(1), 2n ** 250n, charge)
      yield* holds.noteCharge(requestOf(1), 2n ** 250n, { ...charge, payer: "user" })
      assert.deepStrictEqual(yield* holds.chargeOf(requestOf(1), 2n ** 250n), charge)
      assert.isUndefined(yield* holds.chargeOf(requestOf(1), 1n))
      assert.isUndefined(yield* holds.chargeOf(requestOf(2), 2n ** 250n))
    })
  )

  test(
    "64 concurrent requests never take more than balance or budget, and end correctly",
    Effect.gen(function*() {
      yield* funded(320n)
      const holds = yield* SponsorHolds
      const budgets = yield* Budgets
      yield* budgets.change(key, { perDay: MicroUsdc(315n), perRecipientPerDay: MicroUsdc(159n) })
      const all = Array.from({ length: 64 }, (_, n) => n)
      const patiently = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
        Effect.retry(effect, { times: 100, while: (error) => error._tag === "StoreUnavailable" })
      const outcomes = yield* Effect.forEach(
        all,
        (n) => patiently(holds.hold(ofRequest(n, { recipient: address(100 + n % 2) }), 1)),
        { concurrency: "unbounded" }
      )
      // Fifteen holds of ten for each of two recipients. The day's 315 and the balance's 320 would allow one more.
      assert.strictEqual(outcomes.filter((outcome) => outcome === "held").length, 30)
      assert.strictEqual(outcomes.filter((outcome) => outcome === "budget-spent").length, 34)
      assert.strictEqual(yield* walletHas, 20n)
      yield* budgets.change(key, { perDay: null, perRecipientPerDay: null })
      const more = yield* Effect.forEach(
        all,
        (n) => patiently(holds.hold(ofRequest(100 + n, { units: MicroUsdc(7n) }), 1)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(more.filter((outcome) => outcome === "held").length, 2)
      assert.strictEqual(more.filter((outcome) => outcome === "balance-too-low").length, 62)
      // Holds are captured and released at the same time; each ends in exactly one way.
      yield* Effect.forEach(
        all,
        (n) =>
          Effect.all(
            [patiently(holds.settle(settlement(n, 4n), 2)), patiently(holds.release(requestOf(n), "a@0", 2))],
            {
              concurrency: "unbounded"
            }
          ),
        { concurrency: "unbounded" }
      )
      const [earned, left] = [yield* balance(Revenue.make({})), yield* walletHas]
      assert.strictEqual(earned + left, 320n - 14n)
      assert.isTrue(earned % 4n === 0n && earned <= 120n)
      assert.strictEqual((yield* budgets.find(key, 1))?.spent, MicroUsdc(earned + 14n))
    })
  )
})
