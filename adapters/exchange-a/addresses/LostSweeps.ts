/**
 * Names the orders of sweeps whose mappings a restored store has lost (EXCHANGEA-33). Everybody else's transfers are
 * left alone.
 *
 * SECURITY: a sweep for a later request of an open address must not be taken for one of the address's own order: that
 * request may have been paid, and the money would go back besides. So of an open address only the first transfer that it
 * has ever sent is named, by the ledger of a quorum.
 */
import { Context, Effect, Layer, Result } from "effect"
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import type { SignerUnavailable } from "../../../ports/signing/SignerUnavailable.ts"
import { NonceMappings } from "../../../ports/store/clients/NonceMappings.ts"
import { DepositAddresses } from "../../../ports/store/orders/DepositAddresses.ts"
import { DepositKeys } from "../../../ports/store/orders/DepositKeys.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import type { StoreUnavailable } from "../../../ports/store/StoreUnavailable.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { hexFromBytes } from "../../../src/domain/encoding/Hex.ts"
import { timesOf } from "../../../src/domain/families/exchange-a/payment/NonceRules.ts"
import { mappingOf } from "../../../src/domain/families/exchange-a/payment/StoredPayment.ts"
import { mappingDigest } from "../../../src/domain/nonce-mapping/NonceMapping.ts"
import type { KeptNonceMapping } from "../../../src/domain/nonce-mapping/NonceMapping.ts"
import { confirmedSequence } from "../../endpoints/sent/ConfirmedSequence.ts"
import { readMillis } from "../observe/ReadTime.ts"
import { readSent } from "../pay/ledger/SentLedger.ts"
import { SolverAccount } from "../pay/SolverAccount.ts"
import { ExchangeARpc } from "../rpc/ExchangeARpc.ts"
import type { ExchangeARead } from "../rpc/ExchangeARpc.ts"

export class LostSweeps extends Context.Service<LostSweeps, {
  /**
   * The mapping of a transfer that a deposit address has sent, signed and kept again. Undefined for any other transfer,
   * and where the order is not certain.
   */
  readonly find: (
    chain: Chain,
    wallet: Address,
    nonce: bigint
  ) => Effect.Effect<KeptNonceMapping | undefined, ChainUnavailable | SignerUnavailable | StoreUnavailable>
}>()("causeway/adapters/exchange-a/LostSweeps") {}

/** In a process without deposit addresses. */
export const none = Layer.succeed(LostSweeps, { find: () => Effect.succeed(undefined) })

/** One when nothing that the address has sent has a lower nonce, else zero. */
const readIsFirst = (wallet: Address, nonce: bigint): ExchangeARead<bigint> => (client, deadline) =>
  readMillis(client, deadline).pipe(
    Effect.flatMap((now) => readSent(client, wallet, { from: 0n, to: timesOf(nonce).to, now }, deadline)),
    Effect.map((sent) => sent.some((each) => each.nonce < nonce) ? 0n : 1n)
  )

export const layer = Layer.effect(
  LostSweeps,
  Effect.gen(function*() {
    const addresses = yield* DepositAddresses
    const keys = yield* DepositKeys
    const mappings = yield* NonceMappings
    const rpc = yield* ExchangeARpc
    const transfers = yield* Transfers
    const { depositAccount } = yield* SolverAccount

    const isFirst = (chain: Chain, wallet: Address, nonce: bigint) =>
      Effect.map(
        confirmedSequence(rpc, chain, ({ read }) => read(readIsFirst(wallet, nonce)), "sweeps of a deposit address"),
        (votes) => votes > 0n
      )

    return LostSweeps.of({
      find: Effect.fnUntraced(function*(chain, wallet, nonce) {
        const kept = depositAccount === undefined ? undefined : yield* addresses.find(chain.id, wallet)
        if (depositAccount === undefined || kept === undefined) return undefined
        const [place, first] = [yield* keys.find(wallet), yield* transfers.findByOrder(kept.orderId)]
        // Its quote was dropped, or it was made for another chain.
        if (place === undefined || first === undefined) return undefined
        const swaps = first.terms.destinationSwap !== undefined
        if (kept.mode === "open" && (swaps || !(yield* isFirst(chain, wallet, nonce)))) return undefined
        const key = yield* depositAccount(place)
        if (key.account !== wallet) return yield* Effect.die(new Error(`the seed is not that of ${wallet}`))
        const mapping = mappingOf(chain, wallet, { order: kept.orderId, transfer: { nonce } })
        const signature = hexFromBytes(yield* key.sign(Result.getOrThrow(mappingDigest(mapping))))
        yield* Effect.logWarning(`a sweep of ${wallet} on ${chain.slug} had no mapping: it is named again`)
        return yield* mappings.keep({ ...mapping, signature, createdAt: Number(nonce) })
      })
    })
  })
)
