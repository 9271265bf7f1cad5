/** Quoting on in-memory ports, and requests to ask it with. */
import * as Effect from "effect/Effect"
import { layerWebCrypto } from "effect/crypto/SecureRandom"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Chains } from "../../../../ports/chain/Chains.ts"
import { DepositWatcher } from "../../../../ports/chain/DepositWatcher.ts"
import { Gas, nothingToOpen } from "../../../../ports/chain/Gas.ts"
import { callsRecipient } from "../../../../ports/chain/PaymentKinds.ts"
import { PermitTokens } from "../../../../ports/chain/PermitTokens.ts"
import { SentTransactions } from "../../../../ports/chain/SentTransactions.ts"
import { DepositUnfit, StepBuilder } from "../../../../ports/chain/StepBuilder.ts"
import type { DepositWay, NamedDeposit } from "../../../../ports/chain/StepBuilder.ts"
import { Treasury } from "../../../../ports/chain/Treasury.ts"
import { SettlementChain } from "../../../../ports/hub/SettlementChain.ts"
import { Prices } from "../../../../ports/market/Prices.ts"
import { OrderSigner } from "../../../../ports/signing/OrderSigner.ts"
import { StoreUnavailable } from "../../../../ports/store/StoreUnavailable.ts"
import { Budgets } from "../../../../ports/store/ledger/Budgets.ts"
import { CallLosses } from "../../../../ports/store/ledger/CallLosses.ts"
import { Ledger } from "../../../../ports/store/ledger/Ledger.ts"
import { CalldataAllowances } from "../../../../ports/store/orders/CalldataAllowances.ts"
import { DepositKeys } from "../../../../ports/store/orders/DepositKeys.ts"
import { Deposits } from "../../../../ports/store/orders/Deposits.ts"
import { InventoryReservations } from "../../../../ports/store/orders/InventoryReservations.ts"
import { Transfers } from "../../../../ports/store/orders/Transfers.ts"
import type { FamilyRules } from "../../../domain/families/FamilyRules.ts"
import { QuoteRequest } from "../../../domain/quote/request/QuoteRequest.ts"
import { evmAddress } from "../../../domain/quote/testing/Chains.ts"
import type { Transfer } from "../../../domain/transfer/Transfer.ts"
import { CheckedConfiguration, ConfigurationContradicted } from "../../operations/CheckedConfiguration.ts"
import { defaultPolicy, Policy } from "../../operations/Policy.ts"
import { layer, Quoting } from "../Quoting.ts"
import { atMarket, chains, find, pools } from "./Market.ts"
import type { ApiKey } from "../../../domain/api-key/ApiKey.ts"
import type { ChainId } from "../../../domain/chain/ChainId.ts"
import { MicroUsdc } from "../../../domain/ledger/MicroUsdc.ts"
import type { KeptAddress } from "../../../../ports/store/orders/DepositAddresses.ts"

export const [alpha, beta] = chains
export const STORE_DOWN = new StoreUnavailable({ operation: "test" })

/** In-memory ports, what was asked of them in order, and what they are made to say. */
export const makeWorld = (
  {
    balance = 10n ** 12n,
    budget,
    callsMost = 10n ** 12n,
    canName,
    canFail = false,
    disabled,
    isScanned = true,
    fillGas = 10n ** 12n,
    hasCode = false,
    held = 10n ** 30n,
    lost = 0n,
    store = "up",
    unfit,
    units = 50_000n
  }: {
    /** What the sponsor's wallet has, and what its key may still spend, micro-USDC. */
    balance?: bigint
    budget?: bigint
    /** What a fill with txs can cost, smallest units of the native currency. */
    callsMost?: bigint
    /** Which orders transactions can name. Any, unless given. */
    canName?: NonNullable<FamilyRules["canName"]>
    /** A chain whose configuration is contradicted. */
    disabled?: ChainId
    /** Whether scans of the chains have begun. */
    isScanned?: boolean
    /** What a payment costs, smallest units of the native currency. */
    fillGas?: bigint
    /** Whether recipients of tokens can make a fill fail. */
    canFail?: boolean
    /** Whether recipients of native currency have code. */
    hasCode?: boolean
    held?: bigint
    /** Gas that a fill takes in a trial. */
    units?: bigint
    /** What reverted calls have cost today, micro-dollars. */
    lost?: bigint
    store?: "up" | "down"
    /** Why no deposit can be made. */
    unfit?: DepositUnfit["reason"]
  } = {}
) => {
  const log: Array<string> = []
  const stored: Array<Transfer> = []
  const ways: Array<DepositWay> = []
  const named: Array<NamedDeposit> = []
  const signed: Array<string> = []
  const at = { height: 7n, hash: "0x07", time: 7 }
  const ports = Layer.mergeAll(
    Layer.succeed(Chains, {
      all: canName === undefined
        ? chains
        : chains.map((chain) => ({ ...chain, family: { ...chain.family, canName } }))
    }),
    Layer.succeed(SettlementChain, { chain: alpha, token: find(alpha, "USDC").address }),
    Layer.mock(CheckedConfiguration, {
      assertServing: (used) =>
        used.some(({ chainId }) => chainId === disabled)
          ? Effect.fail(new ConfigurationContradicted({ message: "contradicted" }))
          : Effect.void
    }),
    Layer.mock(Transfers, {
      add: (transfer, scanFrom) =>
        store === "down" ? Effect.fail(STORE_DOWN) : Effect.sync(() => {
          log.push(scanFrom === undefined ? "stored" : "stored with its scan")
          stored.push(transfer)
        })
    }),
    Layer.succeed(StepBuilder, {
      prepare: ({ way }) =>
        unfit === undefined
          ? Effect.sync(() => {
            ways.push(way)
            return { userBalance: 5n, gas: 11n, steps: (it: NamedDeposit) => (named.push(it), []) }
          })
          : Effect.fail(new DepositUnfit({ reason: unfit }))
    }),
    Layer.mock(SentTransactions, { accountsOn: () => [evmAddress("50"), evmAddress("51")] }),
    Layer.succeed(OrderSigner, {
      solver: evmAddress("50"),
      sign: (id) => Effect.sync(() => (signed.push(id), `signed ${id}`))
    }),
    Layer.succeed(Prices, { priceOf: (of) => Effect.succeed(atMarket(of)) }),
    Layer.mock(Gas, {
      opening: (payment) =>
        Effect.succeed(
          callsRecipient(payment)
            ? { ...nothingToOpen, code: hasCode ? "present" : "possible" }
            : { ...nothingToOpen, ...(canFail ? { canFail: true as const } : {}) }
        ),
      ofPayment: (payment) => Effect.succeed(payment._tag === "Fill" ? fillGas : 10n ** 12n),
      ofSweep: () => Effect.succeed(10n ** 12n),
      unitsOf: () => Effect.succeed(units),
      mostOfCalls: () => Effect.succeed(callsMost)
    }),
    Layer.mock(PermitTokens, { wayOf: () => Effect.undefined }),
    Layer.succeed(Policy, defaultPolicy),
    Layer.mock(Treasury, { inventory: () => Effect.succeed([held]), replacing: () => undefined }),
    Layer.mock(InventoryReservations, {
      claims: () => Effect.succeed({ promised: 0n, largestPromise: 0n, waiting: [] })
    }),
    pools([9_970n]),
    Layer.mock(Ledger, { balanceOf: () => Effect.succeed(balance) }),
    Layer.mock(Budgets, { left: () => Effect.succeed(budget === undefined ? undefined : MicroUsdc(budget)) }),
    Layer.mock(CallLosses, { recentlySpent: Effect.succeed(lost) }),
    Layer.mock(CalldataAllowances, { take: () => Effect.sync(() => (log.push("calldata"), true)) }),
    Layer.mock(Deposits, {
      cursor: () => Effect.succeed(isScanned ? at : undefined),
      anchor: (id) => Effect.sync(() => void log.push(`scans of ${id}`))
    }),
    Layer.mock(DepositKeys, {}),
    Layer.mock(DepositWatcher, { head: () => Effect.sync(() => (log.push("head"), at)) }),
    layerWebCrypto
  )
  const served = Layer.provide(layer({ service: "test", router: "test", statusPath: "/status" }), ports)
  const quote = (body: QuoteRequest, key?: ApiKey) =>
    Effect.gen(function*() {
      const quoting = yield* Quoting
      return yield* quoting.quote(yield* quoting.newRequestId, body, key, "/status")
    }).pipe(Effect.provide(served), Effect.result)
  const price = (body: QuoteRequest, key?: ApiKey) =>
    Effect.flatMap(Quoting, (quoting) => quoting.price(body, key)).pipe(Effect.provide(served), Effect.result)
  const quoteLater = (at: KeptAddress, body: QuoteRequest, key?: ApiKey) =>
    Effect.flatMap(Quoting, (quoting) => quoting.quoteLater(at, body, key)).pipe(Effect.provide(served), Effect.result)
  return { log, stored, ways, named, signed, quote, price, quoteLater }
}

export interface Case {
  readonly chain: "alpha" | "beta"
  readonly from: string
  readonly to: string
  readonly tradeType: "EXACT_INPUT" | "EXPECTED_OUTPUT" | "EXACT_OUTPUT"
  readonly own: boolean
  readonly dollars: bigint
}

const perDollar: Readonly<Record<string, bigint>> = { ETH: 4n * 10n ** 14n, GEM: 3n * 10n ** 17n }

export const bodyOf = ({ chain, dollars, from, own, to, tradeType }: Case, more: object = {}): QuoteRequest => {
  const destination = chain === "alpha" ? alpha : beta
  return Schema.decodeUnknownSync(QuoteRequest)({
    user: evmAddress("11"),
    recipient: evmAddress(own ? "11" : "22"),
    originChainId: alpha.id,
    destinationChainId: destination.id,
    originCurrency: find(alpha, from).address,
    destinationCurrency: find(destination, to).address,
    tradeType,
    amount: `${dollars * (perDollar[tradeType === "EXACT_INPUT" ? from : to] ?? 10n ** 6n)}`,
    includeProtocolData: true,
    ...more
  })
}
