/**
 * The deposit of one transaction as one endpoint of exchange B shows it (EXCHANGEB-6, EXCHANGEB-7). An executed
 * transaction never changes, nor does the owner of an account, so each endpoint is asked once.
 */
import { Effect, Schema } from "effect"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { withSignedMemo } from "../../../src/domain/families/exchange-b/evidence/SignedMemo.ts"
import { orderIdIn, transferFacts } from "../../../src/domain/families/exchange-b/evidence/Transfer.ts"
import type { SentTransfer } from "../../../src/domain/families/exchange-b/evidence/Transfer.ts"
import { onchainId } from "../../../src/domain/hub/ProtocolId.ts"
import type { Deposit } from "../../../src/domain/transfer/deposit/Deposit.ts"
import { ByteBoundedCache } from "../../endpoints/ByteBoundedCache.ts"
import { ClientNames } from "../../endpoints/ClientNames.ts"
import { OwnerAnswer } from "../decode/AccountAnswers.ts"
import { TRANSFER, transferIn } from "../decode/NodeAnswers.ts"
import type { ShownTransfer } from "../decode/NodeAnswers.ts"
import { isDone, readRaw, undecodable } from "../observe/ReadTransaction.ts"
import type { ExchangeBClient } from "../rpc/ExchangeBClient.ts"
import type { ExchangeBFault } from "../rpc/ExchangeBRpc.ts"
import { blockAt } from "../../endpoints/clock/ClockAsChain.ts"

const decodeOwner = Schema.decodeUnknownEffect(OwnerAnswer)

const MAX_BYTES = 8 * 1024 * 1024

/** What an executed transaction shows: one deposit, or none. */
interface Shown {
  readonly deposit: Deposit | undefined
}

/** By endpoint. */
export class KnownTransactions {
  private readonly shown = new ByteBoundedCache<Shown>(MAX_BYTES)
  private readonly owners = new ByteBoundedCache<string>(MAX_BYTES)
  private readonly clients = new ClientNames<ExchangeBClient>()

  find(client: ExchangeBClient, id: TransactionId): Shown | undefined {
    return this.shown.find(`${this.clients.nameOf(client)}:${id}`)
  }

  keep(client: ExchangeBClient, id: TransactionId, shown: Shown): Shown {
    this.shown.keep(`${this.clients.nameOf(client)}:${id}`, shown)
    return shown
  }

  /** The Ethereum account that owns an account. */
  readonly ownerOf = Effect.fnUntraced({ self: this }, function*(
    client: ExchangeBClient,
    account: string,
    deadline: number
  ): Effect.fn.Return<string, ExchangeBFault> {
    const key = `${this.clients.nameOf(client)}:${account}`
    const known = this.owners.find(key)
    if (known !== undefined) return known
    const { accounts: [found] } = yield* undecodable(decodeOwner(yield* client.account(account, deadline)))
    if (found?.index.toString() !== account) return yield* Effect.fail("contradiction" as const)
    this.owners.keep(key, found.l1_address)
    return found.l1_address
  })
}

/** Its only transfer. */
const TRANSFER_INDEX = 0

/** Undefined for a transfer that is no deposit, or that the protocol cannot express. `time`: seconds. */
const depositIn = (chain: Chain, id: TransactionId, time: number, sent: SentTransfer): Deposit | undefined => {
  const { deposits: [found] } = transferFacts(sent, chain.depository, chain.network)
  if (found === undefined) return undefined
  const { amount, currency, depositId, depositor } = found
  return {
    onchainId: onchainId(chain.slug, id, TRANSFER_INDEX),
    chainId: chain.id,
    transactionId: id,
    index: TRANSFER_INDEX,
    block: blockAt(time),
    depositId,
    depositor,
    sender: depositor,
    currency,
    amount
  }
}

/** Owners are asked for only where their signature decides which order a deposit names. */
const sentIn = Effect.fnUntraced(
  function*(
    known: KnownTransactions,
    client: ExchangeBClient,
    { depository, network }: { readonly depository: Address; readonly network: Chain["network"] },
    { l1Signature, transfer }: ShownTransfer,
    deadline: number
  ): Effect.fn.Return<SentTransfer, ExchangeBFault> {
    const names = transfer.toAccountIndex.toString() === depository && orderIdIn(transfer.memo) !== undefined
    if (!names || l1Signature === undefined) return withSignedMemo(transfer, network, "", undefined)
    const owner = yield* known.ownerOf(client, transfer.fromAccountIndex.toString(), deadline)
    return withSignedMemo(transfer, network, owner, l1Signature)
  }
)

/** Undefined when the endpoint does not know the transaction, or does not show it as executed: neither proves anything. */
export const readShown = Effect.fnUntraced(
  function*(
    known: KnownTransactions,
    client: ExchangeBClient,
    chain: Chain,
    id: TransactionId,
    deadline: number
  ): Effect.fn.Return<Shown | undefined, ExchangeBFault> {
    const before = known.find(client, id)
    if (before !== undefined) return before
    const raw = yield* readRaw(client, id, deadline)
    if (raw === undefined || !isDone(raw)) return undefined
    if (raw.type !== TRANSFER) return known.keep(client, id, { deposit: undefined })
    const shown = transferIn(raw.info)
    if (shown === undefined) return yield* Effect.fail("undecodable" as const)
    const sent = yield* sentIn(known, client, chain, shown, deadline)
    return known.keep(client, id, { deposit: depositIn(chain, id, Math.floor(raw.queued_at / 1_000), sent) })
  }
)
