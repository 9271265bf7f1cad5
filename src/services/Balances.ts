/** What a wallet has in the ledger, with what it is worth now: the app balance, and app fees to claim (spec/3 §8). Reads only. */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { AppBalances } from "../../ports/AppBalances.ts"
import type { PostedTransaction, StatementPlace } from "../../ports/AppBalances.ts"
import { Chains } from "../../ports/Chains.ts"
import { Prices } from "../../ports/Prices.ts"
import type { PriceUnavailable } from "../../ports/Prices.ts"
import { SettlementChain } from "../../ports/SettlementChain.ts"
import type { StoreUnavailable } from "../../ports/StoreUnavailable.ts"
import { ownerOf } from "../domain/app-balance/Account.ts"
import { holdingsOf } from "../domain/app-balance/Holdings.ts"
import type { Holding } from "../domain/app-balance/Holdings.ts"
import type { LedgerCurrency, Posting } from "../domain/app-balance/Transaction.ts"
import { addressCodec } from "../domain/chain/Address.ts"
import type { Address } from "../domain/chain/Address.ts"
import { findChain, findCurrency } from "../domain/chain/Chain.ts"
import type { Currency, PricedCurrency } from "../domain/money/Currency.ts"
import { USD_PRICE_DIGITS, UsdPrice } from "../domain/money/Usd.ts"

/** A wallet that is no account of the settlement chain. */
export class InvalidWallet extends Data.TaggedError("InvalidWallet")<{ readonly message: string }> {}

/** A holding of a currency that is served, and its price. */
export interface PricedHolding extends Omit<Holding, "currency"> {
  readonly priced: PricedCurrency
}

/** What a wallet has. The settlement currency stands first, even with nothing in it. */
export interface WalletBalance {
  readonly settlement: PricedHolding
  readonly others: ReadonlyArray<PricedHolding>
}

/** A movement, with what it changed for its owner. */
export interface StatementEntry extends PostedTransaction {
  readonly postings: ReadonlyArray<Posting>
}

/** One USDC counts as one dollar (spec/3 §5.4). */
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
    const codec = addressCodec(chain.family, chain.network)
    const settlementCurrency = findCurrency(chain, token)
    if (settlementCurrency === undefined) return yield* Effect.die(new Error("the settlement token is not configured"))

    const walletOf: Balances["Service"]["walletOf"] = (text) =>
      Effect.mapError(Effect.fromResult(codec.parse(text)), ({ message }) => new InvalidWallet({ message: `wallet: ${message}` }))

    const served = ({ address, chainId }: LedgerCurrency): Currency | undefined => {
      const of = findChain(chains.all, chainId)
      return of === undefined ? undefined : findCurrency(of, address)
    }

    const priceOf = (currency: Currency) =>
      currency.chainId === chain.id && currency.address === token
        ? Effect.succeed({ currency, price: ONE_DOLLAR })
        : prices.priceOf(currency)

    const of: Balances["Service"]["of"] = Effect.fn("Balances.of")(function*(wallet) {
      const held = holdingsOf(yield* ledger.accountsOf(wallet))
      const settlement: PricedHolding = { spendable: 0n, held: 0n, claimable: 0n, priced: { currency: settlementCurrency, price: ONE_DOLLAR } }
      const priced = yield* Effect.forEach(held, Effect.fnUntraced(function*({ currency: named, ...holding }) {
        const currency = served(named)
        // What is not served here now has no name and no price: it is shown when it is served again.
        return currency === undefined ? [] : [{ ...holding, priced: yield* priceOf(currency) } satisfies PricedHolding]
      }))
      const isSettlement = ({ priced: { currency } }: PricedHolding) => currency.chainId === chain.id && currency.address === token
      const all = priced.flat()
      return { settlement: all.find(isSettlement) ?? settlement, others: all.filter((each) => !isSettlement(each)) }
    })

    const statement: Balances["Service"]["statement"] = Effect.fn("Balances.statement")(function*(wallet, page) {
      const posted = yield* ledger.movementsOf(wallet, page)
      return posted.map((each) => ({ ...each, postings: each.transaction.postings.filter(({ account }) => ownerOf(account) === wallet) }))
    })

    return Balances.of({ walletOf, of, statement })
  })
)
