/**
 * What a sponsor pays for a deposit that gets a request of its own, by what is known of the address when it is quoted.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Budgets } from "../../../ports/store/ledger/Budgets.ts"
import type { KeptAddress } from "../../../ports/store/orders/DepositAddresses.ts"
import { SponsorHolds } from "../../../ports/store/ledger/SponsorHolds.ts"
import { Sweeps } from "../../../ports/store/orders/Sweeps.ts"
import type { Sweep } from "../../../ports/store/orders/Sweeps.ts"
import { TransferHistory } from "../../../ports/store/orders/TransferHistory.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import { ApiKeyId } from "../../domain/api-key/ApiKey.ts"
import type { ApiKey } from "../../domain/api-key/ApiKey.ts"
import { MicroUsdc } from "../../domain/ledger/MicroUsdc.ts"
import { Address, CurrencyAddress } from "../../domain/chain/Address.ts"
import { ChainId } from "../../domain/chain/ChainId.ts"
import { UsdPrice } from "../../domain/money/Usd.ts"
import { OrderId } from "../../domain/order/Order.ts"
import type { QuoteRequest } from "../../domain/quote/request/QuoteRequest.ts"
import { RequestId } from "../../domain/transfer/RequestId.ts"
import type { Status } from "../../domain/transfer/Status.ts"
import type { Transfer } from "../../domain/transfer/Transfer.ts"
import { sponsoredRequest } from "./SponsoredLater.ts"

const chainId = ChainId.make(1)
const currency = CurrencyAddress.make("0x0000000000000000000000000000000000000000")
const address = Address.make("0x00000000000000000000000000000000000000a1")
const [own, before] = [OrderId.make(`0x${"1".repeat(64)}`), OrderId.make(`0x${"2".repeat(64)}`)]
const requestOf = (n: number) => RequestId.make(`0x${n.toString().repeat(64)}`)
const kept = {
  requestId: requestOf(1),
  chainId,
  address,
  mode: "open",
  orderId: own,
  depositor: address,
  currency
} as KeptAddress
const priced = {
  currency: { chainId, address: currency, symbol: "D", name: "D", decimals: 6, isNative: true },
  price: UsdPrice(10n ** 36n)
}

/** Ten are drawn for it and five owed. */
const first = {
  terms: {
    amountIn: 100n,
    originChainId: chainId,
    originCurrency: currency,
    sponsorship: {
      wallet: address,
      selection: { _tag: "Defaulted", components: ["execution", "swap", "service", "app"] },
      kind: "deposit-address",
      feeCurrency: priced,
      fillNative: priced,
      costs: { totals: { execution: 10n, swap: 0n, service: 0n, app: 5n, rent: 0n }, originGas: 0n, fillGas: 0n }
    }
  }
} as unknown as Transfer

const request = { subsidizeFees: true, topupGas: true, topupGasAmount: 7n } as unknown as QuoteRequest
const key: ApiKey = { id: ApiKeyId.make("key"), label: "" }

interface Known {
  /** Who has what was quoted for the address. */
  readonly holder?: boolean
  readonly left?: bigint
  /** Requests of the address, by number, that were quoted with the sponsorship of `first` and have nothing held. */
  readonly awaited?: ReadonlyArray<number>
  /** What has come under the address's own order and under that of the sweep before, and how far these are. */
  readonly seen?: Readonly<Record<string, readonly [units: bigint, status: Status]>>
}

const ask = (
  { awaited = [], holder, left = 0n, seen = {} }: Known,
  came: { readonly units?: bigint; readonly chainId?: ChainId } = {},
  { body = request, by = key }: { readonly body?: QuoteRequest; readonly by?: ApiKey | "revoked" } = {}
) =>
  sponsoredRequest(kept, first, body, by === "revoked" ? undefined : by, {
    chainId,
    currency,
    units: 100n,
    number: 2,
    queuedAt: 0,
    ...came
  }).pipe(Effect.provide(Layer.mergeAll(
    Layer.mock(SponsorHolds, {
      awaited: () =>
        Effect.succeed(
          awaited.flatMap((n) =>
            first.terms.sponsorship === undefined
              ? []
              : [{ request: requestOf(n), sponsorship: first.terms.sponsorship }]
          )
        ),
      atAddress: () => Effect.succeed(holder === true ? RequestId.make(`0x${"3".repeat(64)}`) : undefined)
    }),
    Layer.mock(Budgets, { leftForLater: () => Effect.succeed(MicroUsdc(left)) }),
    Layer.mock(Sweeps, { find: () => Effect.succeed({ depositId: before } as Sweep) }),
    Layer.mock(Transfers, {
      findByOrder: (order) =>
        Effect.sync(() => {
          const [units, status] = seen[order] ?? []
          return units === undefined
            ? undefined
            : { status, terms: { ...first.terms, amountIn: order === own ? 100n : units } } as unknown as Transfer
        })
    }),
    Layer.mock(TransferHistory, {
      deposits: (order) =>
        Effect.succeed(
          (seen[order] === undefined ? [] : [{ deposit: { chainId, currency, amount: seen[order][0] } }]) as never
        )
    })
  )))

const capOf = (asked: Effect.Success<ReturnType<typeof ask>>) =>
  asked.subsidizeFees === true ? asked.maxSubsidizationAmount : "unsponsored"

describe("a deposit with a request of its own", () => {
  it.effect("gets the address's quoted sponsorship, with the sponsored app fees, while no other deposit has it", () =>
    Effect.gen(function*() {
      const free = yield* ask({})
      assert.strictEqual(capOf(free), 15n)
      assert.strictEqual(free.topupGas, true)
      assert.strictEqual(capOf(yield* ask({}, { units: 1_000n })), 15n)
      assert.strictEqual(capOf(yield* ask({}, {}, { body: { ...request, maxSubsidizationAmount: 4n } })), 4n)
      assert.strictEqual(capOf(yield* ask({}, {}, { by: { ...key, defaultCap: MicroUsdc(3n) } })), 3n)
      assert.strictEqual(
        capOf(
          yield* ask({}, {}, {
            body: { ...request, maxSubsidizationAmount: 4n },
            by: { ...key, defaultCap: MicroUsdc(3n) }
          })
        ),
        4n
      )
    }))

  it.effect("draws on the day's budget if it is smaller, on another chain, or later than the deposit with the quoted sponsorship", () =>
    Effect.gen(function*() {
      assert.strictEqual(capOf(yield* ask({ left: 6n }, { units: 99n })), 6n)
      assert.strictEqual(capOf(yield* ask({ left: 6n }, { chainId: ChainId.make(2) })), 6n)
      assert.strictEqual(capOf(yield* ask({ left: 6n, holder: true })), 6n)
      assert.strictEqual(capOf(yield* ask({ holder: true })), "unsponsored")
    }))

  it.effect("leaves other quotes the sponsorship that they do not hold yet, but not the address's own quote", () =>
    Effect.gen(function*() {
      assert.strictEqual(capOf(yield* ask({ left: 36n, holder: true, awaited: [1] })), 36n)
      assert.strictEqual(capOf(yield* ask({ left: 36n, holder: true, awaited: [1, 2, 3] })), 6n)
      assert.strictEqual(capOf(yield* ask({ left: 30n, holder: true, awaited: [2, 3] })), "unsponsored")
      assert.strictEqual(capOf(yield* ask({ left: 7n, holder: true, awaited: [2] })), "unsponsored")
    }))

  it.effect("waits for no other deposit: an earlier one that is not judged yet may still get it", () =>
    Effect.gen(function*() {
      assert.strictEqual(capOf(yield* ask({ seen: { [own]: [100n, "pending"] } })), "unsponsored")
      assert.strictEqual(capOf(yield* ask({ seen: { [before]: [120n, "waiting"] } })), "unsponsored")
      assert.strictEqual(capOf(yield* ask({ seen: { [own]: [99n, "pending"], [before]: [50n, "pending"] } })), 15n)
      assert.strictEqual(capOf(yield* ask({ seen: { [own]: [100n, "refund"], [before]: [120n, "success"] } })), 15n)
    }))

  it.effect("has no gas topup when the sponsor who was to pay it does not; without a requested sponsor the user pays as asked", () =>
    Effect.gen(function*() {
      const unpaid = yield* ask({}, { units: 99n })
      assert.deepStrictEqual([unpaid.subsidizeFees, unpaid.topupGas, unpaid.topupGasAmount, unpaid.amount], [
        undefined,
        undefined,
        undefined,
        99n
      ])
      assert.strictEqual(capOf(yield* ask({}, {}, { by: "revoked" })), "unsponsored")
      const { subsidizeFees: _, ...alone } = request
      assert.strictEqual((yield* ask({}, {}, { body: alone })).topupGas, true)
    }))
})
