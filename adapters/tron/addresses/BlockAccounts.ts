/**
 * Accounts whose money a solidified block may have changed: senders and recipients of TRX, of the tokens' `Transfer`
 * logs, and of contracts' inner transfers where the node keeps those. Two requests, however many accounts are looked for.
 *
 * Only says where to look: what an account has is read from its balance.
 */
import { Effect, Schema } from "effect"
import { topics } from "../../../src/domain/families/ethereum/evidence/Events.ts"
import { readTronTransaction } from "../../../src/domain/families/tron/evidence/TronTransaction.ts"
import type { TronTransaction } from "../../../src/domain/families/tron/evidence/TronTransaction.ts"
import { bytesOfHex, isNothing, RawHeader, RawTransaction } from "../decode/NodeAnswers.ts"
import { RawTouching } from "../decode/PaymentAnswers.ts"
import { undecodable } from "../observe/ReadPlace.ts"
import type { TronFault } from "../rpc/TronRpc.ts"
import type { TronNode } from "../rpc/TronNode.ts"

const decodeBlock = Schema.decodeUnknownEffect(Schema.Struct({
  ...RawHeader.fields,
  transactions: Schema.optionalKey(Schema.Array(RawTransaction))
}))
const decodeInfos = Schema.decodeUnknownEffect(Schema.Array(RawTouching))

/** An account in EVM form, as a word of a log or with Tron's 41 before it. */
const accountAtEnd = (digits: string): string => `0x${digits.slice(-40)}`

const transferTopic = topics.transfer.slice(2)

const inTransaction = (transaction: TronTransaction | undefined): ReadonlyArray<string | undefined> => [
  transaction?.owner,
  transaction?.act._tag === "Transfer" ? transaction.act.to : undefined
]

/** `tokens`: others' logs name nobody. 40 digits each. */
const inInfo = (
  { internal_transactions = [], log = [] }: typeof RawTouching.Type,
  tokens: ReadonlySet<string>
): ReadonlyArray<string> => [
  ...log.flatMap(({ address, topics: [event, ...words] = [] }) =>
    event === transferTopic && tokens.has(address) ? words.slice(0, 2).map(accountAtEnd) : []
  ),
  ...internal_transactions.flatMap(({ caller_address, transferTo_address }) =>
    [caller_address, transferTo_address].flatMap((each) => each === undefined ? [] : [accountAtEnd(each)])
  )
]

/** In EVM form, in lower case. Fails as behind until the node has the block's receipts. */
export const readAccountsIn = Effect.fnUntraced(
  function*(
    { solidity }: Pick<TronNode, "solidity">,
    height: bigint,
    tokens: ReadonlySet<string>,
    deadline: number
  ): Effect.fn.Return<ReadonlySet<string>, TronFault> {
    const [told, info] = yield* Effect.all([
      solidity("getblock", { id_or_num: height.toString(), detail: true }, deadline),
      solidity("gettransactioninfobyblocknum", { num: Number(height) }, deadline)
    ], { concurrency: 2 })
    if (isNothing(told)) return yield* Effect.fail("behind" as const)
    const { block_header: { raw_data: { number = 0 } }, transactions = [] } = yield* undecodable(decodeBlock(told))
    if (BigInt(number) !== height) return yield* Effect.fail("contradiction" as const)
    const infos = isNothing(info) ? [] : yield* undecodable(decodeInfos(info))
    if (infos.length !== transactions.length) return yield* Effect.fail("behind" as const)
    const accounts = [
      ...transactions.flatMap(({ raw_data_hex }) => inTransaction(readTronTransaction(bytesOfHex(raw_data_hex)))),
      ...infos.flatMap((each) => inInfo(each, tokens))
    ]
    return new Set(accounts.flatMap((account) => account === undefined ? [] : [account.toLowerCase()]))
  }
)
