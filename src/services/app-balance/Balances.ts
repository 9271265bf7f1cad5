/**
 * What a wallet has in the ledger, at current prices: its app balance, app fees that it can claim, and app fees that
 * are owed to it or by it (BALANCE-3). Reads only.
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { AppBalances } from "../../../ports/store/ledger/AppBalances.ts"
import type { PostedTransaction, StatementPlace } from "../../../ports/store/ledger/AppBalances.ts"
import { Chains } from "../../../ports/chain/Chains.ts"
import { Prices } from "../../../ports/market/Prices.ts"
import type { PriceUnavailable } from "../../../ports/market/Prices.ts"
import { SettlementChain } from "../../../ports/hub/SettlementChain.ts"
import type { StoreUnavailable } from "../../../ports/store/StoreUnavailable.ts"
import { ownerOf } from "../../domain/ledger/Account.ts"
import { holdingsOf } from "../../domain/ledger/Holdings.ts"
import type { Holding } from "../../domain/ledger/Holdings.ts"
import type { LedgerCurrency, Posting } from "../../domain/ledger/Transaction.ts"
import type { Address } from "../../domain/chain/Address.ts"
import { findChain, findCurrency } from "../../domain/chain/Chain.ts"
import type { Currency, PricedCurrency } from "../../domain/money/Currency.ts"
import { USD_PRICE_DIGITS, UsdPrice } from "../../domain/money/Usd.ts"

/** The text is not a valid account of the settlement chain. */
export class InvalidWallet extends Data.TaggedError("InvalidWallet")<{ readonly message: string }> {}

/** A holding of a currency that is served, and its price. */
export interface PricedHolding extends Omit<Holding, "currency"> {
  readonly priced: PricedCurrency
}

/** Smallest units of the currency, and its price. */
export interface PricedUnits {
  readonly priced: PricedCurrency
  readonly units: bigint
}

/** What a wallet has. The settlement currency comes first, even when its balance is zero. */
export interface WalletBalance {
  readonly settlement: PricedHolding
  readonly others: ReadonlyArray<PricedHolding>
  /**
   * App fees for the wallet that sponsors took over and have not paid yet. They belong to the wallet only once paid.
   */
  readonly pending: ReadonlyArray<PricedUnits>
  /** App fees that the wallet took over as a sponsor and has not paid yet. */
  readonly owed: ReadonlyArray<PricedUnits & { readonly recipient: Address }>
}

/** A ledger transaction, with what it changed for its owner. */
export interface StatementEntry extends PostedTransaction {
  readonly postings: ReadonlyArray<Posting>
}

/** One USDC counts as one dollar (SPONSOR-5). */
const ONE_DOLLAR = UsdPrice(10n ** BigInt(USD_PRICE_DIGITS))

export class Balances extends Context.Service<Balances, {
  /** The wallet in its canonical spelling. */
  readonly walletOf: (text: string) => Effect.Effect<Address, InvalidWallet>
  readonly of: (wallet: Address) => Effect.Effect<WalletBalance, PriceUnavailable | StoreUnavailable>
  /** Newest first, at most `limit`. */
  readonly statement: (
    wallet: Address,
    page: { readonly before: StatementPlace | undefined; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<StatementEntry>, StoreUnavailable>
}>()("causeway/services/Balances") {}

export const layer = Layer.effect(
  Balances,
  Effect.gen(function*() {
    const ledger = yield* AppBalances
    const chains = yield* Chains
    const prices = yield* Prices
    const { chain, token } = yield* SettlementChain
    const codec = chain.family.addresses(chain.network)
    const settlementCurrency = findCurrency(chain, token)
    if (settlementCurrency === undefined) return yield* Effect.die(new Error("the settlement token is not configured"))

    const walletOf: Balances["Service"]["walletOf"] = (text) =>
      Effect.mapError(
        Effect.fromResult(codec.parse(text)),
        ({ message }) => new InvalidWallet({ message: `wallet: ${message}` })
      )

    const served = ({ address, chainId }: LedgerCurrency): Currency | undefined => {
      const of = findChain(chains.all, chainId)
      return of === undefined ? undefined : findCurrency(of, address)
    }

    const priceOf = (currency: Currency) =>
      currency.chainId === chain.id && currency.address === token
        ? Effect.succeed({ currency, price: ONE_DOLLAR })
        : prices.priceOf(currency)

    /** A currency that is not served here now has no name and no price. It is left out until it is served again. */
    const pricedAll = <A extends { readonly currency: LedgerCurrency }>(all: ReadonlyArray<A>) =>
      Effect.map(
        Effect.forEach(
          all,
          Effect.fnUntraced(function*({ currency: named, ...rest }) {
            const currency = served(named)
            return currency === undefined ? [] : [{ ...rest, priced: yield* priceOf(currency) }]
          })
        ),
        (priced) => priced.flat()
      )

    const of: Balances["Service"]["of"] = Effect.fn("Balances.of")(function*(wallet) {
      const accounts = yield* ledger.accountsOf(wallet)
      const held = holdingsOf(accounts)
      const settlement: PricedHolding = {
        spendable: 0n,
        held: 0n,
        claimable: 0n,
        priced: { currency: settlementCurrency, price: ONE_DOLLAR }
      }
      const isSettlement = ({ priced: { currency } }: PricedHolding) =>
        currency.chainId === chain.id && currency.address === token
      const all = yield* pricedAll(held)
      return {
        settlement: all.find(isSettlement) ?? settlement,
        others: all.filter((each) => !isSettlement(each)),
        pending: yield* pricedAll(accounts.filter(({ account }) => account._tag === "AppFeePending")),
        owed: yield* pricedAll(yield* ledger.debtsOf(wallet))
      }
    })

    const statement: Balances["Service"]["statement"] = Effect.fn("Balances.statement")(function*(wallet, page) {
      const posted = yield* ledger.movementsOf(wallet, page)
      return posted.map((each) => ({
        ...each,
        postings: each.transaction.postings.filter(({ account }) => ownerOf(account) === wallet)
      }))
    })

    return Balances.of({ walletOf, of, statement })
  })
)
