/**
 * Transfers into a depository within a range of seconds, at one endpoint of exchange A (EXCHANGEA-9). The ledger shows a
 * `sendAsset` wholly. A `usdSend` has no nonce there, and a token's name may be of two tokens: then its transaction is
 * read, a limited number in one read.
 *
 * Not for decisions: a deposit is confirmed by its transaction (`Watcher`).
 */
import { Effect } from "effect"
import type { Head } from "../../../ports/chain/DepositWatcher.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { SentTransfer, WeiDecimals } from "../../../src/domain/families/exchange-a/evidence/Transfer.ts"
import type { LedgerSend } from "../decode/NodeAnswers.ts"
import { readTokens } from "../observe/ReadTokens.ts"
import type { ListedTokens } from "../observe/ReadTokens.ts"
import { networkOf } from "../observe/ReadTransaction.ts"
import type { ExchangeAClient } from "../rpc/ExchangeAClient.ts"
import type { ExchangeAFault, ExchangeARead } from "../rpc/ExchangeARpc.ts"
import { unnamedIn } from "./Deposits.ts"
import type { Unnamed } from "./Deposits.ts"
import { readHead } from "./Head.ts"
import { readReceived } from "./ReceivedLedger.ts"
import type { Received } from "./ReceivedLedger.ts"
import { readUnnamed } from "./ShownDeposits.ts"
import type { DepositReading } from "./ShownDeposits.ts"

/** Transactions that one read asks the explorer for. */
const MOST_DETAILS = 5

export interface Range {
  /** Seconds, included. */
  readonly from: number
  /** The newest second when undefined. */
  readonly to: number | undefined
  /** Transfers of an earlier read whose transaction was not read yet. */
  readonly unread: ReadonlyArray<Received>
}

export interface ReadTransfers {
  readonly head: Head
  /** The last second of which every transfer was read, or is in `unread`. */
  readonly to: number
  readonly found: ReadonlyArray<Unnamed>
  readonly unread: ReadonlyArray<Received>
}

const nothing: ListedTokens = { byId: new Map(), isMainnet: false }

/** Undefined where two tokens have the name, or none. */
const sentIn = (chain: Chain, { byId }: ListedTokens, send: LedgerSend): SentTransfer | undefined => {
  const [id, another] = [...byId].flatMap(([each, { name }]) => name === send.token ? [each] : [])
  if (id === undefined || another !== undefined) return undefined
  const { amount, destination, destinationDex, nonce, sourceDex, token, user } = send
  return {
    sender: user,
    transfer: {
      _tag: "SendAsset",
      hyperliquidChain: networkOf(chain),
      destination,
      sourceDex,
      destinationDex,
      token: `${token}:${id}`,
      amount,
      fromSubAccount: "",
      nonce: BigInt(nonce)
    }
  }
}

/** By their transactions, until the limit. */
const byTransaction = Effect.fnUntraced(
  function*(
    { chain, known }: DepositReading,
    client: ExchangeAClient,
    asked: ReadonlyArray<Received>,
    deadline: number
  ): Effect.fn.Return<Pick<ReadTransfers, "found" | "unread">, ExchangeAFault> {
    const found: Array<Unnamed> = []
    const unread: Array<Received> = []
    let left = MOST_DETAILS
    for (const each of asked) {
      const isKnown = known.find(client, each.id) !== undefined
      if (!isKnown && left === 0) {
        unread.push(each)
        continue
      }
      if (!isKnown) left -= 1
      const shown = yield* readUnnamed(known, client, chain, each.id, deadline)
      if (shown === undefined) unread.push(each)
      else if (shown.unnamed !== undefined) found.push(shown.unnamed)
    }
    return { found, unread }
  }
)

export const readRange =
  (reading: DepositReading, { from, to, unread }: Range): ExchangeARead<ReadTransfers> => (client, deadline) =>
    Effect.gen(function*() {
      const { chain } = reading
      const head = yield* readHead(client, deadline)
      const end = Math.min(to ?? head.time, head.time)
      const ledger = yield* readReceived(client, chain.depository, { from, to: end }, deadline)
      for (const { id } of ledger.received) reading.known.list(id)
      const tokens = ledger.received.some(({ send }) => send !== undefined)
        ? yield* readTokens(client, deadline)
        : nothing
      const decimals: WeiDecimals = new Map([...tokens.byId].map(([id, { weiDecimals }]) => [id, weiDecimals]))
      const read = ledger.received.map((each) => {
        const sent = each.send === undefined ? undefined : sentIn(chain, tokens, each.send)
        return { each, sent }
      })
      const sends = read.flatMap(({ each: { id, time }, sent }) => {
        const unnamed = sent === undefined ? undefined : unnamedIn(chain, id, time, sent, decimals)
        return unnamed === undefined ? [] : [unnamed]
      })
      const others = new Map(
        [...unread, ...read.flatMap(({ each, sent }) => sent === undefined ? [each] : [])].map((
          each
        ) => [each.id, each])
      )
      const details = yield* byTransaction(reading, client, [...others.values()], deadline)
      return { head, to: ledger.to, found: [...sends, ...details.found], unread: details.unread }
    })
