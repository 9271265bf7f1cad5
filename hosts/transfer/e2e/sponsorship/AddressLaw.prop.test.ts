/**
 * The property of sponsors at an open deposit address, over sequences of any actors' actions there, on a real store. A
 * quote draws at most what it quoted. All other deposits at its address draw at most the key's budget of each day.
 */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer, Redacted, Result } from "effect"
import * as fc from "fast-check"
import * as SqlApiKeys from "../../../../adapters/storage/clients/ApiKeys.ts"
import * as SqlBudgets from "../../../../adapters/storage/ledger/Budgets.ts"
import { layerDatabase } from "../../../../adapters/storage/engine/Database.ts"
import { layerMigrations } from "../../../../adapters/storage/engine/Migrations.ts"
import * as SqlLedger from "../../../../adapters/storage/ledger/Ledger.ts"
import { migrations } from "../../../../adapters/storage/migrations/index.ts"
import * as SqlSponsorHolds from "../../../../adapters/storage/ledger/SponsorHolds.ts"
import { ApiKeys } from "../../../../ports/store/clients/ApiKeys.ts"
import { Budgets } from "../../../../ports/store/ledger/Budgets.ts"
import { DepositAddresses } from "../../../../ports/store/orders/DepositAddresses.ts"
import type { KeptAddress } from "../../../../ports/store/orders/DepositAddresses.ts"
import { Ledger } from "../../../../ports/store/ledger/Ledger.ts"
import { SettlementChain } from "../../../../ports/hub/SettlementChain.ts"
import { SponsorHolds } from "../../../../ports/store/ledger/SponsorHolds.ts"
import { Transfers } from "../../../../ports/store/orders/Transfers.ts"
import { inputs } from "../../../../scripts/testing/Tally.ts"
import { ApiKeyId, apiKeyHash } from "../../../../src/domain/api-key/ApiKey.ts"
import { Account } from "../../../../src/domain/ledger/Account.ts"
import { MicroUsdc } from "../../../../src/domain/ledger/MicroUsdc.ts"
import { credit } from "../../../../src/domain/ledger/Movements.ts"
import { LedgerId } from "../../../../src/domain/ledger/Transaction.ts"
import { Address, CurrencyAddress } from "../../../../src/domain/chain/Address.ts"
import type { Chain } from "../../../../src/domain/chain/Chain.ts"
import { ChainId } from "../../../../src/domain/chain/ChainId.ts"
import { Hex32 } from "../../../../src/domain/encoding/Hex.ts"
import { UsdPrice } from "../../../../src/domain/money/Usd.ts"
import type { Agreement } from "../../../../src/domain/sponsorship/Agreement.ts"
import type { Deposit } from "../../../../src/domain/transfer/deposit/Deposit.ts"
import { RequestId } from "../../../../src/domain/transfer/RequestId.ts"
import type { Transfer } from "../../../../src/domain/transfer/Transfer.ts"
import { holdSponsor, releaseSponsor } from "../../../../src/services/filling/HoldSponsor.ts"
import { clockAt } from "../../testing/ToldClock.ts"

const DAY = 86_400_000
const BALANCE = 10_000n
/** What the address was quoted for, and what that quote draws. */
const AMOUNT = 100n
const QUOTED = 10n

const chainId = ChainId.make(1)
const elsewhere = ChainId.make(2)
const currency = CurrencyAddress.make(`0x${"c".repeat(40)}`)
const hex = (n: number, bytes: number): `0x${string}` => `0x${n.toString(16).padStart(2 * bytes, "0")}`
const priced = {
  currency: { chainId, address: currency, symbol: "D", name: "D", decimals: 6, isNative: false },
  price: UsdPrice(10n ** 36n)
}

interface Asked {
  readonly amountIn: bigint
  readonly draw: bigint
  readonly app: bigint
  readonly from: ChainId
}

const agreement = (wallet: Address, { app, draw }: Asked): Agreement => ({
  wallet,
  selection: { _tag: "Defaulted", components: ["execution", "swap", "service", "app"] },
  kind: "deposit-address",
  feeCurrency: priced,
  fillNative: priced,
  costs: { totals: { execution: draw, swap: 0n, service: 0n, app, rent: 0n }, originGas: 0n, fillGas: 0n }
})

/** The quote's own request, and those of later deposits with any quoted terms: everything that a store may hold. */
const laterAsked: fc.Arbitrary<Asked> = fc.record({
  amountIn: fc.constantFrom(60n, AMOUNT, 140n),
  draw: fc.bigInt({ min: 1n, max: 14n }),
  app: fc.constantFrom(0n, 3n),
  from: fc.constantFrom(chainId, chainId, elsewhere)
})

type Move =
  | {
    readonly _tag: "see" | "gone" | "fill"
    readonly request: number
    readonly deposit: number
    readonly units: bigint
    readonly part: bigint
  }
  | { readonly _tag: "budget"; readonly units: bigint }
  | { readonly _tag: "night" }

const onDeposit = (tag: "see" | "gone" | "fill"): fc.Arbitrary<Move> =>
  fc.record({
    _tag: fc.constant(tag),
    request: fc.nat({ max: 4 }),
    deposit: fc.nat({ max: 1 }),
    units: fc.constantFrom(60n, AMOUNT - 1n, AMOUNT, 140n),
    part: fc.bigInt({ min: 0n, max: 2n })
  })

const moves = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: onDeposit("see") },
    { weight: 3, arbitrary: onDeposit("gone") },
    { weight: 6, arbitrary: onDeposit("fill") },
    {
      weight: 3,
      arbitrary: fc.record({ _tag: fc.constant("budget" as const), units: fc.constantFrom(0n, 12n, 14n, 25n) })
    },
    { weight: 1, arbitrary: fc.constant<Move>({ _tag: "night" }) }
  ),
  { minLength: 4, maxLength: 24 }
)

const stores = Layer.mergeAll(
  SqlApiKeys.layer,
  SqlBudgets.layer,
  Layer.provideMerge(SqlSponsorHolds.layer, SqlLedger.layer)
).pipe(
  Layer.provideMerge(layerMigrations(migrations)),
  Layer.provide(layerDatabase(Redacted.make("sqlite::memory:")))
)

let worlds = 0

/** Plays the moves at a separate address. Returns the most that was ever taken from the sponsor's balance. */
const play = Effect.fnUntraced(function*(asked: ReadonlyArray<Asked>, sequence: ReadonlyArray<Move>) {
  worlds += 1
  const [wallet, address, keyId] = [
    Address.make(hex(worlds, 20)),
    Address.make(hex(2 ** 40 + worlds, 20)),
    ApiKeyId.make(`key-${worlds}`)
  ]
  const [keys, ledger, budgets, holds] = [yield* ApiKeys, yield* Ledger, yield* Budgets, yield* SponsorHolds]
  const settlement = { chain: { id: chainId } as Chain, token: currency }
  yield* keys.add({ id: keyId, label: "", wallet }, apiKeyHash(`secret-${worlds}`), 1)
  yield* ledger.post(
    Result.getOrThrow(
      credit({ id: LedgerId.make(`c-${worlds}`), currency: { chainId, address: currency }, wallet, units: BALANCE })
    ),
    1
  )

  const transfers = [{ amountIn: AMOUNT, draw: QUOTED, app: 0n, from: chainId }, ...asked].map((each, n) => ({
    id: RequestId.make(hex(worlds * 16 + n, 32)),
    apiKeyId: keyId,
    terms: {
      amountIn: each.amountIn,
      originChainId: each.from,
      originCurrency: currency,
      recipient: Address.make(hex(n + 1, 20)),
      sponsorship: agreement(wallet, each),
      depositAddress: { address, mode: "open" }
    }
  } as unknown as Transfer))
  const [first] = transfers
  if (first === undefined) return 0n
  const known = Layer.mergeAll(
    Layer.mock(DepositAddresses, { findByRequest: () => Effect.succeed({ requestId: first.id } as KeptAddress) }),
    Layer.mock(Transfers, { find: () => Effect.succeed(first) }),
    Layer.succeed(SettlementChain, settlement as SettlementChain["Service"])
  )

  let [day, budget, allowed, most] = [0, 0n, 0n, 0n]
  /** The highest limit on this day. */
  let today = 0n
  const now = () => day * DAY + 1
  const clock = clockAt(now)
  const claimantOf = (
    transfer: Transfer,
    { deposit, request, units }: Extract<Move, { readonly request: number }>
  ) => ({
    deposit: {
      onchainId: Hex32.make(hex(request * 2 + deposit, 32)),
      chainId: transfer.terms.originChainId,
      currency,
      amount: units
    } as Deposit,
    sighting: 0
  })
  const carryOut = Effect.fnUntraced(function*(move: Move) {
    if (move._tag === "night") {
      day += 1
      today = budget
      allowed += today
    } else if (move._tag === "budget") {
      budget = move.units
      yield* budgets.change(keyId, { laterPerAddressPerDay: MicroUsdc(budget) })
      if (budget > today) {
        allowed += budget - today
        today = budget
      }
    } else {
      const transfer = transfers[move.request] ?? first
      const claimant = claimantOf(transfer, move)
      if (move._tag === "gone") return yield* releaseSponsor(transfer, claimant)
      const isHeld = yield* holdSponsor(transfer, claimant)
      if (move._tag === "see") return
      const { sponsorship } = transfer.terms
      if (sponsorship === undefined) return
      const draw = sponsorship.costs.totals.execution
      yield* holds.settle({
        request: transfer.id,
        currency: { chainId, address: currency },
        wallet,
        gasPaid: 0n,
        owed: [],
        charge: { payer: isHeld ? "sponsor" : "user", costs: sponsorship.costs },
        captured: MicroUsdc(isHeld ? draw * move.part / 2n : 0n)
      }, now())
    }
  })
  for (const move of sequence) {
    yield* carryOut(move).pipe(Effect.provideService(Clock.Clock, clock), Effect.provide(known))
    const taken = BALANCE -
      (yield* ledger.balanceOf(Account.cases.Wallet.make({ wallet }), { chainId, address: currency }))
    // Nothing is charged for the quote while no deposit has its sponsorship.
    const bound = allowed + ((yield* holds.atAddress(address)) === undefined ? 0n : QUOTED)
    assert.isTrue(
      taken <= bound,
      `${taken} are taken of ${bound} after ${sequence.map((each) => each._tag).join(", ")}`
    )
    if (taken > most) most = taken
  }
  return most
})

describe("any sequence of deposits, reorgs, rechecks and fills at an open deposit address", () => {
  it.live("draws on its sponsor at most what was quoted, plus the daily budget of later deposits", () =>
    Effect.gen(function*() {
      const run = Effect.runPromiseWith(yield* Effect.context<ApiKeys | Budgets | Ledger | SponsorHolds>())
      // What is allowed is reached: the quote's own ten, and of a budget of twelve one later deposit's, not two.
      const later: Asked = { amountIn: AMOUNT, draw: QUOTED, app: 0n, from: chainId }
      const filled = (request: number): Move => ({ _tag: "fill", request, deposit: 0, units: AMOUNT, part: 2n })
      assert.strictEqual(yield* play([later, later], [filled(0)]), QUOTED)
      assert.strictEqual(
        yield* play([later, later], [filled(0), { _tag: "budget", units: 12n }, filled(1), filled(2)]),
        2n * QUOTED
      )
      yield* Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(fc.array(laterAsked, { minLength: 4, maxLength: 4 }), moves, async (asked, sequence) => {
            await run(play(asked, sequence))
          }),
          { numRuns: inputs(400, 10_000) }
        )
      )
    }).pipe(Effect.provide(stores)))
})
