/**
 * Deposits within a range of seconds, at one endpoint of exchange B (EXCHANGEB-7): listed, then each read by its
 * transaction, because a list has no memo. A read takes a limited number of transactions, the oldest first, and says how
 * far it has come.
 *
 * Not for decisions: a deposit is confirmed by its transaction (`Watcher`).
 */
import { Effect } from "effect"
import type { Head } from "../../../ports/chain/DepositWatcher.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { Deposit } from "../../../src/domain/transfer/deposit/Deposit.ts"
import { ClientNames } from "../../endpoints/ClientNames.ts"
import type { DepositoryAccess } from "../DepositoryAccess.ts"
import type { ExchangeBClient } from "../rpc/ExchangeBClient.ts"
import type { ExchangeBRead } from "../rpc/ExchangeBRpc.ts"
import { readHead } from "./Head.ts"
import { readShown } from "./ShownDeposits.ts"
import type { KnownTransactions } from "./ShownDeposits.ts"
import { TransferList } from "./TransferList.ts"

/** Transactions that one read asks for. */
const MOST_DETAILS = 10

/** The lists of depositories, by endpoint. */
export class TransferLists {
  private readonly lists = new Map<string, TransferList>()
  private readonly clients = new ClientNames<ExchangeBClient>()

  of(client: ExchangeBClient, { id }: Chain): TransferList {
    const key = `${this.clients.nameOf(client)}:${id}`
    const list = this.lists.get(key) ?? new TransferList()
    this.lists.set(key, list)
    return list
  }
}

/** What deposits are read with, besides an endpoint. */
export interface DepositReading {
  readonly access: DepositoryAccess["Service"]
  readonly chain: Chain
  readonly known: KnownTransactions
  readonly lists: TransferLists
}

export interface ReadDeposits {
  readonly head: Head
  /** The last second of which everything was read. */
  readonly to: number
  /** Of seconds up to that one, oldest first. */
  readonly deposits: ReadonlyArray<Deposit>
}

/** `from`, `to`: seconds, both included; without `to` the newest one. */
export const readRange = (
  { access: { token }, chain, known, lists }: DepositReading,
  from: number,
  to?: number
): ExchangeBRead<ReadDeposits> =>
  Effect.fnUntraced(function*(client, deadline) {
    const head = yield* readHead(client, deadline)
    const holder = { account: chain.depository, token }
    const listed = yield* lists.of(client, chain).since(client, holder, from * 1_000, deadline)
    let end = Math.min(to ?? head.time, head.time)
    let left = MOST_DETAILS
    const found: Array<Deposit> = []
    for (const { id, time } of listed) {
      const second = Math.floor(time / 1_000)
      if (second > end) break
      const isKnown = known.find(client, id) !== undefined
      if (!isKnown && left === 0) {
        end = second - 1
        break
      }
      if (!isKnown) left -= 1
      const shown = yield* readShown(known, client, chain, id, deadline)
      // It lists the transfer as executed, and does not show it: another endpoint may.
      if (shown === undefined) return yield* Effect.fail("behind" as const)
      if (shown.deposit !== undefined) found.push(shown.deposit)
    }
    return { head, to: end, deposits: found.filter(({ block }) => block.time <= end) }
  })
