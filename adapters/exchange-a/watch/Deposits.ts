/**
 * The deposit of a transfer into the depository's account on exchange A, for the transfer service: read like the
 * oracle's evidence, with the order that the stored mapping of its nonce names (EXCHANGEA-4, EXCHANGEA-10).
 */
import { Effect } from "effect"
import type { NonceMappings } from "../../../ports/store/clients/NonceMappings.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import type { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { graceLeftAt, orderOfMapping } from "../../../src/domain/families/exchange-a/evidence/MappedOrder.ts"
import { NO_ORDER, TRANSFER_INDEX, transferFacts } from "../../../src/domain/families/exchange-a/evidence/Transfer.ts"
import type { SentTransfer, WeiDecimals } from "../../../src/domain/families/exchange-a/evidence/Transfer.ts"
import { onchainId } from "../../../src/domain/hub/ProtocolId.ts"
import type { KeptNonceMapping } from "../../../src/domain/nonce-mapping/NonceMapping.ts"
import type { Deposit } from "../../../src/domain/transfer/deposit/Deposit.ts"
import type { LostSweeps } from "../addresses/LostSweeps.ts"
import { blockAt } from "../../endpoints/clock/ClockAsChain.ts"

/** A transfer into the depository whose order is not known yet. */
export interface Unnamed {
  readonly deposit: Deposit
  readonly nonce: bigint
  /** No scan finds it, so that its sender chooses when it is found. */
  readonly isCutOff?: true
}

/** Undefined for a transfer that is no deposit, or that the protocol cannot express. `time` in seconds. */
export const unnamedIn = (
  chain: Chain,
  id: TransactionId,
  time: number,
  sent: SentTransfer,
  decimals: WeiDecimals
): Unnamed | undefined => {
  const { deposits: [found], mappedBy } = transferFacts(sent, chain.depository, decimals, 0)
  if (found === undefined || mappedBy === undefined) return undefined
  const { amount, currency, depositor } = found
  return {
    nonce: mappedBy.nonce,
    deposit: {
      onchainId: onchainId(chain.slug, id, TRANSFER_INDEX),
      chainId: chain.id,
      transactionId: id,
      index: TRANSFER_INDEX,
      block: blockAt(time),
      depositId: NO_ORDER,
      depositor,
      sender: sent.sender,
      currency,
      amount
    }
  }
}

/** What says for which order a transfer is. */
export interface NamedBy {
  /** `later`: the transfer is a deposit address's own, and what it is for could not be read now. */
  readonly find: (
    chain: Chain,
    wallet: Address,
    nonce: bigint
  ) => Effect.Effect<KeptNonceMapping | "later" | undefined, "behind">
}

/**
 * A store that does not answer is no endpoint's fault: the reading is repeated. SECURITY: a ledger that cannot be read
 * holds up its own transfer, and no other: strangers can make the one of a deposit address long.
 */
export const namedBy = (mappings: NonceMappings["Service"], lost: LostSweeps["Service"]): NamedBy => ({
  find: (chain, wallet, nonce) =>
    mappings.find(chain.slug, wallet, nonce).pipe(
      Effect.mapError(() => "behind" as const),
      Effect.flatMap((found) =>
        found === undefined
          ? Effect.orElseSucceed(lost.find(chain, wallet, nonce), () => "later" as const)
          : Effect.succeed(found)
      )
    )
})

/** The order of a transfer, and the second in which it was named. */
interface NamedOrder {
  readonly id: Hex32
  readonly time: number
}

const orderIn = (
  mappings: NamedBy,
  chain: Chain,
  { deposit: { block, sender }, nonce }: Unnamed
): Effect.Effect<NamedOrder | "later" | undefined, "behind"> =>
  mappings.find(chain, sender, nonce).pipe(
    Effect.map((found) => {
      if (found === undefined || found === "later") return found
      const id = orderOfMapping({ chain: chain.slug, time: block.time, wallet: sender, nonce }, found)
      return id === undefined ? undefined : { id, time: Math.floor(found.createdAt / 1_000) }
    })
  )

/** By which a deposit that no scan finds is later than its transfer: beyond the hold of a price, and clocks apart. */
const CUT_OFF_SECONDS = 120

/**
 * The deposit of a transfer that an order was named for. SECURITY: it is of the second in which it was named, if that is
 * later. Its sender may name any of its quotes for an hour, and could otherwise wait for the one whose price has become
 * the best. It could as well hide it from scans, and show it once its price has become good: so that has a new price.
 */
const named = ({ deposit, isCutOff }: Unnamed, { id, time }: NamedOrder): Deposit => {
  const { block } = deposit
  const from = Math.max(time, isCutOff === true ? block.time + CUT_OFF_SECONDS : block.time)
  return { ...deposit, depositId: id, block: from > block.time ? blockAt(from) : block }
}

export type Naming =
  | { readonly _tag: "Named"; readonly deposit: Deposit }
  /** A mapping may still come. */
  | { readonly _tag: "Waits" }
  /** None came within the hour: the deposit names no order. */
  | { readonly _tag: "Nameless"; readonly deposit: Deposit }

/** `now`: seconds, the exchange's clock. */
export const nameDeposit = (
  mappings: NamedBy,
  chain: Chain,
  unnamed: Unnamed,
  now: number
): Effect.Effect<Naming, "behind"> =>
  Effect.map(orderIn(mappings, chain, unnamed), (order): Naming => {
    const { deposit } = unnamed
    if (order === "later") return { _tag: "Waits" }
    if (order !== undefined) return { _tag: "Named", deposit: named(unnamed, order) }
    return graceLeftAt(deposit.block.time, now) > 0 ? { _tag: "Waits" } : { _tag: "Nameless", deposit }
  })
