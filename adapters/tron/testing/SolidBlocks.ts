/**
 * Solidified blocks in memory, and nodes that have more or fewer of them, for reads of deposit addresses: plain and inner
 * transfers of TRX, and transfers of a token. Counts what nodes are asked.
 */
import { Effect, Layer, Result } from "effect"
import { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { Address } from "../../../src/domain/chain/Address.ts"
import { hexDigits } from "../../../src/domain/encoding/HexDigits.ts"
import { topics } from "../../../src/domain/families/ethereum/evidence/Events.ts"
import { transactionIdOf, writeRawData } from "../../../src/domain/families/tron/transaction/RawData.ts"
import { accountOfTron, tronOfAccount } from "../../../src/domain/families/tron/TronAddresses.ts"
import { tron, tronUsdt } from "../../../src/domain/quote/testing/Chains.ts"
import { readerOf } from "../../endpoints/EndpointReader.ts"
import { TronPrices } from "../cost/TronPrices.ts"
import type { TronNode } from "../rpc/TronNode.ts"
import { TronRpc } from "../rpc/TronRpc.ts"
import type { TronClient } from "../rpc/TronRpc.ts"

/** `hidden`: an inner transfer of which the nodes tell nothing. */
export type Way = "plain" | "inner" | "hidden" | "token"

/** To or from an account in EVM form. */
export interface Transfer {
  readonly way: Way
  readonly account: Address
  readonly units: bigint
}

interface Block {
  readonly transfers: ReadonlyArray<Transfer>
  /** By account and currency. */
  readonly balances: ReadonlyMap<string, bigint>
}

const HASH = "ab".repeat(32)
const stranger = Address.make(`0x${"ee".repeat(20)}`)
const usdt = Result.getOrThrow(accountOfTron(tronUsdt.address))

export const accountOf = (n: number): Address => Address.make(`0x5a${n.toString(16).padStart(38, "0")}`)
export const addressOf = (n: number): Address => Result.getOrThrow(tronOfAccount(accountOf(n)))

const keyOf = (account: string, isToken: boolean): string => `${account} ${isToken}`
const word = (account: Address): string => account.slice(2).padStart(64, "0")
const inTron = (account: Address): string => `41${account.slice(2)}`

/** A payment to the account when it is more than zero, otherwise what the account itself sends. */
const rawOf = ({ account, units, way }: Transfer, nth: number): string => {
  const [owner, to] = units > 0n ? [stranger, account] : [account, stranger]
  const amount = units > 0n ? units : -units
  const act = way === "plain"
    ? { _tag: "Transfer" as const, owner, to, amount }
    : { _tag: "Trigger" as const, owner: stranger, contract: usdt, value: 0n, input: "0x" as never }
  return hexDigits(writeRawData({
    act,
    memo: new Uint8Array(0),
    reference: { height: 1n, hash: HASH },
    expiration: 1,
    timestamp: nth,
    feeLimit: 0n
  }))
}

const infoOf = ({ account, units, way }: Transfer) => {
  const [from, to] = units > 0n ? [stranger, account] : [account, stranger]
  const log = { address: usdt.slice(2), topics: [topics.transfer.slice(2), word(from), word(to)] }
  const inner = { caller_address: inTron(from), transferTo_address: inTron(to) }
  return {
    id: HASH,
    ...(way === "token" ? { log: [log] } : {}),
    ...(way === "inner" ? { internal_transactions: [inner] } : {})
  }
}

export const makeSolidBlocks = (nodes: number) => {
  const blocks: Array<Block> = [{ transfers: [], balances: new Map() }]
  const state = {
    /** Requests, by method. */
    asked: new Map<string, number>(),
    /** How many blocks each node is behind. */
    behind: Array.from({ length: nodes }, () => 0),
    /** The node that answers, and whether it does. */
    node: 0,
    fails: false,
    /** False for nodes that do not tell what was executed in a block. */
    tellsInfos: true,
    onRequest: (): void => undefined
  }
  const add = (transfers: ReadonlyArray<Transfer> = []): void => {
    const balances = new Map(blocks.at(-1)?.balances)
    for (const { account, units, way } of transfers) {
      const key = keyOf(account, way === "token")
      balances.set(key, (balances.get(key) ?? 0n) + units)
    }
    blocks.push({ transfers, balances })
  }
  const solidOf = (node: number): number => Math.max(0, blocks.length - 1 - (state.behind[node] ?? 0))
  const balanceAt = (height: number, account: string, isToken: boolean): bigint =>
    blocks[height]?.balances.get(keyOf(account, isToken)) ?? 0n

  const answer = (node: number, method: string, asked: Readonly<Record<string, unknown>>): unknown => {
    const solid = solidOf(node)
    switch (method) {
      case "getblock": {
        const height = asked["id_or_num"] === undefined ? solid : Number(asked["id_or_num"])
        if (height > solid) return {}
        const transactions = (blocks[height]?.transfers ?? []).map((each, nth) => {
          const raw_data_hex = rawOf(each, nth)
          return { txID: transactionIdOf(Buffer.from(raw_data_hex, "hex")), raw_data_hex }
        })
        return {
          blockID: HASH,
          block_header: { raw_data: { number: height } },
          ...(asked["detail"] === true && transactions.length > 0 ? { transactions } : {})
        }
      }
      case "gettransactioninfobyblocknum":
        return state.tellsInfos ? (blocks[Number(asked["num"])]?.transfers ?? []).map(infoOf) : []
      case "getaccount": {
        const account = Result.getOrThrow(accountOfTron(String(asked["address"])))
        return { balance: Number(balanceAt(solid, account, false)) }
      }
      default: {
        const account = `0x${String(asked["data"]).slice(-40)}`
        const units = balanceAt(solid, account, true)
        return { result: { result: true }, constant_result: [units.toString(16).padStart(64, "0")] }
      }
    }
  }
  const clientOf = (node: number): TronClient => {
    const ask: TronNode["solidity"] = (method, asked) =>
      Effect.suspend(() => {
        state.asked.set(method, (state.asked.get(method) ?? 0) + 1)
        const answered = answer(node, method, { ...asked })
        state.onRequest()
        return Effect.as(Effect.yieldNow, answered)
      })
    const reader = readerOf({ wallet: ask, solidity: ask, jsonRpc: () => Effect.succeed([]) }, 60_000)
    return { ...reader, readRecent: reader.read }
  }
  const layer = Layer.mergeAll(
    Layer.mock(TronRpc, {
      isAlone: () => true,
      call: (chain, operation, run) =>
        Effect.suspend(() => {
          const unavailable = new ChainUnavailable({ chain: chain.slug, operation, kind: "behind" })
          return state.fails
            ? Effect.fail(unavailable)
            : Effect.tryPromise({
              try: () => run(clientOf(state.node), { done: () => undefined }),
              catch: () => unavailable
            })
        })
    }),
    Layer.mock(TronPrices, {
      of: () => Effect.succeed({ energy: 1n, bandwidth: 1n, memo: 1n, newAccount: 1n, mostFeeLimit: 1n })
    })
  )
  return {
    chain: tron,
    token: tronUsdt,
    state,
    add,
    /** Now, of the account. */
    balance: (account: Address, isToken: boolean) => balanceAt(blocks.length - 1, account, isToken),
    requests: () => [...state.asked.values()].reduce((sum, each) => sum + each, 0),
    layer
  }
}
