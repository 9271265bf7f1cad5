/**
 * A quoted transfer as it is stored: what was promised, to whom, under which conditions.
 *
 * Everything that the decision about a deposit needs is here or in the deposit, so a decision can be reproduced years
 * later from the record alone.
 */
import * as Schema from "effect/Schema"
import { ApiKeyId } from "../api-key/ApiKey.ts"
import { Address, CurrencyAddress } from "../chain/Address.ts"
import { ChainId } from "../chain/ChainId.ts"
import { KeptSwapCall } from "../swap/UserCall.ts"
import { Order, OrderId } from "../order/Order.ts"
import { PermitTerms } from "../permit/Permit.ts"
import { Authorization } from "../quote/request/RequestLists.ts"
import { QuoteRequest } from "../quote/request/QuoteRequest.ts"
import { TradeType } from "../quote/request/TradeType.ts"
import { Quote } from "../quote/wire/Quote.ts"
import { Agreement } from "../sponsorship/Agreement.ts"
import { FailReason } from "./FailReason.ts"
import { RequestId } from "./RequestId.ts"
import { RefundBounds } from "./refund/RefundBounds.ts"
import { Status } from "./Status.ts"

/** What was agreed when the transfer was quoted. */
export const TransferTerms = Schema.Struct({
  originChainId: ChainId,
  originCurrency: CurrencyAddress,
  destinationChainId: ChainId,
  destinationCurrency: CurrencyAddress,
  user: Address,
  recipient: Address,
  refundTo: Address,
  tradeType: TradeType,
  /** Smallest units of the origin currency. */
  amountIn: Schema.BigIntFromString,
  /** Smallest units of the destination currency: what is delivered while the quoted price holds. */
  amountOut: Schema.BigIntFromString,
  minimumOut: Schema.BigIntFromString,
  ttlSeconds: Schema.optionalKey(Schema.Int),
  /**
   * How long the fill may wait for inventory, counted from its deposit (useExternalLiquidity); absent when it may not
   * wait.
   */
  waitSeconds: Schema.optionalKey(Schema.Int),
  /**
   * A direct payment: the transfer stays within one chain and currency, the user pays the recipient, and there is no
   * fill.
   */
  send: Schema.optionalKey(Schema.Literal(true)),
  /**
   * A swap within one chain: the user makes exactly this call, with the order id appended or in a memo beside it, and
   * there is no fill.
   */
  userSwap: Schema.optionalKey(KeptSwapCall),
  /**
   * The user's currency is swapped before the deposit: `originCurrency` and `amountIn` describe the expected deposit.
   */
  originSwap: Schema.optionalKey(Schema.Struct({
    source: Schema.String,
    currency: CurrencyAddress,
    amountIn: Schema.BigIntFromString,
    /** The smallest deposit: the swap gives at least this, or it reverts. */
    minimum: Schema.BigIntFromString
  })),
  /**
   * The fill swaps what the solver pays; this is what the swap gives. `destinationCurrency` and the amounts
   * above describe what the solver pays.
   */
  destinationSwap: Schema.optionalKey(Schema.Struct({
    source: Schema.String,
    currency: CurrencyAddress,
    amountOut: Schema.BigIntFromString,
    minimumOut: Schema.BigIntFromString,
    /**
     * What the swap costs, smallest units of the origin currency, whether user or sponsor pays it. Absent in records of
     * earlier versions, where the user pays it.
     */
    cost: Schema.optionalKey(Schema.BigIntFromString),
    /** The quoted gas of the fill, smallest units of its native currency; absent in records of earlier versions. */
    gas: Schema.optionalKey(Schema.BigIntFromString),
    /** The request's own calls run after the swap. */
    thenCalls: Schema.optionalKey(Schema.Literal(true)),
    /**
     * The order pays what the swap gives, and the fill's own transaction swaps along a route (SOLANA-21). Absent where
     * the order's calls swap.
     */
    route: Schema.optionalKey(Schema.Struct({ mostHops: Schema.optionalKey(Schema.Int) })),
    /** If the swap cannot be made, the recipient gets what the solver pays (useFallbacks). */
    fallback: Schema.optionalKey(Schema.Literal(true))
  })),
  /** The deposit is what arrives at this address. */
  depositAddress: Schema.optionalKey(Schema.Struct({
    address: Address,
    /** Open: every arrival is a request of its own. Strict: one order, filled at most once. */
    mode: Schema.Literals(["open", "strict"]),
    /**
     * The account that is credited with deposits that no order claims. The address is derived from it, among other
     * things.
     */
    depositor: Address,
    /**
     * The contract that the address is derived from; absent where the address is a key, and in records of earlier
     * versions.
     */
    factory: Schema.optionalKey(Address),
    /** Recipient of what cannot be filled: refundTo, else recoveryAddress; absent when the request named neither. */
    refundTo: Schema.optionalKey(Address),
    /** The request that is quoted again for each later deposit; absent at a strict address, which takes one deposit. */
    request: Schema.optionalKey(QuoteRequest)
  })),
  /** The user signs for the deposit, and the operator sends it. */
  permit: Schema.optionalKey(PermitTerms),
  /** EIP-7702 authorizations that the fill's transaction carries. */
  authorizations: Schema.optionalKey(Schema.Array(Authorization)),
  /** The solver keeps the surplus of an exact output. */
  trueExactOutput: Schema.optionalKey(Schema.Literal(true)),
  /** Slippage that a deposit after the order's deadline may have; without it such a deposit is refunded. */
  lateSlippageBps: Schema.optionalKey(Schema.BigIntFromString),
  /** Fees of the application, in the order in which the request listed them. */
  appFees: Schema.optionalKey(Schema.Array(Schema.Struct({ recipient: Address, bps: Schema.BigIntFromString }))),
  /** Which fees the sponsor pays for the user; present with subsidizeFees only. */
  sponsorship: Schema.optionalKey(Agreement),
  /** Whole units: `give` of the origin currency for `take` of the destination's, independent of the market. */
  fixedRate: Schema.optionalKey(Schema.Struct({ give: Schema.BigIntFromString, take: Schema.BigIntFromString })),
  /** The most gas that the order's calls may take together. */
  callsGas: Schema.optionalKey(Schema.BigIntFromString),
  /**
   * What the quoted price holds for opening the recipient's account, smallest units of the destination's native
   * currency. Absent where no payment opens an account, and in records of earlier versions.
   */
  rent: Schema.optionalKey(Schema.BigIntFromString),
  /**
   * Gas or energy that the quoted price holds where strangers' code runs in the fill (PRICE-26), of a fill that swaps for
   * the swap as well; zero where none was there to run. Absent where no code can run, and in records of earlier versions.
   */
  codeUnits: Schema.optionalKey(Schema.BigIntFromString),
  /**
   * How much less than the quoted deposit a refund may be; absent where the quoted fill ran no code of strangers, and in
   * records of earlier versions.
   */
  refundBounds: Schema.optionalKey(RefundBounds),
  /** Test switch of the local environment: the deposit is refunded unconditionally. */
  forceRefund: Schema.optionalKey(Schema.Literal(true)),
  referrer: Schema.optionalKey(Schema.String),
  referrerAddress: Schema.optionalKey(Schema.String)
})
export type TransferTerms = typeof TransferTerms.Type

/** A quoted transfer: order, terms and status. */
export const Transfer = Schema.Struct({
  id: RequestId,
  orderId: OrderId,
  order: Order,
  orderSignature: Schema.String,
  terms: TransferTerms,
  quote: Quote,
  /** The key that requested the quote; absent without one. */
  apiKeyId: Schema.optionalKey(ApiKeyId),
  /** Milliseconds. */
  quotedAt: Schema.Int,
  status: Status,
  failReason: Schema.NullOr(FailReason),
  updatedAt: Schema.Int
})
export type Transfer = typeof Transfer.Type

/**
 * True for a transfer that the user carries out alone. There is no fill, and a deposit in its name at the depository is
 * refunded.
 */
export const isUsersOwn = ({ send, userSwap }: TransferTerms): boolean => send === true || userSwap !== undefined

/** True when the recipient gets the swap's input if the fill's swap cannot be made. */
export const fallsBack = ({ destinationSwap }: Pick<TransferTerms, "destinationSwap">): boolean =>
  destinationSwap?.fallback === true

/**
 * The reason to report when the calls of a fill revert: if the fill's own swap is the only call, the swap would have
 * given less than the promised minimum.
 */
export const whyReverted = ({ destinationSwap }: TransferTerms): "SLIPPAGE" | "TRANSACTION_REVERTED" =>
  destinationSwap === undefined || destinationSwap.thenCalls === true ? "TRANSACTION_REVERTED" : "SLIPPAGE"

/**
 * What a fill delivers by its order, smallest units of the currency that the order pays. A fill whose own transaction
 * swaps delivers at least the least output, or fails. `amountOut`: what the solver pays.
 */
export const deliveredOf = ({ destinationSwap }: TransferTerms, amountOut: bigint): bigint =>
  destinationSwap?.route === undefined ? amountOut : destinationSwap.minimumOut

/** The smallest amount that was quoted, smallest units of the deposited currency. */
export const leastDeposit = ({ amountIn, originSwap }: Pick<TransferTerms, "amountIn" | "originSwap">): bigint =>
  originSwap?.minimum ?? amountIn
