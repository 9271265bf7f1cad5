/**
 * `configs/chains.<ENVIRONMENT>.json` as written (CONFIG-1). An unknown field is an error: a typo must not be silent.
 */
import { Schema, Struct } from "effect"
import { ChainId, ChainSlug } from "../../../src/domain/chain/ChainId.ts"
import { ChainNetwork } from "../../../src/domain/chain/ChainNetwork.ts"
import { Hex32FromString } from "../../../src/domain/encoding/Hex.ts"
import { SwapSourceId } from "../../../src/domain/swap/SwapSource.ts"

export const Decimal = Schema.String.check(Schema.isPattern(/^\d+(\.\d+)?$/))
export const Count = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 }))
const Seconds = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 }))

/**
 * The sources of a currency's price: a fixed number of dollars for one whole unit, a Chainlink aggregator on this chain
 * or another, a feed of Pyth that PYTH_HERMES_URL serves. Outside of the local environment two of them (PRICE-19).
 */
const Price = Schema.Struct({
  fixedUsd: Schema.optionalKey(Decimal),
  chainlink: Schema.optionalKey(Schema.Struct({
    feed: Schema.NonEmptyString,
    heartbeatSeconds: Count,
    chain: Schema.optionalKey(ChainSlug)
  })),
  pyth: Schema.optionalKey(Schema.Struct({
    id: Hex32FromString,
    /** 60 unless given. */
    maxAgeSeconds: Schema.optionalKey(Count),
    /** The widest confidence interval that is used, in basis points of the price. 50 unless given. */
    maxConfidenceBps: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000 })))
  }))
})

export const CurrencyEntry = Schema.Struct({
  symbol: Schema.NonEmptyString,
  name: Schema.NonEmptyString,
  address: Schema.NonEmptyString,
  decimals: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 36 })),
  logoUri: Schema.optionalKey(Schema.String),
  price: Schema.optionalKey(Price),
  /** Operators are warned when the solver's account or its vault has fewer whole units. */
  lowWater: Schema.optionalKey(
    Schema.Struct({ account: Schema.optionalKey(Decimal), vault: Schema.optionalKey(Decimal) })
  )
})
export type CurrencyEntry = typeof CurrencyEntry.Type

/** Where a chain's currencies are swapped, and the currencies that only a swap can reach. */
const Swaps = Schema.Struct({
  /** The token that represents the native currency in pools. */
  wrapped: Schema.NonEmptyString,
  /**
   * The contract that swaps its sender's money and deposits the result. Without it there are no swaps before a deposit.
   */
  depositor: Schema.optionalKey(Schema.NonEmptyString),
  /** Intermediate tokens that a swap may use. */
  through: Schema.optionalKey(Schema.Array(Schema.NonEmptyString).check(Schema.isMaxLength(4))),
  /** The contract that passes a swap's result to the calls of a fill. Without it `txs` are refused on such fills. */
  handover: Schema.optionalKey(Schema.NonEmptyString),
  sources: Schema.Array(Schema.Union([
    Schema.Struct({
      id: Schema.Literal("uniswap-v3"),
      router: Schema.NonEmptyString,
      quoter: Schema.NonEmptyString,
      feeTiers: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 999_999 }))).check(
        Schema.isMinLength(1),
        Schema.isMaxLength(4)
      )
    }),
    Schema.Struct({ id: Schema.Literal("uniswap-v2"), router: Schema.NonEmptyString }),
    /** On Solana: the program that swaps. Its routes come from JUPITER_API_URL. */
    Schema.Struct({ id: Schema.Literal("jupiter"), router: Schema.NonEmptyString })
  ])).check(Schema.isMinLength(1)),
  /** Preferred while its output is at most this much below the best one. */
  preferred: Schema.optionalKey(
    Schema.Struct({
      source: SwapSourceId,
      withinBps: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000 }))
    })
  ),
  /** Currencies that the solver does not hold. */
  currencies: Schema.optionalKey(Schema.Array(Schema.Struct(Struct.omit(CurrencyEntry.fields, ["lowWater"]))))
})
export type SwapsEntry = typeof Swaps.Type

export const Finality = Schema.Union([
  Schema.Struct({ tag: Schema.Literals(["safe", "finalized"]), seconds: Schema.optionalKey(Seconds) }),
  Schema.Struct({ blocks: Count, seconds: Schema.optionalKey(Seconds) })
])

export const L1DataFee = Schema.Literals(["arbitrum", "op-stack"])

export const ChainEntry = Schema.Struct({
  id: ChainSlug,
  chainId: ChainId,
  /** The name of a family that the service knows. */
  vmType: Schema.NonEmptyString,
  /** One URL, several separated by commas, or a list of either. */
  httpRpcUrl: Schema.Union([Schema.NonEmptyString, Schema.Array(Schema.NonEmptyString)]),
  rpcQuorum: Schema.optionalKey(Count),
  /** An endpoint that everybody may use, told by GET /chains. Never one of `httpRpcUrl`. */
  publicRpcUrl: Schema.optionalKey(Schema.NonEmptyString),
  depository: Schema.optionalKey(Schema.NonEmptyString),
  router: Schema.optionalKey(Schema.NonEmptyString),
  /**
   * The contract that makes the chain's deposit addresses, the same on every EVM chain, and the former ones: their
   * addresses are watched and swept, and no quote gets one. On other families: addresses are keys of
   * DEPOSIT_ADDRESS_SEED.
   */
  depositAddresses: Schema.optionalKey(
    Schema.Union([
      Schema.Struct({
        factory: Schema.NonEmptyString,
        former: Schema.optionalKey(Schema.Array(Schema.NonEmptyString))
      }),
      Schema.Struct({ keys: Schema.Literal("derived") })
    ])
  ),
  /**
   * The contract that deposits for users who sign a message instead of a transaction, and Permit2 where the chain has
   * it. EVM chains only.
   */
  permits: Schema.optionalKey(
    Schema.Struct({ forwarder: Schema.NonEmptyString, permit2: Schema.optionalKey(Schema.NonEmptyString) })
  ),
  /** Swaps of this chain's currencies through other projects' contracts. EVM chains and Solana. */
  swaps: Schema.optionalKey(Swaps),
  hubChainId: Schema.optionalKey(Schema.NonEmptyString),
  finality: Schema.optionalKey(Finality),
  confirmations: Schema.optionalKey(Schema.Array(Schema.Struct({ upToUsd: Decimal, blocks: Count }))),
  currencies: Schema.optionalKey(Schema.Array(CurrencyEntry)),
  additionalData: Schema.optionalKey(Schema.Struct({
    displayName: Schema.optionalKey(Schema.NonEmptyString),
    vault: Schema.optionalKey(Schema.NonEmptyString),
    blockTimeMs: Schema.optionalKey(Count),
    explorerUrl: Schema.optionalKey(Schema.String),
    /** EIP-7702: without true, `authorizationList` is refused. */
    authorizations: Schema.optionalKey(Schema.Boolean),
    /** How the chain charges for a transaction's data on L1 (PRICE-27, PRICE-28). EVM chains only. */
    l1DataFee: Schema.optionalKey(L1DataFee),
    /**
     * A withdrawal is attested as expired only when the chain's head is this many seconds past its expiration. Default
     * 60.
     */
    expiryMarginSeconds: Schema.optionalKey(Seconds),
    network: Schema.optionalKey(ChainNetwork),
    /**
     * The hash of the first block, which every endpoint must answer. Required on Solana; on Bitcoin when it is not its
     * network's own.
     */
    genesisHash: Schema.optionalKey(Schema.NonEmptyString),
    /**
     * A block that every endpoint must have, where another chain shares the first block (BITCOIN-21). It identifies the
     * chain in place of its first block. Bitcoin only.
     */
    checkpoint: Schema.optionalKey(Schema.Struct({
      height: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 2 ** 31 - 1 })),
      hash: Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/))
    })),
    /** On the one chain that holds app balances: their token. */
    settlementToken: Schema.optionalKey(Schema.NonEmptyString)
  }))
})
export type ChainEntry = typeof ChainEntry.Type

export const ChainsFile = Schema.Array(ChainEntry)
