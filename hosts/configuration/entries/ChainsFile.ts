/**
 * `configs/chains.<ENVIRONMENT>.json` as it is written (CONFIG-1). An unknown field is an error: a typo must not be
 * silent.
 */
import { Schema, Struct } from "effect"
import { ChainId, ChainSlug } from "../../../src/domain/chain/ChainId.ts"
import { ChainNetwork } from "../../../src/domain/chain/ChainNetwork.ts"
import { SwapSourceId } from "../../../src/domain/swap/SwapSource.ts"

export const Decimal = Schema.String.check(Schema.isPattern(/^\d+(\.\d+)?$/))
export const Count = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 }))
const Seconds = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 }))

/**
 * Where a currency's price comes from: a fixed number of dollars for one whole unit, a Chainlink aggregator on this
 * chain or another.
 */
const Price = Schema.Struct({
  fixedUsd: Schema.optionalKey(Decimal),
  chainlink: Schema.optionalKey(Schema.Struct({
    feed: Schema.NonEmptyString,
    heartbeatSeconds: Count,
    chain: Schema.optionalKey(ChainSlug)
  }))
})

export const CurrencyEntry = Schema.Struct({
  symbol: Schema.NonEmptyString,
  name: Schema.NonEmptyString,
  address: Schema.NonEmptyString,
  decimals: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 36 })),
  logoUri: Schema.optionalKey(Schema.String),
  price: Schema.optionalKey(Price),
  /** Whole units below which operators are told, of the solver's account and of its vault. */
  lowWater: Schema.optionalKey(
    Schema.Struct({ account: Schema.optionalKey(Decimal), vault: Schema.optionalKey(Decimal) })
  )
})
export type CurrencyEntry = typeof CurrencyEntry.Type

/** Where a chain's currencies are swapped, and those that are only reached by a swap. */
const Swaps = Schema.Struct({
  /** The token that stands for the native currency in pools. */
  wrapped: Schema.NonEmptyString,
  /**
   * The contract that swaps what its sender has and deposits what comes out; without it nothing is swapped before a
   * deposit.
   */
  depositor: Schema.optionalKey(Schema.NonEmptyString),
  /** Tokens that a swap may go through on its way. */
  through: Schema.optionalKey(Schema.Array(Schema.NonEmptyString).check(Schema.isMaxLength(4))),
  /** Passes what was swapped over to the calls of a fill; without it `txs` are refused there. */
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
  /** Taken while it gives at most so much less than the best. */
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

export const ChainEntry = Schema.Struct({
  id: ChainSlug,
  chainId: ChainId,
  /** The name of a family that the service knows. */
  vmType: Schema.NonEmptyString,
  /** One URL, several separated by commas, or a list of either. */
  httpRpcUrl: Schema.Union([Schema.NonEmptyString, Schema.Array(Schema.NonEmptyString)]),
  rpcQuorum: Schema.optionalKey(Count),
  depository: Schema.optionalKey(Schema.NonEmptyString),
  router: Schema.optionalKey(Schema.NonEmptyString),
  /**
   * The contract that makes the chain's deposit addresses, the same on every EVM chain, and those that did before:
   * their addresses are watched and swept, and no quote gets one. Elsewhere that addresses are keys of
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
  /** What deposits for those who sign instead of sending, and Permit2 where the chain has it; EVM chains only. */
  permits: Schema.optionalKey(
    Schema.Struct({ forwarder: Schema.NonEmptyString, permit2: Schema.optionalKey(Schema.NonEmptyString) })
  ),
  /** Swaps of this chain's currencies by other people's contracts; EVM chains and Solana. */
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
    /**
     * Seconds by which a chain's head must be past the expiration of a withdrawal that is attested as expired; 60
     * unless set.
     */
    /** EIP-7702: `authorizationList` is refused where it is not true. */
    authorizations: Schema.optionalKey(Schema.Boolean),
    expiryMarginSeconds: Schema.optionalKey(Seconds),
    network: Schema.optionalKey(ChainNetwork),
    /**
     * The hash of the first block, which every endpoint must answer with: on Solana always, on Bitcoin where it is not
     * its network's own.
     */
    genesisHash: Schema.optionalKey(Schema.NonEmptyString),
    /** On the one chain that holds app balances: the token they are in. */
    settlementToken: Schema.optionalKey(Schema.NonEmptyString)
  }))
})
export type ChainEntry = typeof ChainEntry.Type

export const ChainsFile = Schema.Array(ChainEntry)
