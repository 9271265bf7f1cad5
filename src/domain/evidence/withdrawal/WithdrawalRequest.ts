/**
 * The hub side of a withdrawal (PROTO-10, ORACLE-6): whose balance is withdrawn, which account of the hub holds it, and
 * whether the allocator issued exactly this withdrawal for it.
 *
 * SECURITY: without the issuance anyone could burn another's balance, or let a withdrawal that was never issued expire
 * into a payout.
 */
import * as Result from "effect/Result"
import type { Address, CurrencyAddress } from "../../chain/Address.ts"
import type { ChainSlug } from "../../chain/ChainId.ts"
import type { Hex, Hex32 } from "../../encoding/Hex.ts"
import { alias } from "../../hub/Alias.ts"
import { codecOf } from "../../hub/ChainRef.ts"
import { hubTokenId } from "../../hub/HubTokenId.ts"
import { issuanceHash } from "../../hub/Issuance.ts"
import { withdrawalAddress } from "../../hub/withdrawal/WithdrawalAddress.ts"
import type { Payout } from "../../hub/withdrawal/Payout.ts"
import { configuredChain, type JudgeContext, type JudgedChain } from "../judges/JudgeContext.ts"
import { type Refusal, refuse, refusing } from "../judges/Refusal.ts"

/** The owner's request behind a withdrawal, from which the account on the hub follows. */
export interface WithdrawalRequest {
  readonly chainId: ChainSlug
  readonly currency: string
  readonly withdrawer: string
  readonly withdrawerChainId: ChainSlug
  readonly recipient: string
  readonly withdrawalNonce: Hex32
  /** The allocator's signature. Without it there is no execution. */
  readonly issuance?: Hex | undefined
}

/** The hub whose allocator issues withdrawals. */
export interface IssuingHub {
  /** The hub's EIP-155 number. */
  readonly chainId: bigint
  readonly oracleContract: string
  readonly allocator: string
}

/** The accounts of the hub and the token that a withdrawal moves. */
export interface HubSide {
  readonly withdrawalAddress: Address
  readonly ownerAlias: Address
  readonly currency: CurrencyAddress
  readonly recipient: Address
  readonly tokenId: bigint
}

/** The account and token that hold the balance on the hub. The same when a withdrawal starts and ends. */
export const hubSideOf = (
  context: JudgeContext,
  chain: JudgedChain,
  request: Omit<WithdrawalRequest, "issuance" | "chainId">
): Result.Result<HubSide, Refusal> =>
  Result.gen(function*() {
    const home = yield* configuredChain(context, request.withdrawerChainId)
    return yield* Result.mapError(
      Result.gen(function*() {
        const codec = codecOf(chain)
        const currency = yield* codec.parseCurrency(request.currency)
        const recipient = yield* codec.parse(request.recipient)
        const ownerAlias = yield* alias(home, request.withdrawer)
        const nonce = request.withdrawalNonce
        const account = yield* withdrawalAddress(chain, {
          depository: chain.depository,
          currency,
          recipient,
          ownerAlias,
          nonce
        })
        return {
          withdrawalAddress: account,
          ownerAlias,
          currency,
          recipient,
          tokenId: yield* hubTokenId(chain, currency)
        }
      }),
      refusing("malformed")
    )
  })

/** Refuses a withdrawal whose chain, currency or recipient differ from the request's. */
export const agreesWith = (
  chain: JudgedChain,
  payout: Payout,
  request: WithdrawalRequest,
  side: HubSide
): Result.Result<void, Refusal> => {
  if (request.chainId !== chain.slug) return refuse("request-mismatch", "chainId")
  if (side.currency !== payout.currency) return refuse("request-mismatch", "currency")
  return side.recipient === payout.recipient ? Result.succeed(undefined) : refuse("request-mismatch", "recipient")
}

/** The hubs whose allocator signed this withdrawal for this account. Refuses a signature of none of them. */
export const issuingHubs = (
  context: JudgeContext,
  hubs: ReadonlyArray<IssuingHub>,
  side: HubSide,
  withdrawalId: Hex32,
  issuance: Hex
): Result.Result<ReadonlyArray<IssuingHub>, Refusal> =>
  Result.gen(function*() {
    const issuing: Array<IssuingHub> = []
    for (const hub of hubs) {
      const hash = yield* Result.mapError(
        issuanceHash({
          hubChainId: hub.chainId,
          oracleContract: hub.oracleContract,
          withdrawalAddress: side.withdrawalAddress,
          withdrawalId
        }),
        refusing("malformed")
      )
      if (context.isSignedBy(hash, issuance, hub.allocator)) issuing.push(hub)
    }
    return issuing.length > 0 ? issuing : yield* refuse("invalid-issuance")
  })
