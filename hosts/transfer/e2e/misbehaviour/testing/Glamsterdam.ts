/**
 * A stand-in for a chain with EIP-8037, at the wire: anvil has no such fork. Estimates and receipts contain the gas of the
 * state that anvil says a transaction makes, and a store into an empty slot takes what it takes there. The chain behind it
 * takes none of that, so no sender is charged, and state that is made and unmade within a transaction is not counted.
 */
import { Effect, Schema } from "effect"
import { hexToBigInt, isHex, parseTransaction, recoverTransactionAddress, size, toHex } from "viem"
import type { Hex, TransactionSerializedEIP1559, TransactionSerializedEIP7702 } from "viem"
import { STORING } from "../../../../../adapters/ethereum/pay/StateGas.ts"
import type { Answer, Call, LyingNode } from "../../../testing/LyingNode.ts"

/** More than before the fork, as @ethereumjs/vm 10.1.3 has it. */
const MORE = { account: 183_600n, slot: 87_920n, byte: 1_330n }

const Account = Schema.Struct({
  balance: Schema.optionalKey(Schema.String),
  nonce: Schema.optionalKey(Schema.Number),
  code: Schema.optionalKey(Schema.String),
  storage: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
})
type Account = typeof Account.Type

const Diff = Schema.Struct({ pre: Schema.Record(Schema.String, Account), post: Schema.Record(Schema.String, Account) })
const isDiff = Schema.is(Diff)

const exists = (account: Account | undefined): boolean =>
  account !== undefined &&
  (BigInt(account.balance ?? 0) > 0n || (account.nonce ?? 0) > 0 || account.code !== undefined)

/** Fees of a block go there, whoever mines it. */
const MINER = "0x0000000000000000000000000000000000000000"

/** What a transaction takes more for what it leaves. */
const moreFor = ({ post, pre }: typeof Diff.Type): bigint =>
  Object.entries(post).filter(([address]) => address !== MINER).reduce((sum, [address, after]) => {
    const before = pre[address]
    const slots = Object.entries(after.storage ?? {}).filter(([slot, value]) =>
      BigInt(value) !== 0n && BigInt(before?.storage?.[slot] ?? 0) === 0n
    )
    const code = isHex(after.code) && before?.code === undefined ? size(after.code) : 0
    return sum + (exists(before) ? 0n : MORE.account) + BigInt(slots.length) * MORE.slot + BigInt(code) * MORE.byte
  }, 0n)

const TRACER = { tracer: "prestateTracer", tracerConfig: { diffMode: true } }

const Receipt = Schema.StructWithRest(
  Schema.Struct({ transactionHash: Schema.String, gasUsed: Schema.String }),
  [Schema.Record(Schema.String, Schema.Unknown)]
)
const isReceipt = Schema.is(Receipt)

const isSigned = (raw: Hex): raw is TransactionSerializedEIP1559 | TransactionSerializedEIP7702 =>
  raw.startsWith("0x02") || raw.startsWith("0x04")

/** A chain with the fork, and the transactions that came with too little gas for it. */
export interface Forked {
  readonly starved: ReadonlyArray<Hex>
  /** What a transaction in a block takes there. */
  readonly gasUsed: (hash: Hex) => Effect.Effect<bigint>
}

/** From now on the node answers for a chain with the fork. */
export const fork = (node: LyingNode): Forked => {
  const starved: Array<Hex> = []
  const ask = (method: string, ...params: ReadonlyArray<unknown>) => node.ask({ id: 1, method, params })
  const more = async (method: string, ...params: ReadonlyArray<unknown>): Promise<bigint> => {
    const { result } = await ask(method, ...params)
    return isDiff(result) ? moreFor(result) : 0n
  }

  const estimate = async (call: Call, truth: () => Promise<Answer>): Promise<Answer> => {
    const [answer, above] = await Promise.all([truth(), more("debug_traceCall", call.params?.[0], "latest", TRACER)])
    return isHex(answer.result) ? { result: toHex(hexToBigInt(answer.result) + above) } : answer
  }

  const receipt = async (truth: () => Promise<Answer>): Promise<Answer> => {
    const answer = await truth()
    if (!isReceipt(answer.result) || !isHex(answer.result.gasUsed)) return answer
    const above = await more("debug_traceTransaction", answer.result.transactionHash, TRACER)
    return { result: { ...answer.result, gasUsed: toHex(hexToBigInt(answer.result.gasUsed) + above) } }
  }

  const noteStarved = async (raw: unknown) => {
    if (!isHex(raw) || !isSigned(raw)) return
    const signed: Hex = raw
    const { authorizationList = [], data = "0x", gas = 0n, to, value = 0n } = parseTransaction(signed)
    const call = {
      from: await recoverTransactionAddress({ serializedTransaction: raw }),
      to,
      data,
      value: toHex(value),
      ...(authorizationList.length === 0 ? {} : {
        authorizationList: authorizationList.map(({ address, chainId, nonce, r, s, yParity = 0 }) => ({
          address,
          chainId: toHex(chainId),
          nonce: toHex(nonce),
          yParity: toHex(yParity),
          r,
          s
        }))
      })
    }
    const needs = await estimate(
      { id: 1, method: "eth_estimateGas", params: [call] },
      () => ask("eth_estimateGas", call)
    )
    if (isHex(needs.result) && gas < hexToBigInt(needs.result)) starved.push(raw)
  }

  node.lie(async (call, truth) => {
    switch (call.method) {
      case "eth_estimateGas":
        return estimate(call, truth)
      case "eth_getTransactionReceipt":
        return receipt(truth)
      case "eth_call": {
        const answer = await truth()
        return JSON.stringify(call.params).includes(STORING) && isHex(answer.result)
          ? { result: toHex(hexToBigInt(answer.result) + MORE.slot, { size: 32 }) }
          : answer
      }
      case "eth_sendRawTransaction":
        await noteStarved(call.params?.[0])
        return truth()
      default:
        return truth()
    }
  })
  const gasUsed = (hash: Hex) =>
    Effect.promise(async () => {
      const { result } = await receipt(() => ask("eth_getTransactionReceipt", hash))
      return isReceipt(result) ? BigInt(result.gasUsed) : 0n
    })
  return { starved, gasUsed }
}
