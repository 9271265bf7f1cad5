/**
 * The deposit of one transaction as the explorer of one endpoint shows it (EXCHANGEA-9). A transaction never changes, so
 * each endpoint is asked once: a request to the explorer weighs twice as much as one for a ledger.
 */
import { Effect } from "effect"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { tokenOf } from "../../../src/domain/families/exchange-a/evidence/Transfer.ts"
import type { Deposit } from "../../../src/domain/transfer/deposit/Deposit.ts"
import { ByteBoundedCache } from "../../endpoints/ByteBoundedCache.ts"
import { ClientNames } from "../../endpoints/ClientNames.ts"
import { readDecimals, readShown } from "../observe/ReadTransaction.ts"
import type { ExchangeAClient } from "../rpc/ExchangeAClient.ts"
import type { ExchangeAFault } from "../rpc/ExchangeARpc.ts"
import { nameDeposit, unnamedIn } from "./Deposits.ts"
import type { NamedBy, Unnamed } from "./Deposits.ts"
import { isCutOff } from "./ReceivedLedger.ts"

const MAX_BYTES = 8 * 1024 * 1024

/** So many transfers are remembered as listed. */
const MOST_LISTED = 100_000

/** What a transaction shows: one deposit, or none. */
interface Shown {
  readonly unnamed: Unnamed | undefined
}

/** By endpoint and transaction. */
export class KnownTransactions {
  private readonly known = new ByteBoundedCache<Shown>(MAX_BYTES)
  private readonly clients = new ClientNames<ExchangeAClient>()
  /** What a ledger has listed: a scan finds it, so that no question about it is needed. */
  private readonly listed = new Set<TransactionId>()

  find(client: ExchangeAClient, id: TransactionId): Shown | undefined {
    return this.known.find(`${this.clients.nameOf(client)}:${id}`)
  }

  keep(client: ExchangeAClient, id: TransactionId, shown: Shown): void {
    this.known.keep(`${this.clients.nameOf(client)}:${id}`, shown)
  }

  list(id: TransactionId): void {
    this.listed.add(id)
    for (const oldest of this.listed) {
      if (this.listed.size <= MOST_LISTED) return
      this.listed.delete(oldest)
    }
  }

  isListed(id: TransactionId): boolean {
    return this.listed.has(id)
  }
}

/** Undefined when the explorer knows no such transaction, which proves nothing. */
export const readUnnamed = Effect.fnUntraced(
  function*(
    known: KnownTransactions,
    client: ExchangeAClient,
    chain: Chain,
    id: TransactionId,
    deadline: number
  ): Effect.fn.Return<Shown | undefined, ExchangeAFault> {
    const before = known.find(client, id)
    if (before !== undefined) return before
    const shown = yield* readShown(client, chain, id, deadline)
    if (shown === undefined) return undefined
    const { millis, sent, succeeded, time } = shown
    const unnamed = sent === undefined || !succeeded
      ? undefined
      : unnamedIn(chain, id, time, sent, yield* readDecimals(client, tokenOf(sent.transfer), deadline))
    const isHidden = unnamed !== undefined && !known.isListed(id) &&
      (yield* isCutOff(client, chain.depository, { id, millis }, deadline))
    const found: Shown = { unnamed: unnamed === undefined || !isHidden ? unnamed : { ...unnamed, isCutOff: true } }
    known.keep(client, id, found)
    return found
  }
)

/** What deposits are read with, besides an endpoint. */
export interface DepositReading {
  readonly chain: Chain
  readonly known: KnownTransactions
  readonly mappings: NamedBy
}

/**
 * The deposits of the transaction, with their order. Undefined when the explorer does not know it, and while a mapping
 * may still come. `now`: seconds, the exchange's clock.
 */
export const readDeposits = Effect.fnUntraced(
  function*(
    { chain, known, mappings }: DepositReading,
    client: ExchangeAClient,
    id: TransactionId,
    now: number,
    deadline: number
  ): Effect.fn.Return<ReadonlyArray<Deposit> | undefined, ExchangeAFault> {
    const shown = yield* readUnnamed(known, client, chain, id, deadline)
    if (shown === undefined) return undefined
    if (shown.unnamed === undefined) return []
    const named = yield* nameDeposit(mappings, chain, shown.unnamed, now)
    return named._tag === "Waits" ? undefined : [named.deposit]
  }
)
