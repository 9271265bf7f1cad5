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
import { asCurrency } from "../../../src/domain/families/AddressCodec.ts"
import { keepsAccount, residueTransfer, SPOT_USDC } from "../../../src/domain/families/exchange-a/addresses/Residue.ts"
import { scaleDecimal } from "../../../src/domain/families/exchange-a/DecimalAmount.ts"
import { PERPS_DECIMALS, tokenIdOf } from "../../../src/domain/families/exchange-a/evidence/Transfer.ts"
import { mappingOf, senderOf } from "../../../src/domain/families/exchange-a/payment/StoredPayment.ts"
import type { StoredPayment } from "../../../src/domain/families/exchange-a/payment/StoredPayment.ts"
import { readTransferable } from "../quote/Balance.ts"
import type { ExchangeAClient } from "../rpc/ExchangeAClient.ts"
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

/** It is looked at again before it is submitted. */
const waits: Submitted = { said: "accepted", isRefused: true }

/**
 * What keeps the account of a deposit address, before the sweep that would empty it (EXCHANGEA-31). Undefined once the
 * address has it. A transfer whose answer is lost is submitted again with its nonce, which is executed once.
 */
const submitResidue = Effect.fnUntraced(
  function*(
    client: ExchangeAClient,
    chain: Chain,
    { sweep, transfer }: StoredPayment,
    deadline: number
  ): Effect.fn.Return<Submitted | undefined, ExchangeAFault> {
    if (sweep?.residue === undefined) return undefined
    const onSpot = yield* readTransferable(client, sweep.address, SPOT_USDC, "USDC", deadline)
    const amount = scaleDecimal(transfer.amount, PERPS_DECIMALS) ?? 0n
    const currency = transfer.sourceDex === "spot" ? asCurrency(tokenIdOf(transfer.token)) : chain.native.address
    if (keepsAccount(onSpot, { amount, currency })) return undefined
    const residue = residueTransfer(transfer.hyperliquidChain, sweep.address, transfer.nonce)
    const submitted = yield* submit(client, residue, sweep.residue, deadline)
    if (submitted.said !== "accepted") return submitted
    return submitted.isRefused ? waits : undefined
  }
)

export const broadcast = Effect.fnUntraced(
  function*(
    { call }: ExchangeARpc["Service"],
    mappings: NonceMappings["Service"],
    chain: Chain,
    solver: Address,
    stored: StoredPayment
  ): Effect.fn.Return<Submitted, ChainUnavailable> {
    const { signatures, transfer } = stored
    const account = senderOf(stored, solver)
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
          return (yield* submitResidue(client, chain, stored, deadline)) ??
            (yield* submit(client, transfer, signatures.transfer, deadline))
        }))
    )
  }
)
