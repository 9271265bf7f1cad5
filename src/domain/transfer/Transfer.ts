/**
 * A quoted transfer as it is kept: what was promised, to whom, under which conditions.
 *
 * Everything that the decision about a deposit needs is here or in the deposit, so that a decision can be made again
 * years later from the record alone.
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
  /** Smallest units of the destination currency: what is delivered while the price holds. */
  amountOut: Schema.BigIntFromString,
  minimumOut: Schema.BigIntFromString,
  ttlSeconds: Schema.optionalKey(Schema.Int),
  /** How long the fill may wait for inventory, from its deposit on (useExternalLiquidity); absent when it may not. */
  waitSeconds: Schema.optionalKey(Schema.Int),
  /** The transfer stays within one chain and currency: the user pays the recipient, nobody fills. */
  send: Schema.optionalKey(Schema.Literal(true)),
  /**
   * The transfer is a swap within one chain: the user makes this very call, with the order id appended or in a memo
   * beside it, and nobody fills.
   */
  userSwap: Schema.optionalKey(KeptSwapCall),
  /**
   * What the user pays with is swapped before the deposit: `originCurrency` and `amountIn` are of the deposit that is
   * expected.
   */
  originSwap: Schema.optionalKey(Schema.Struct({
    source: Schema.String,
    currency: CurrencyAddress,
    amountIn: Schema.BigIntFromString,
    /** The least deposit: what the swap gives, or it reverts. */
    minimum: Schema.BigIntFromString
  })),
  /**
   * The order's calls swap what is paid: what then comes out. `destinationCurrency` and the amounts above are of what
   * is paid.
   */
  destinationSwap: Schema.optionalKey(Schema.Struct({
    source: Schema.String,
    currency: CurrencyAddress,
    amountOut: Schema.BigIntFromString,
    minimumOut: Schema.BigIntFromString,
    /**
     * What the swap costs, smallest units of the origin currency, whoever pays it; absent in what earlier versions
     * kept: its user.
     */
    cost: Schema.optionalKey(Schema.BigIntFromString),
    /**
     * What the fill's gas was quoted at, smallest units of its native currency; absent in what earlier versions kept.
     */
    gas: Schema.optionalKey(Schema.BigIntFromString),
    /** The request's own calls come after it. */
    thenCalls: Schema.optionalKey(Schema.Literal(true)),
    /** Where the swap cannot be made the recipient gets what is paid (useFallbacks). */
    fallback: Schema.optionalKey(Schema.Literal(true))
  })),
  /** The deposit is what arrives at this address. */
  depositAddress: Schema.optionalKey(Schema.Struct({
    address: Address,
    /** Open: every arrival is a request of its own. Strict: one order, filled at most once. */
    mode: Schema.Literals(["open", "strict"]),
    /** Who is credited with what no order claims, and part of what the address follows from. */
    depositor: Address,
    /** The contract that it follows from; absent where it is a key, and in what earlier versions kept. */
    factory: Schema.optionalKey(Address),
    /** Where what cannot be filled goes: refundTo, else recoveryAddress; absent when the request named neither. */
    refundTo: Schema.optionalKey(Address),
    /** The request that is quoted again for each later deposit; absent at a strict address, which takes one. */
    request: Schema.optionalKey(QuoteRequest)
  })),
  /** The deposit is what its user signs for, and somebody else sends. */
  permit: Schema.optionalKey(PermitTerms),
  /** EIP-7702 authorizations that the fill's transaction carries. */
  authorizations: Schema.optionalKey(Schema.Array(Authorization)),
  /** Surplus of an exact output is the solver's. */
  trueExactOutput: Schema.optionalKey(Schema.Literal(true)),
  /** What a deposit after the order's deadline may lose; without it such a deposit goes back. */
  lateSlippageBps: Schema.optionalKey(Schema.BigIntFromString),
  /** Fees of the application, in the order in which the request listed them. */
  appFees: Schema.optionalKey(Schema.Array(Schema.Struct({ recipient: Address, bps: Schema.BigIntFromString }))),
  /** Who pays fees for the user, and of what: with subsidizeFees only. */
  sponsorship: Schema.optionalKey(Agreement),
  /** Whole units: `give` of the origin currency for `take` of the destination's, whatever the market does. */
  fixedRate: Schema.optionalKey(Schema.Struct({ give: Schema.BigIntFromString, take: Schema.BigIntFromString })),
  /** The most gas that the order's calls may take together. */
  callsGas: Schema.optionalKey(Schema.BigIntFromString),
  /** What a refund may lack of the deposit that was quoted; absent without txs, and in what earlier versions kept. */
  refundBounds: Schema.optionalKey(RefundBounds),
  /** Test switch of the local environment: the deposit is refunded whatever it is. */
  forceRefund: Schema.optionalKey(Schema.Literal(true)),
  referrer: Schema.optionalKey(Schema.String),
  referrerAddress: Schema.optionalKey(Schema.String)
})
export type TransferTerms = typeof TransferTerms.Type

export const Transfer = Schema.Struct({
  id: RequestId,
  orderId: OrderId,
  order: Order,
  orderSignature: Schema.String,
  terms: TransferTerms,
  quote: Quote,
  /** The key under which it was quoted; absent when there was none. */
  apiKeyId: Schema.optionalKey(ApiKeyId),
  /** Milliseconds. */
  quotedAt: Schema.Int,
  status: Status,
  failReason: Schema.NullOr(FailReason),
  updatedAt: Schema.Int
})
export type Transfer = typeof Transfer.Type

/**
 * True for a transfer that its user carries out alone: nobody fills, and what reaches the depository in its name goes
 * back.
 */
export const isUsersOwn = ({ send, userSwap }: TransferTerms): boolean => send === true || userSwap !== undefined

/** True when the recipient is to get what a swap of the fill would have taken, where that cannot be made. */
export const fallsBack = ({ destinationSwap }: TransferTerms): boolean => destinationSwap?.fallback === true

/**
 * What it means that the calls of a fill revert: a swap of its own gives less than the least that was promised, if it
 * is the only one.
 */
export const whyReverted = ({ destinationSwap }: TransferTerms): "SLIPPAGE" | "TRANSACTION_REVERTED" =>
  destinationSwap === undefined || destinationSwap.thenCalls === true ? "TRANSACTION_REVERTED" : "SLIPPAGE"

/** Less than this was never quoted, smallest units of the deposited currency. */
export const leastDeposit = ({ amountIn, originSwap }: Pick<TransferTerms, "amountIn" | "originSwap">): bigint =>
  originSwap?.minimum ?? amountIn
