/**
 * Sends a signed payment of exchange A: first its mapping is kept, then the account's ledger is asked, and only then the
 * stored bytes are submitted (EXCHANGEA-20).
 *
 * SECURITY: without the mapping, an oracle would take the transfer for one of no order, and after a restore nobody would
 * know whom it has paid.
 */
import { Effect } from "effect"
import { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import type { NonceMappings } from "../../../ports/store/clients/NonceMappings.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { mappingOf } from "../../../src/domain/families/exchange-a/payment/StoredPayment.ts"
import type { StoredPayment } from "../../../src/domain/families/exchange-a/payment/StoredPayment.ts"
import type { ExchangeAFault, ExchangeARpc } from "../rpc/ExchangeARpc.ts"
import { readFate } from "./Landing.ts"
import { submit } from "./Submitting.ts"
import type { Submitted } from "./Submitting.ts"

const OPERATION = "broadcast"

/**
 * The time of a mapping is its nonce: the exchange's clock at the signature. By this machine's clock, an hour fast,
 * oracles would find the mapping too late for its transfer.
 */
export const keepMapping = Effect.fnUntraced(
  function*(
    mappings: NonceMappings["Service"],
    chain: Chain,
    account: Address,
    stored: Pick<StoredPayment, "order" | "transfer">,
    signature: NonNullable<StoredPayment["signatures"]>["mapping"]
  ): Effect.fn.Return<void, ChainUnavailable> {
    const createdAt = Number(stored.transfer.nonce)
    const { id } = yield* mappings.keep({ ...mappingOf(chain, account, stored), signature, createdAt }).pipe(
      Effect.mapError(() => new ChainUnavailable({ chain: chain.slug, operation: OPERATION, kind: "unreachable" }))
    )
    // Somebody else has the key, and has mapped the nonce to another order for ever.
    if (id !== stored.order) {
      return yield* new ChainUnavailable({ chain: chain.slug, operation: OPERATION, kind: "misconfigured" })
    }
  }
)

export const broadcast = Effect.fnUntraced(
  function*(
    { call }: ExchangeARpc["Service"],
    mappings: NonceMappings["Service"],
    chain: Chain,
    account: Address,
    stored: StoredPayment
  ): Effect.fn.Return<Submitted, ChainUnavailable> {
    const { signatures, transfer } = stored
    if (signatures !== undefined) yield* keepMapping(mappings, chain, account, stored, signatures.mapping)
    return yield* call(
      chain,
      OPERATION,
      ({ read }) =>
        read(Effect.fnUntraced(function*(client, deadline): Effect.fn.Return<Submitted, ExchangeAFault> {
          const fate = yield* readFate(client, account, stored, deadline)
          if (fate._tag !== "Open") return { said: "accepted", isRefused: false }
          // It was found on the exchange, which this endpoint does not show yet.
          if (signatures === undefined) return yield* Effect.fail("behind" as const)
          return yield* submit(client, transfer, signatures.transfer, deadline)
        }))
    )
  }
)
